package core

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	rate := Rate{Burst: 3, Every: time.Minute}
	var b Bucket
	for i, row := range []struct {
		at   time.Duration
		wait time.Duration
	}{
		{0, 0}, {0, 0}, {0, 0}, {0, time.Minute}, {30 * time.Second, 30 * time.Second}, {time.Minute, 0}, {time.Minute, time.Minute},
		{time.Hour, 0}, {time.Hour, 0}, {time.Hour, 0}, {time.Hour, time.Minute}, // it never holds more than a burst
		{0, time.Minute}, // the clock was set back: nothing comes of it
	} {
		next, wait := b.Take(rate, start.Add(row.at))
		if wait != row.wait {
			t.Fatalf("step %d: wait %v, want %v", i, wait, row.wait)
		}
		if wait == 0 {
			b = next
		}
	}
	for _, r := range []Rate{{}, {Burst: 3}, {Every: time.Minute}, {Burst: -1, Every: -1}} {
		for range 10 {
			if _, wait := (Bucket{Left: 0, At: start}).Take(r, start); wait != 0 {
				t.Errorf("%+v limits", r)
			}
		}
	}
	if next, _ := (Bucket{Left: 9, At: start}).Take(Rate{Burst: 2, Every: time.Minute}, start); next.Left != 1 {
		t.Errorf("a lower burst counts at once: %+v", next)
	}
}

// Whatever is asked when: no more passes than the rate allows, who was told to
// wait and does so is let in, and nobody is told to wait for nothing.
func TestBucketLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rate := Rate{Burst: 1 + r.IntN(5), Every: time.Duration(1 + r.Int64N(int64(time.Minute)))}
		start := time.Unix(1_800_000_000, 0)
		now, b, taken := start, Bucket{}, 0
		for range 100 {
			now = now.Add(time.Duration(r.Int64N(int64(rate.Every) * 2)))
			next, wait := b.Take(rate, now)
			if wait > 0 {
				if wait > rate.Every {
					t.Fatalf("%+v: wait %v", rate, wait)
				}
				now = now.Add(wait)
				if next, wait = b.Take(rate, now); wait > 0 {
					t.Fatalf("%+v: told to wait again, %v", rate, wait)
				}
			}
			b, taken = next, taken+1
			if most := float64(rate.Burst) + float64(now.Sub(start))/float64(rate.Every); float64(taken) > most+1e-6 {
				t.Fatalf("%+v: %d in %v", rate, taken, now.Sub(start))
			}
			if b.Left < 0 || b.Left > float64(rate.Burst) {
				t.Fatalf("%+v: %+v", rate, b)
			}
		}
	}
}
