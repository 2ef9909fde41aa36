package schedule

import (
	"fmt"
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
