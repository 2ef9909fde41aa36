package bot

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestQueueKeepsTheOrderOfAKeyAndOutlivesPanics(t *testing.T) {
	q := NewQueue(4, 8, time.Minute, slog.New(slog.DiscardHandler))
	var mu sync.Mutex
	var got []int
	done := make(chan struct{})
	for i := range 5 {
		if !q.Offer("c", "event", func(context.Context) {
			if i == 2 {
				panic("a fault")
			}
			mu.Lock()
			defer mu.Unlock()
			if got = append(got, i); i == 4 {
				close(done)
			}
		}) {
			t.Fatal("no room")
		}
	}
	if q.Waiting() != 5 || q.Open() != 5 {
		t.Errorf("%d wait, %d are open", q.Waiting(), q.Open())
	}
	ctx, cancel := context.WithCancel(t.Context())
	q.Run(ctx)
	<-done
	cancel()
	q.Wait()
	if !slices.Equal(got, []int{0, 1, 3, 4}) || q.Open() != 0 {
		t.Errorf("got %v", got)
	}
}

func TestQueueTellsWhereThereIsNoRoom(t *testing.T) {
	q := NewQueue(1, 2, time.Minute, slog.New(slog.DiscardHandler))
	for i, want := range []bool{true, true, false} {
		if got := q.Offer("c", "event", func(context.Context) {}); got != want {
			t.Errorf("event %d: %v", i, got)
		}
	}
}
