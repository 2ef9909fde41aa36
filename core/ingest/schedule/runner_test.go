package schedule

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

// world is a schedule on a ledger of its own, under a clock that the test moves.
type world struct {
	t      testing.TB
	ledger Ledger
	plans  []Plan
	offset atomic.Int64 // of the wall clock against the one that only goes forward
	takes  map[string]time.Duration
	done   map[string]time.Duration // of a sync that was not through
	fails  map[string]error
	look   time.Duration

	mu     sync.Mutex
	began  map[string][]time.Time // on the clock that only goes forward
	active map[string]int
	most   int
}

func newWorld(t testing.TB, plans ...Plan) *world {
	return &world{t: t, plans: plans, takes: map[string]time.Duration{}, fails: map[string]error{}, done: map[string]time.Duration{},
		ledger: &memory{jobs: map[string]core.Job{}}, began: map[string][]time.Time{}, active: map[string]int{}}
}

// onDisk gives the world a real ledger, to be closed.
func (w *world) onDisk() *store.Store {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	w.ledger = s
	for _, p := range w.plans {
		if err := s.PutSource(w.t.Context(), core.Source{Name: p.Source, Connector: p.Connector}); err != nil {
			w.t.Fatal(err)
		}
	}
	return s
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

// work takes as long as the test says, with a checkpoint every minute.
func (w *world) work(ctx context.Context, t Task, pause <-chan struct{}) Outcome {
	w.mu.Lock()
	w.began[t.Source] = append(w.began[t.Source], time.Now())
	w.active[t.Source]++
	if w.active[t.Source] > 1 {
		w.t.Errorf("two runs of %s at once", t.Source)
	}
	n := 0
	for _, a := range w.active {
		n += a
	}
	w.most = max(w.most, n)
	left, err := w.takes[t.Source]-w.done[t.Source], w.fails[t.Source]
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.active[t.Source]--
	}()
	for ; left > 0; left -= time.Minute {
		select {
		case <-time.After(min(left, time.Minute)):
			w.checkpoint(t, time.Minute)
		case <-ctx.Done():
			return Outcome{Err: ctx.Err(), Stopped: true}
		}
		select {
		case <-pause:
			return Outcome{Stopped: true}
		default:
		}
	}
	w.checkpoint(t, -time.Hour*1e5)
	return Outcome{Err: err}
}

// checkpoint notes how far a sync got; less than nothing starts it from the beginning.
func (w *world) checkpoint(t Task, more time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Kind == core.JobSync {
		w.done[t.Source] = max(0, w.done[t.Source]+more)
	}
}

func (w *world) runner() *Runner {
	return New(Options{
		Ledger: w.ledger, Owner: "test", Plans: func(context.Context) ([]Plan, error) { return w.plans, nil },
		Work: w.work, Now: w.now, Chance: func() float64 { return 0.5 }, Look: w.look,
	})
}

// during runs the schedule while the test does something, and ends it.
func (w *world) during(do func()) {
	w.t.Helper()
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.runner().Run(w.t.Context(), stop)
	}()
	do()
	close(stop)
	<-ended
}

// longest is the longest time between two runs' beginnings, the ends counted.
func (w *world) longest(source string, from time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var gap time.Duration
	for _, b := range w.began[source] {
		gap, from = max(gap, b.Sub(from)), b
	}
	return max(gap, time.Since(from))
}

func every(source, connector string, d time.Duration) Plan {
	return Plan{Source: source, Connector: connector, Sync: d}
}

// Sources that would take for ever hold up nobody, and go on themselves.
func TestHugeSourcesStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every("a", "x", 15*time.Minute), every("b", "x", 15*time.Minute), every("c", "y", 15*time.Minute),
			every("huge-1", "wiki", time.Hour), every("huge-2", "wiki", time.Hour),
			every("endless-1", "z", time.Hour), every("endless-2", "z", time.Hour), every("endless-3", "z", time.Hour))
		for _, s := range []string{"huge-1", "huge-2", "endless-1", "endless-2", "endless-3"} {
			w.takes[s] = 1000 * time.Hour
		}
		from := time.Now()
		w.during(func() { time.Sleep(12 * time.Hour) })
		for _, s := range []string{"a", "b", "c"} {
			if gap := w.longest(s, from); gap > 15*time.Minute+2*Slice {
				t.Errorf("%s was not read for %s", s, gap)
			}
		}
		for _, s := range []string{"huge-1", "huge-2", "endless-1", "endless-2", "endless-3"} {
			if gap := w.longest(s, from); gap > 3*time.Hour {
				t.Errorf("%s had no slice for %s", s, gap)
			}
		}
		if w.most > 3 {
			t.Errorf("%d runs at once", w.most)
		}
	})
}

// A source that fails is tried again, less and less often, and the others go on.
func TestFailuresAreTriedLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every("good", "x", 15*time.Minute), every("down", "x", 5*time.Minute))
		w.fails["down"] = core.Errorf(core.KindUnavailable, "The wiki is down.")
		from := time.Now()
		w.during(func() { time.Sleep(12 * time.Hour) })
		if n := len(w.began["down"]); n < 12 || n > 20 {
			t.Errorf("tried %d times in 12 hours", n)
		}
		if gap := w.longest("good", from); gap > 16*time.Minute {
			t.Errorf("the good one was not read for %s", gap)
		}
		jobs, err := w.ledger.Jobs(t.Context())
		if err != nil || len(jobs) != 2 || !slices.ContainsFunc(jobs, func(j core.Job) bool { return j.Error == "The wiki is down." && j.Attempts >= 12 }) {
			t.Errorf("not told: %+v, %v", jobs, err)
		}
	})
}

