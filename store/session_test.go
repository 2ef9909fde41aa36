package store

import (
	"context"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// A context that ends while a transaction begins leaves no connection inside one:
// the next transaction works, whoever it belongs to.
func TestContextEndsAtAnyMoment(t *testing.T) {
	s := handbook(t)
	for i := range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for end := time.Now().Add(time.Duration(i%40) * 2 * time.Microsecond); time.Now().Before(end); {
			}
			cancel()
		}()
		_, readErr := s.Source(ctx, "handbook")
		_, writeErr := s.TakeJob(ctx, "handbook", core.JobSync, "a", time.Now(), time.Now())
		<-stopped
		for _, err := range []error{readErr, writeErr} {
			if err != nil {
				wantKind(t, err, core.KindCancelled)
			}
		}
		check(t, s.write(t.Context(), func(*session) error { return nil }))
		check(t, s.read(t.Context(), func(*session) error { return nil }))
	}
}
