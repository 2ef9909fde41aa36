// Package testclock is the time of the chat platforms that tests run on loopback.
package testclock

import (
	"context"
	"sync"
	"time"
)

// Clock runs with the real one and can be pushed ahead, so that the fifteen minutes of
// an interaction or an hour of edits pass in no time. A frozen clock moves by Advance
// only. Use New.
type Clock struct {
	mu      sync.Mutex
	offset  time.Duration
	frozen  time.Time // zero: the clock runs
	changed chan struct{}
}

// New is a clock that shows the real time.
func New() *Clock {
	return &Clock{changed: make(chan struct{})}
}

// Now is the server's idea of the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if !c.frozen.IsZero() {
		return c.frozen
	}
	return time.Now().Add(c.offset)
}

// Advance pushes the clock ahead and wakes whoever waits for a time that has
// come by that.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	if !c.frozen.IsZero() {
		c.frozen = c.frozen.Add(d)
	}
	c.wake()
}

// Freeze stops the clock at its present time.
func (c *Clock) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen.IsZero() {
		c.frozen = c.now().Round(0)
	}
	c.wake()
}

func (c *Clock) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Until waits for a time on this clock. It reports false when the context ended
// before that. Who schedules says the time at once, so that an Advance in between is
// not lost.
func (c *Clock) Until(ctx context.Context, until time.Time) bool {
	for {
		rest, changed := c.rest(until)
		if rest <= 0 {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(rest)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// After is a channel that is closed at a time on this clock. The goroutine
// behind it ends with the context, and run says who waits for it.
func (c *Clock) After(ctx context.Context, run func(func()), until time.Time) <-chan struct{} {
	done := make(chan struct{})
	run(func() {
		if c.Until(ctx, until) {
			close(done)
		}
	})
	return done
}

func (c *Clock) rest(until time.Time) (time.Duration, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := until.Sub(c.now())
	if rest > 0 && !c.frozen.IsZero() {
		rest = time.Hour // only Advance ends the wait
	}
	return rest, c.changed
}
