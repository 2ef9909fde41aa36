package schedule

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestDueAt(t *testing.T) {
	failed := func(in time.Duration) core.Job {
		return core.Job{Due: noon.Add(in), Attempts: 3, ErrorKind: core.KindUnavailable}
	}
	for _, tt := range []struct {
		name  string
		job   core.Job
		every time.Duration
		want  time.Duration // from noon
	}{
		{"later", core.Job{Due: noon.Add(time.Minute)}, time.Hour, time.Minute},
		{"overdue", core.Job{Due: noon.Add(-time.Hour)}, time.Hour, -time.Hour},
		{"the clock was set back a year", core.Job{Due: noon.AddDate(1, 0, 0)}, time.Hour, 0},
		{"the interval was shortened", core.Job{Due: noon.Add(24 * time.Hour)}, time.Hour, 0},
		{"a pause longer than the interval", failed(50 * time.Minute), 5 * time.Minute, 50 * time.Minute},
		{"no pause is that long", failed(2 * time.Hour), 5 * time.Minute, 0},
		{"an interval below the shortest", core.Job{Due: noon.Add(30 * time.Second)}, time.Second, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := DueAt(tt.job, tt.every, noon).Sub(noon); got != tt.want {
				t.Errorf("due after %s, want %s", got, tt.want)
			}
		})
	}
	if !DueAt(core.Job{}, time.Hour, noon).IsZero() {
		t.Error("a job that never ran has to wait")
	}
}

func TestPause(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 3: 4 * time.Minute, 6: 32 * time.Minute, 7: time.Hour, 5000: time.Hour,
	} {
		if got := Pause(failures, 0.5); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
	if low, high := Pause(2, 0), Pause(2, 1); low != 96*time.Second || high != 144*time.Second {
		t.Errorf("by chance between %s and %s", low, high)
	}
}

func TestAfter(t *testing.T) {
	const hour = time.Hour
	broken := core.Errorf(core.KindUnavailable, "down")
	began := noon.Add(-10 * time.Minute)
	for _, tt := range []struct {
		name     string
		before   core.Job
		every    time.Duration
		out      Outcome
		due      time.Duration // from noon
		attempts int
		well     bool
	}{
		{"well", core.Job{Started: began, Attempts: 4}, hour, Outcome{}, 50 * time.Minute, 0, true},
		{"took longer than the interval", core.Job{Started: noon.Add(-2 * hour)}, hour, Outcome{}, time.Minute, 0, true},
		{"the clock was set back meanwhile", core.Job{Started: noon.Add(5 * hour)}, hour, Outcome{}, time.Minute, 0, true},
		{"failed", core.Job{Started: began}, hour, Outcome{Err: broken}, time.Minute, 1, false},
		{"failed again", core.Job{Started: began, Attempts: 3}, hour, Outcome{Err: broken}, 8 * time.Minute, 4, false},
		{"failed for a day", core.Job{Started: began, Attempts: 30}, hour, Outcome{Err: broken}, hour, 31, false},
		{"stopped", core.Job{Started: began, Attempts: 2}, hour, Outcome{Err: broken, Stopped: true}, 0, 2, false},
		{"rests", core.Job{Started: began, Attempts: 1}, hour, Outcome{Err: broken, Resting: true, Until: noon.Add(5 * time.Minute)}, 5 * time.Minute, 1, false},
		{"rests long", core.Job{Started: began}, hour, Outcome{Err: broken, Resting: true, Until: noon.Add(9 * hour)}, hour, 0, false},
		{"is parked", core.Job{Started: began}, hour, Outcome{Err: broken, Resting: true}, hour, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := After(tt.before, tt.every, tt.out, noon, 0.5)
			if got := j.Due.Sub(noon); got != tt.due || j.Attempts != tt.attempts || !j.Ended.Equal(noon) {
				t.Errorf("due after %s, %d attempts; want %s, %d (%+v)", got, j.Attempts, tt.due, tt.attempts, j)
			}
			if j.Succeeded.IsZero() == tt.well || (j.Error == "") != (tt.out.Err == nil) {
				t.Errorf("succeeded %s, error %q", j.Succeeded, j.Error)
			}
			if due := DueAt(j, tt.every, noon); !due.Equal(j.Due) {
				t.Errorf("the next look takes %s for implausible", j.Due.Sub(noon))
			}
		})
	}
}

