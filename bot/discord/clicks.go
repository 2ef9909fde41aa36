package discord

import (
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// clickRate is how often somebody may press buttons. All answers to interactions of
// an application share Discord's limits, so nobody gets to use them up.
var clickRate = core.Rate{Burst: 12, Every: 2 * time.Second}

// mostClickers is how many people are remembered.
const mostClickers = 5000

// clicks counts how often people press buttons.
type clicks struct {
	mu      sync.Mutex
	buckets map[string]core.Bucket
}

func newClicks() *clicks { return &clicks{buckets: map[string]core.Bucket{}} }

// take tells whether somebody may press once more.
func (c *clicks) take(user string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.buckets) >= mostClickers {
		c.buckets = map[string]core.Bucket{}
	}
	b, wait := c.buckets[user].Take(clickRate, now)
	c.buckets[user] = b
	return wait <= 0
}
