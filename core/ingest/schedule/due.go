package schedule

import (
	"math"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// How long to wait after failures.
const (
	firstPause   = time.Minute
	longestPause = time.Hour
)

// Pause is how long to wait after so many failures in a row: doubled with each, up
// to an hour, and up to a fifth longer or shorter by chance, from 0 to 1, so that
// what failed together is not tried again together.
func Pause(failures int, chance float64) time.Duration {
	doubled := float64(firstPause) * math.Pow(2, float64(max(failures, 1)-1))
	return time.Duration(min(doubled, float64(longestPause)) * (0.8 + 0.4*chance))
}

// DueAt is when the job is to run: at once where it never ran, and where it waits
// longer than any wait that is ever given, which comes of a clock that was set back
// or of an interval that was shortened.
func DueAt(j core.Job, every time.Duration, now time.Time) time.Time {
	longest := max(every, Shortest)
	if j.Attempts > 0 || j.ErrorKind != "" {
		longest = max(longest, longestPause*6/5)
	}
	if j.Due.After(now.Add(longest)) {
		return now
	}
	return j.Due
}

// leased tells whether somebody other than this process runs the job.
func leased(j core.Job, owner string, now time.Time) bool {
	return j.Owner != "" && j.Owner != owner && j.LeaseUntil.After(now) && !j.LeaseUntil.After(now.Add(LeaseFor))
}

// Tasks are what the plans ask for, with the times at which it is due. A source of
// which a sync is due has no other task: a sync begins with who may read what, and
// before the first one there is nothing to list. Until a sync has ended well each one
// may read everything, and is heavy. While a sync of the owner runs, who
// may read what falls due as ever.
func Tasks(plans []Plan, jobs []core.Job, owner string, now time.Time) []Task {
	type key struct {
		source string
		kind   core.JobKind
	}
	known := map[key]core.Job{}
	for _, j := range jobs {
		known[key{j.Source, j.Kind}] = j
	}
	var out []Task
	for _, p := range plans {
		taken := false
		for _, kind := range []core.JobKind{core.JobSync, core.JobList, core.JobAccess} {
			taken = taken || leased(known[key{p.Source, kind}], owner, now)
		}
		if taken {
			continue
		}
		synced := known[key{p.Source, core.JobSync}]
		task := func(kind core.JobKind) Task {
			return Task{
				Source: p.Source, Connector: p.Connector, Kind: kind, Due: DueAt(known[key{p.Source, kind}], p.every(kind), now),
				Heavy: kind == core.JobList || kind == core.JobSync && synced.Succeeded.IsZero(),
			}
		}
		if p.Sync > 0 {
			t := task(core.JobSync)
			out = append(out, t)
			if running := owner != "" && synced.Owner == owner; !running && !t.Due.After(now) {
				continue
			}
		}
		if p.Access > 0 {
			out = append(out, task(core.JobAccess))
		}
		if p.List > 0 && (p.Sync == 0 || !synced.Succeeded.IsZero()) {
			out = append(out, task(core.JobList))
		}
	}
	return out
}

// Outcome is how a run ended.
type Outcome struct {
	Err     error
	Stopped bool // it was asked to stop, and goes on where it stopped
	// Resting is set where the connector was not asked at all, because it rests
	// until then after failures; a zero Until stands for "until somebody says so".
	Resting  bool
	Until    time.Time
	Listed   bool // a sync also found out what is gone
	Progress core.SyncProgress
}

// After is the job as a run leaves it. Chance is from 0 to 1.
func After(j core.Job, every time.Duration, o Outcome, now time.Time, chance float64) core.Job {
	every = max(every, Shortest)
	j.Ended, j.Progress = now, o.Progress
	j.ErrorKind, j.Error = core.KindOf(o.Err), ""
	if o.Err != nil {
		j.Error = o.Err.Error()
	}
	switch {
	case o.Stopped:
		j.Due = now // behind all that is due longer
	case o.Resting:
		j.Due = now.Add(longestPause)
		if o.Until.After(now) && o.Until.Before(j.Due) {
			j.Due = o.Until
		}
	case o.Err != nil:
		j.Attempts++
		j.Due = now.Add(Pause(j.Attempts, chance))
	default:
		j.Attempts, j.Succeeded = 0, j.Started
		j.Due = next(j.Started, every, now)
	}
	return j
}

// next keeps the beginnings of runs an interval apart, whatever the clock did
// meanwhile.
func next(started time.Time, every time.Duration, now time.Time) time.Time {
	if started.After(now) || now.Sub(started) >= every {
		return now.Add(min(every, Shortest))
	}
	return started.Add(every)
}

// Covered is another job of a source after a sync of it ended well that did the same.
func Covered(j core.Job, every time.Duration, synced core.Job, now time.Time) core.Job {
	j.Started, j.Ended, j.Succeeded = synced.Started, now, synced.Started
	j.Attempts, j.ErrorKind, j.Error, j.Progress = 0, "", "", core.SyncProgress{}
	j.Due = next(synced.Started, max(every, Shortest), now)
	return j
}
