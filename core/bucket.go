package core

import (
	"math"
	"time"
)

// Rate is how often something may happen: so many at once, and then one each
// Every. The zero Rate does not limit.
type Rate struct {
	Burst int
	Every time.Duration
}

// Bucket is what is left of a rate at one moment. The zero Bucket is full.
type Bucket struct {
	Left float64
	At   time.Time
}

// rounding is what may be missing from one: who waited for as long as they were
// told is not sent away again.
const rounding = 1e-9

// Take computes what is left after one was taken at the given time, or how long
// to wait for the next; then nothing was taken.
func (b Bucket) Take(r Rate, now time.Time) (Bucket, time.Duration) {
	if r.Burst <= 0 || r.Every <= 0 {
		return b, 0
	}
	left := float64(r.Burst)
	if !b.At.IsZero() {
		passed := max(0, now.Sub(b.At))
		left = min(left, b.Left+float64(passed)/float64(r.Every))
	}
	if left < 1-rounding {
		return Bucket{left, now}, max(1, time.Duration(math.Ceil((1-left)*float64(r.Every))))
	}
	return Bucket{max(0, left-1), now}, 0
}
