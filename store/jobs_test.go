package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// leaseOf is one of the tests' leases.
const leaseOf = time.Minute

func TestLeases(t *testing.T) {
	s := handbook(t)
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	take := func(owner string, at time.Time) bool {
		t.Helper()
		got, err := s.TakeJob(t.Context(), "handbook", core.JobSync, owner, at, at.Add(leaseOf))
		check(t, err)
		return got
	}
	renew := func(owner string, at time.Time) bool {
		t.Helper()
		held, err := s.RenewJob(t.Context(), "handbook", core.JobSync, owner, at.Add(leaseOf), core.SyncProgress{Fetched: 7})
		check(t, err)
		return held
	}
	for i, step := range []struct {
		what      string
		got, want bool
	}{
		{"a free job", take("a", noon), true},
		{"one that another holds", take("b", noon.Add(leaseOf-1)), false},
		{"one's own", take("a", noon.Add(time.Second)), true},
		{"renewing what is held", renew("a", noon.Add(30*time.Second)), true},
		{"renewing what is not", renew("b", noon), false},
		{"a renewed one", take("b", noon.Add(61*time.Second)), false},
		{"a lapsed one", take("b", noon.Add(91*time.Second)), true},
		{"renewing what was lost", renew("a", noon.Add(92*time.Second)), false},
		{"a lease of a clock that was ahead", take("c", noon.Add(-time.Hour)), true},
	} {
		if step.got != step.want {
			t.Fatalf("%d, %s: got %v", i, step.what, step.got)
		}
	}
	if got, err := s.TakeJob(t.Context(), "nothing", core.JobSync, "a", noon, noon.Add(leaseOf)); got || err != nil {
		t.Fatalf("a job of a source that is not there: %v, %v", got, err)
	}
}

// What a run leaves behind is what the next look reads, and only its holder writes it.
func TestJobsAreKept(t *testing.T) {
	s := handbook(t)
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	_, err := s.TakeJob(t.Context(), "handbook", core.JobList, "a", noon, noon.Add(leaseOf))
	check(t, err)
	end := core.Job{
		Source: "handbook", Kind: core.JobList, Due: noon.Add(time.Hour), Started: noon, Ended: noon.Add(time.Second), Succeeded: noon,
		Attempts: 2, ErrorKind: core.KindBusy, Error: "Slow down.", Progress: core.SyncProgress{Fetched: 3, Checkpoint: noon},
	}
	stranger := end
	stranger.Owner, stranger.Attempts = "b", 9
	check(t, s.EndJob(t.Context(), stranger))
	mine := end
	mine.Owner = "a"
	check(t, s.EndJob(t.Context(), mine))
	got, err := s.Jobs(t.Context())
	check(t, err)
	diff(t, []core.Job{end}, got)
	st, err := s.SourceStatus(t.Context(), "handbook")
	check(t, err)
	diff(t, []core.Job{end}, st.Jobs)

	src := handbookSource(core.Workspace)
	src.Config = []byte(`{"dir":"elsewhere"}`)
	check(t, s.PutSource(t.Context(), src))
	got, err = s.Jobs(t.Context())
	check(t, err)
	if !got[0].Due.IsZero() || got[0].Attempts != 0 {
		t.Errorf("new settings still wait for the old ones' pause: %+v", got[0])
	}
	check(t, s.RemoveSource(t.Context(), "handbook"))
	check(t, s.EndJob(t.Context(), mine)) // a run that outlives its source writes nothing
	if got, err = s.Jobs(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("jobs outlived their source: %+v, %v", got, err)
	}
}

// A crash leaves a lease behind; whoever opens the ledger next goes on at once.
func TestACrashFreesItsJobs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.PutSource(t.Context(), handbookSource()))
	now := time.Now()
	_, err := s.TakeJob(t.Context(), "handbook", core.JobSync, "dead", now, now.Add(time.Hour))
	check(t, err)
	again := open(t, dir)
	got, err := again.Jobs(t.Context())
	check(t, err)
	if got[0].Owner != "" || !got[0].Due.IsZero() || got[0].Ended.IsZero() || got[0].ErrorKind != core.KindCancelled {
		t.Errorf("after a crash: %+v", got[0])
	}
}

// Cadences are part of a source, and a change of one is written.
func TestCadencesAreKept(t *testing.T) {
	s := handbook(t)
	src := handbookSource(core.Workspace)
	src.ListEvery, src.AccessEvery, src.FreshWithin = time.Hour, 5*time.Minute, 30*time.Minute
	check(t, s.PutSource(t.Context(), src))
	got, err := s.Source(t.Context(), "handbook")
	check(t, err)
	diff(t, src, got)
}
