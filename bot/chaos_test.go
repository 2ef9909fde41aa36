package bot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Questions, stops and readers in any order leave nothing behind: every turn
// ends once, no thread runs two at a time, and all places are free again.
func TestAnyOrderOfEvents(t *testing.T) {
	d, s := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		switch rand.IntN(4) {
		case 0:
			return core.Errorf(core.KindUnavailable, "down")
		case 1:
			panic("chaos")
		}
		for range rand.IntN(5) {
			emit(core.TextDelta{Delta: "x"})
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(rand.IntN(1500)) * time.Microsecond):
			}
		}
		return nil
	}, func(o *Options) { o.Running, o.Open, o.PerThread, o.Heartbeat = 4, 40, 4, time.Millisecond })
	var wait sync.WaitGroup
	var mu sync.Mutex
	var all []*Running
	for range 16 {
		wait.Go(func() {
			for range 60 {
				r, err := d.Ask(t.Context(), ann(fmt.Sprint("th", rand.IntN(6)), "q"), Policy(rand.IntN(4)/3))
				for core.KindOf(err) == core.KindBusy {
					time.Sleep(time.Millisecond)
					r, err = d.Ask(t.Context(), ann(fmt.Sprint("th", rand.IntN(6)), "q"), Policy(rand.IntN(4)/3))
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, r)
				some := all[rand.IntN(len(all))]
				mu.Unlock()
				switch rand.IntN(3) {
				case 0:
					d.Stop(some.ID)
				case 1:
					wait.Go(func() { ends(t, some, rand.IntN(4)) })
				}
			}
		})
	}
	wait.Wait()
	for _, r := range all {
		ends(t, r, 0)
	}
	waitFor(t, "all to be put away", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.open == 0 && len(d.tails) == 0 && len(d.places) == 4
	})
	if len(all) != 16*60 || s.most != 1 {
		t.Errorf("%d turns, at most %d of a thread at once", len(all), s.most)
	}
}

// ends reads a turn to its end, which has to come exactly once.
func ends(t *testing.T, r *Running, from int) {
	n := 0
	for e := range r.Subscribe(t.Context(), from) {
		if isLast(e) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("turn %s ends %d times", r.ID, n)
	}
}
