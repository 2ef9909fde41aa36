package sdk

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// longestPause is how long one wait inside the HTTP client may take. A longer one
// is the host's: it frees the process meanwhile and shows why nothing happens.
const longestPause = time.Minute

// limiter spaces requests out. It keeps the time at which the next one would be
// due if none came early; a burst may be that much ahead of it.
type limiter struct {
	every time.Duration // 0 means no limit
	early time.Duration // how far a burst may be ahead

	mu     sync.Mutex
	due    time.Time
	paused time.Time // the system asked for a pause until then
}

func newLimiter(l Limit) limiter {
	if l.PerSecond <= 0 {
		return limiter{}
	}
	every := time.Duration(float64(time.Second) / l.PerSecond)
	return limiter{every: every, early: every * time.Duration(max(l.Burst, 1)-1)}
}

// wait returns when the request may go out, and how long that took. A Busy error
// says that the system asked for a pause that is too long to be waited for here.
func (l *limiter) wait(ctx context.Context) (time.Duration, error) {
	var waited time.Duration
	for {
		pause, err := l.reserve(time.Now())
		if err != nil || pause <= 0 {
			return waited, err
		}
		if err := sleep(ctx, pause); err != nil {
			return waited, err
		}
		waited += pause
	}
}

// reserve takes a turn, or tells how long to wait before asking again.
func (l *limiter) reserve(now time.Time) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := l.paused.Sub(now); left > longestPause {
		return 0, Busy(left, fmt.Errorf("the system asked for a pause of another %v", left.Round(time.Second)))
	} else if left > 0 {
		return left, nil
	}
	if l.due.Before(now) {
		l.due = now
	}
	if pause := l.due.Add(-l.early).Sub(now); pause > 0 {
		return pause, nil
	}
	l.due = l.due.Add(l.every)
	return 0, nil
}

// pause holds all requests back, because the system asked for it.
func (l *limiter) pause(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.paused) {
		l.paused = until
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// HTTPCounts is what went through the HTTP clients of one name.
type HTTPCounts struct {
	Requests int64         // sent, retries included
	Retries  int64         // sent again
	Failed   int64         // without an answer, or with status 400 and above
	Waited   time.Duration // for the limit and for Retry-After, of all goroutines together
}

type counts struct{ requests, retries, failed, waited atomic.Int64 }

func (c *counts) read() HTTPCounts {
	return HTTPCounts{
		Requests: c.requests.Load(), Retries: c.retries.Load(), Failed: c.failed.Load(), Waited: time.Duration(c.waited.Load()),
	}
}
