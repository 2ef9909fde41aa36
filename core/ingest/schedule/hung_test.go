package schedule

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Sources that hang at their first sync leave places for everybody else's, also
// before the slice is over.
func TestHungFirstSyncsHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plans := []Plan{every("hung-1", "web", time.Hour), every("hung-2", "web", time.Hour), every("hung-3", "web", time.Hour)}
		for i := range 100 {
			plans = append(plans, every(fmt.Sprintf("small-%d", i), "files", time.Hour))
		}
		w := newWorld(t, plans...)
		for _, p := range plans[:3] {
			w.takes[p.Source] = 1000 * time.Hour
		}
		w.during(func() { time.Sleep(Slice - time.Minute) })
		for _, p := range plans[3:] {
			if len(w.began[p.Source]) == 0 {
				t.Fatalf("%s was not read within %s", p.Source, Slice-time.Minute)
			}
		}
	})
}

// A source that is no longer planned ends at its next checkpoint, and gives its place.
func TestASourceThatIsTakenOutStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every("out", "files", time.Hour), every("in", "files", time.Hour))
		w.takes["out"] = 1000 * time.Hour
		var plans atomic.Pointer[[]Plan]
		first, second := w.plans[:1], w.plans[1:]
		plans.Store(&first)
		r := New(Options{
			Ledger: w.ledger, Owner: "test", Plans: func(context.Context) ([]Plan, error) { return *plans.Load(), nil },
			Work: w.work, Now: w.now, Chance: func() float64 { return 0.5 },
		})
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(t.Context(), stop)
		}()
		time.Sleep(5 * time.Minute)
		plans.Store(&second)
		r.Wake()
		time.Sleep(2 * time.Minute)
		if running := r.runs(); len(running) != 0 || len(w.began["in"]) != 1 {
			t.Errorf("still runs: %+v; the other began %d times", running, len(w.began["in"]))
		}
		close(stop)
		<-ended
	})
}
