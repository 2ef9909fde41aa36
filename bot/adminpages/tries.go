package adminpages

import (
	"net"
	"sync"
	"time"
)

const (
	triesOfOne = 10 // of one address in a window
	triesOfAll = 60
	window     = time.Minute
)

// tries bounds how often somebody may try to sign in. Codes have 256 bits, so that
// this keeps the log and the ledger quiet more than it keeps anybody out.
type tries struct {
	now func() time.Time

	mu    sync.Mutex
	begun time.Time
	all   int
	each  map[string]int
}

func newTries(now func() time.Time) *tries { return &tries{now: now, each: map[string]int{}} }

// take counts a try and tells whether it may go on.
func (t *tries) take(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.begun) >= window || now.Before(t.begun) {
		t.begun, t.all, t.each = now, 0, map[string]int{}
	}
	if t.all >= triesOfAll || t.each[host] >= triesOfOne {
		return false
	}
	t.all++
	t.each[host]++
	return true
}