func TestTasks(t *testing.T) {
	all := Plan{Source: "s", Connector: "c", Sync: time.Hour, List: 24 * time.Hour, Access: 15 * time.Minute}
	done := func(kind core.JobKind, due time.Duration) core.Job {
		return core.Job{Source: "s", Kind: kind, Due: noon.Add(due), Started: noon.Add(-time.Minute), Succeeded: noon.Add(-time.Minute)}
	}
	mine := func(j core.Job) core.Job {
		j.Owner, j.LeaseUntil = "me", noon.Add(LeaseFor)
		return j
	}
	other := func(until time.Duration) core.Job {
		return core.Job{Source: "s", Kind: core.JobSync, Owner: "other", LeaseUntil: noon.Add(until)}
	}
	for _, tt := range []struct {
		name string
		plan Plan
		jobs []core.Job
		want []core.JobKind
	}{
		{"a new source is read first", all, nil, []core.JobKind{core.JobSync}},
		{"a due sync stands for the rest", all, []core.Job{done(core.JobSync, 0)}, []core.JobKind{core.JobSync}},
		{"between syncs", all, []core.Job{done(core.JobSync, time.Minute)}, []core.JobKind{core.JobSync, core.JobAccess, core.JobList}},
		{"access falls due while a sync runs", all, []core.Job{mine(done(core.JobSync, -time.Hour))}, []core.JobKind{core.JobSync, core.JobAccess, core.JobList}},
		{"nothing is listed before the first sync is through", all, []core.Job{{Source: "s", Kind: core.JobSync, Due: noon.Add(time.Minute), Started: noon}}, []core.JobKind{core.JobSync, core.JobAccess}},
		{"access alone", Plan{Source: "s", Access: time.Hour}, nil, []core.JobKind{core.JobAccess}},
		{"nothing by itself", Plan{Source: "s"}, nil, nil},
		{"another process runs it", all, []core.Job{other(time.Minute)}, nil},
		{"another process died", all, []core.Job{other(0)}, []core.JobKind{core.JobSync}},
		{"another process's clock was ahead", all, []core.Job{other(time.Hour)}, []core.JobKind{core.JobSync}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []core.JobKind
			for _, task := range Tasks([]Plan{tt.plan}, tt.jobs, "me", noon) {
				got = append(got, task.Kind)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Whoever was never read to the end takes long for all that anybody knows.
func TestFirstSyncsAreHeavy(t *testing.T) {
	plan := Plan{Source: "s", Connector: "wiki", Sync: time.Hour, List: time.Hour, Access: time.Hour}
	begun := core.Job{Source: "s", Kind: core.JobSync, Due: noon.Add(time.Minute), Started: noon}
	failed, ended := begun, begun
	failed.Attempts, failed.ErrorKind = 3, core.KindUnavailable
	ended.Succeeded = noon
	for _, tt := range []struct {
		name string
		jobs []core.Job
		want map[core.JobKind]bool
	}{
		{"never", nil, map[core.JobKind]bool{core.JobSync: true}},
		{"begun", []core.Job{begun}, map[core.JobKind]bool{core.JobSync: true, core.JobAccess: false}},
		{"failed", []core.Job{failed}, map[core.JobKind]bool{core.JobSync: true, core.JobAccess: false}},
		{"ended well", []core.Job{ended}, map[core.JobKind]bool{core.JobSync: false, core.JobAccess: false, core.JobList: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[core.JobKind]bool{}
			for _, task := range Tasks([]Plan{plan}, tt.jobs, "me", noon) {
				got[task.Kind] = task.Heavy
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