// A wall clock that jumps makes one run early at most, and keeps none away.
func TestClockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"a year ahead": 365 * 24 * time.Hour, "a year back": -365 * 24 * time.Hour, "an hour ahead": time.Hour, "seven minutes back": -7 * time.Minute,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, every("a", "x", 15*time.Minute), every("b", "x", 15*time.Minute))
				w.takes["b"] = 2 * time.Minute
				from := time.Now()
				w.during(func() {
					time.Sleep(31 * time.Minute) // b is at work
					w.offset.Store(int64(jump))
					time.Sleep(2 * time.Hour)
				})
				for _, s := range []string{"a", "b"} {
					if gap := w.longest(s, from); gap > 23*time.Minute {
						t.Errorf("%s was not read for %s", s, gap)
					}
					if n := len(w.began[s]); n > 12 {
						t.Errorf("%s was read %d times", s, n)
					}
				}
			})
		})
	}
}

// What was cut short goes on at once in the next process.
func TestRestartGoesOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every("a", "x", 24*time.Hour))
		defer w.onDisk().Close()
		w.takes["a"] = time.Hour
		w.during(func() { time.Sleep(30 * time.Minute) })
		w.takes["a"] = 0
		w.during(func() { time.Sleep(time.Minute) })
		if n := len(w.began["a"]); n != 2 {
			t.Fatalf("%d runs", n)
		}
		w.during(func() { time.Sleep(time.Hour) })
		if n := len(w.began["a"]); n != 2 {
			t.Errorf("a run that ended well was repeated: %d runs", n)
		}
	})
}

// A panic ends its own run.
func TestPanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, every("a", "x", time.Hour))
		stop, ended := make(chan struct{}), make(chan struct{})
		o := w.runner().opts
		o.Work = func(context.Context, Task, <-chan struct{}) Outcome { panic("boom") }
		go func() { defer close(ended); New(o).Run(t.Context(), stop) }()
		time.Sleep(time.Second)
		close(stop)
		<-ended
		jobs, err := w.ledger.Jobs(t.Context())
		if err != nil || len(jobs) != 1 || jobs[0].ErrorKind != core.KindInternal || jobs[0].Attempts != 1 {
			t.Errorf("got %+v, %v", jobs, err)
		}
	})
}

// A week of schedules leaves nothing behind: no memory, no open files, no rows.
func TestWeekOfSchedules(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of jobs on a real ledger, which takes seconds; the decisions have their own tests")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t,
			Plan{Source: "wiki", Connector: "wiki", Sync: 6 * time.Hour, List: 24 * time.Hour, Access: 3 * time.Hour},
			Plan{Source: "drive", Connector: "drive", Sync: 12 * time.Hour, List: 24 * time.Hour, Access: 6 * time.Hour},
			every("files", "files", 4*time.Hour))
		defer w.onDisk().Close()
		w.takes["wiki"], w.takes["drive"], w.look = 20*time.Second, 15*time.Minute, 10*time.Minute
		used := func() (heap uint64, files int) {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, openFiles()
		}
		from := time.Now()
		w.during(func() {
			time.Sleep(24 * time.Hour)
			heap, files := used()
			time.Sleep(6 * 24 * time.Hour)
			laterHeap, laterFiles := used()
			if laterHeap > heap+2<<20 {
				t.Errorf("memory went from %d to %d bytes", heap, laterHeap)
			}
			if laterFiles != files {
				t.Errorf("open files went from %d to %d", files, laterFiles)
			}
		})
		jobs, err := w.ledger.Jobs(t.Context())
		if err != nil || len(jobs) != 7 {
			t.Errorf("%d jobs, %v", len(jobs), err)
		}
		for source, gap := range map[string]time.Duration{"wiki": 181 * time.Minute, "files": 241 * time.Minute, "drive": 361 * time.Minute} {
			if got := w.longest(source, from); got > gap {
				t.Errorf("%s was left alone for %s", source, got)
			}
		}
	})
}

// openFiles counts the process's open files where the system tells, else 0.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// A sync does what its source's other jobs would do next, and they wait as long.
func TestSyncsCoverOtherJobs(t *testing.T) {
	p := Plan{Source: "a", Connector: "x", Sync: time.Hour, List: 24 * time.Hour, Access: 15 * time.Minute}
	for _, tt := range []struct {
		name string
		out  Outcome
		want []core.JobKind // with a due time of their own
	}{
		{"a poll", Outcome{}, []core.JobKind{core.JobSync, core.JobAccess}},
		{"one that listed", Outcome{Listed: true}, []core.JobKind{core.JobSync, core.JobAccess, core.JobList}},
		{"one that failed", Outcome{Err: core.Errorf(core.KindBusy, "busy"), Listed: true}, []core.JobKind{core.JobSync}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{jobs: map[string]core.Job{}}
			if err := Settle(t.Context(), m, p, core.JobSync, "", noon, tt.out, noon, 0.5); err != nil {
				t.Fatal(err)
			}
			if len(m.jobs) != len(tt.want) {
				t.Errorf("jobs %+v", m.jobs)
			}
			for _, kind := range tt.want {
				if j := m.jobs[key("a", kind)]; tt.out.Err == nil && !j.Due.Equal(noon.Add(p.every(kind))) {
					t.Errorf("%s is due at %s", kind, j.Due)
				}
			}
		})
	}
}
