package agent

import (
	"strings"
	"sync"

	"github.com/footnote-bot/footnote/core"
)

// read is an earlier turn as models read it, with its size.
type read struct {
	raw      string // the answer as it was given
	question string
	answer   string // without citations
	tokens   int
}

func readTurn(t core.Turn) read {
	r := read{raw: t.Answer.Text, question: untagged(t.Question), answer: untagged(strings.TrimSpace(withoutMarkers(t.Answer)))}
	r.tokens = 2*perMessage + tokens(r.question) + tokens(r.answer)
	return r
}

// mostRead bounds a readCache, in bytes of text.
const mostRead = 16 << 20

// readCache keeps what long threads would have read again in every turn. Its
// zero value is ready, and a nil one keeps nothing.
type readCache struct {
	mu    sync.Mutex
	known map[string]read
	bytes int
}

// of reads a turn, from the cache if its answer is still the same.
func (c *readCache) of(t core.Turn) read {
	if c == nil || t.ID == "" {
		return readTurn(t)
	}
	c.mu.Lock()
	r, ok := c.known[t.ID]
	c.mu.Unlock()
	if ok && r.raw == t.Answer.Text {
		return r
	}
	r = readTurn(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	size := len(r.raw) + len(r.question) + len(r.answer)
	if c.known == nil || c.bytes+size > mostRead {
		c.known, c.bytes = map[string]read{}, 0
	}
	c.known[t.ID] = r
	c.bytes += size
	return r
}
