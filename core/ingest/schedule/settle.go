package schedule

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// end writes down how a run ended, also when everything ends.
func (r *Runner) end(ctx context.Context, a *active, started time.Time, out Outcome) {
	if ctx.Err() != nil {
		out.Stopped = true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := Settle(ctx, r.opts.Ledger, a.plan, a.task.Kind, r.opts.Owner, started, out, r.opts.Now(), r.opts.Chance()); err != nil {
		r.opts.Log.ErrorContext(ctx, "how a job ended was not written down", "source", a.task.Source, "job", a.task.Kind, "error", err)
	}
	if out.Err != nil && !out.Stopped {
		r.opts.Log.WarnContext(ctx, "a source could not be read", "source", a.task.Source, "job", a.task.Kind,
			"kind", core.KindOf(out.Err), "error", out.Err)
	}
}

// Settle writes down how a run ended that began at started, whoever ran it: what a
// command has just read need not be read again by the schedule.
func Settle(ctx context.Context, ledger Ledger, p Plan, kind core.JobKind, owner string, started time.Time, o Outcome, now time.Time, chance float64) error {
	jobs, err := ledger.Jobs(ctx)
	if err != nil {
		return err
	}
	find := func(kind core.JobKind) core.Job {
		for _, j := range jobs {
			if j.Source == p.Source && j.Kind == kind {
				return j
			}
		}
		return core.Job{Source: p.Source, Kind: kind}
	}
	j := find(kind)
	j.Started = started
	j = After(j, p.every(kind), o, now, chance)
	j.Owner = owner
	if err := ledger.EndJob(ctx, j); err != nil {
		return err
	}
	if kind != core.JobSync || o.Err != nil {
		return nil
	}
	for _, other := range []core.JobKind{core.JobAccess, core.JobList} {
		if p.every(other) <= 0 || other == core.JobList && !o.Listed {
			continue
		}
		covered := Covered(find(other), p.every(other), j, now)
		covered.Owner = owner
		if err := ledger.EndJob(ctx, covered); err != nil {
			return err
		}
	}
	return nil
}
