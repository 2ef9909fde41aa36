package worker_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnote-bot/footnote/core/ingest/worker"
)

// A kick does not end the rest after a failure, and Wake does.
func TestWakeEndsARest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, done := worker.New(nil), make(chan struct{})
		var tries atomic.Int32
		go func() {
			defer close(done)
			w.Run(ctx, worker.Job{
				Work:   func(context.Context) error { tries.Add(1); return errors.New("no money") },
				Rest:   func(error, int) time.Duration { return time.Hour },
				Failed: func(error, time.Duration) {},
			})
		}()
		for _, step := range []struct {
			name string
			do   func()
			want int32
		}{
			{"at the start", func() {}, 1},
			{"after a kick", w.Kick, 1},
			{"woken", w.Wake, 2},
			{"after the rest", func() { time.Sleep(time.Hour) }, 3},
		} {
			step.do()
			synctest.Wait()
			if n := tries.Load(); n != step.want {
				t.Errorf("%s: tried %d times, want %d", step.name, n, step.want)
			}
		}
		cancel()
		<-done
	})
}
