package worker_test

import (
	"context"
	"errors"
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
		w, done, tries := worker.New(nil), make(chan struct{}), 0
		go func() {
			defer close(done)
			w.Run(ctx, worker.Job{
				Work:   func(context.Context) error { tries++; return errors.New("no money") },
				Rest:   func(error, int) time.Duration { return time.Hour },
				Failed: func(error, time.Duration) {},
			})
		}()
		for _, step := range []struct {
			name string
			do   func()
			want int
		}{
			{"at the start", func() {}, 1},
			{"after a kick", w.Kick, 1},
			{"woken", w.Wake, 2},
			{"after the rest", func() { time.Sleep(time.Hour) }, 3},
		} {
			step.do()
			synctest.Wait()
			if tries != step.want {
				t.Errorf("%s: tried %d times, want %d", step.name, tries, step.want)
			}
		}
		cancel()
		<-done
	})
}
