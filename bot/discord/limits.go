package discord

import (
	"context"
	"strings"
	"sync"
	"time"
)

const (
	// mostBuckets is how many rate limits are remembered. Each interaction brings
	// one of its own; those that have passed are dropped.
	mostBuckets = 2000
	sweepEvery  = time.Minute
	margin      = 30 * time.Millisecond // Discord's clock and ours do not run alike
)

// limits remembers Discord's rate limits for as long as they matter.
type limits struct {
	mu      sync.Mutex
	buckets map[string]bucket
	global  time.Time // nothing is sent before
	swept   time.Time
}

type bucket struct {
	left  int
	reset time.Time
}

func newLimits() *limits { return &limits{buckets: map[string]bucket{}} }

// take waits until a request may be sent. Where drop is set it does not wait: the
// error is errDropped then.
func (l *limits) take(ctx context.Context, key string, drop bool) error {
	for {
		wait := l.try(key, time.Now())
		switch {
		case wait <= 0:
			return ctx.Err()
		case drop:
			return errDropped
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// try takes one, or tells how long to wait.
func (l *limits) try(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.global) && !apart(key) {
		return l.global.Sub(now)
	}
	b, ok := l.buckets[key]
	if !ok || !now.Before(b.reset) {
		return 0 // nothing is known: Discord will tell
	}
	if b.left <= 0 {
		return b.reset.Sub(now)
	}
	b.left--
	l.buckets[key] = b
	return 0
}

// apart tells that a call answers an interaction: Discord does not count those
// with the others, and somebody waits three seconds for them.
func apart(key string) bool {
	_, route, _ := strings.Cut(key, " ")
	return strings.HasPrefix(route, "interactions/") || strings.HasPrefix(route, "webhooks/")
}

// note keeps what an answer told. Answers overtake each other, so of two about
// the same time the smaller number counts.
func (l *limits) note(key string, left int, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	reset := now.Add(after + margin)
	if old, ok := l.buckets[key]; ok && now.Before(old.reset) && reset.Sub(old.reset).Abs() < time.Second/2 {
		left = min(left, old.left)
	}
	l.put(key, bucket{left, reset}, now)
}

// hit keeps that a limit was passed.
func (l *limits) hit(key string, retry time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if global {
		l.global = now.Add(retry)
		return
	}
	l.put(key, bucket{0, now.Add(retry)}, now)
}

// put keeps a bucket, and drops those that have passed.
func (l *limits) put(key string, b bucket, now time.Time) {
	l.buckets[key] = b
	if now.Sub(l.swept) < sweepEvery && len(l.buckets) <= mostBuckets {
		return
	}
	l.swept = now
	for k, one := range l.buckets {
		if !now.Before(one.reset) {
			delete(l.buckets, k)
		}
	}
	if len(l.buckets) > mostBuckets { // more than Discord would let us need
		l.buckets = map[string]bucket{key: b}
	}
}

func (l *limits) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}
