package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/core/ingest/schedule"
	"github.com/footnote-bot/footnote/store"
)

// scheduleView is what runs of a source and what comes next, as --json prints it.
type scheduleView struct {
	Running    *runningView `json:"running,omitempty"`
	Checkpoint *time.Time   `json:"checkpoint,omitempty"` // when it was last noted how far reading got
	ReadAt     *time.Time   `json:"read_at,omitempty"`    // when the newest reading that got through began
	Target     string       `json:"fresh_within,omitempty"`
	Behind     bool         `json:"behind"` // what is known is older than that
	Parked     int          `json:"parked"` // documents that are not tried again by themselves
	Jobs       []jobView    `json:"jobs"`
}

// runningView is a run in progress. All its numbers were counted.
type runningView struct {
	Reason  core.SyncReason `json:"reason"`
	Started time.Time       `json:"started"`
	core.SyncProgress
}

// jobView is one cadence of a source.
type jobView struct {
	Kind     core.JobKind `json:"kind"`
	Every    string       `json:"every"`
	Next     *time.Time   `json:"next,omitempty"` // left out where it is at once
	Failures int          `json:"failures"`       // in a row
	Error    string       `json:"error,omitempty"`
}

// scheduleOf joins what the ledger keeps of a source with what runs now.
func (a *app) scheduleOf(ctx context.Context, st store.Status) scheduleView {
	plan := a.plan(ctx, st.Source)
	if a.hasLeft(st.Source.Name) {
		// Nothing is done with it by itself, and nobody waits for it to be fresh.
		plan, st.Source.Every, st.Source.FreshWithin = schedule.Plan{}, 0, 0
	}
	v := scheduleAt(st, plan, a.store.Now())
	for _, r := range a.syncer.Running() {
		if r.Source == st.Source.Name {
			v.Running = &runningView{r.Reason, r.Started, r.SyncProgress}
		}
	}
	return v
}

// scheduleAt is the part of it that depends on nothing that runs.
func scheduleAt(st store.Status, p schedule.Plan, now time.Time) scheduleView {
	v := scheduleView{Checkpoint: momentOf(st.Checkpoint), Jobs: []jobView{}}
	for _, f := range st.Failures {
		if f.Parked {
			v.Parked++
		}
	}
	jobs := map[core.JobKind]core.Job{}
	for _, j := range st.Jobs {
		jobs[j.Kind] = j
	}
	for _, one := range []struct {
		kind  core.JobKind
		every time.Duration
	}{{core.JobSync, p.Sync}, {core.JobList, p.List}, {core.JobAccess, p.Access}} {
		if one.every <= 0 {
			continue
		}
		j := jobs[one.kind]
		view := jobView{Kind: one.kind, Every: shortTime(one.every), Failures: j.Attempts, Error: j.Error}
		if due := schedule.DueAt(j, one.every, now); due.After(now) {
			view.Next = &due
		}
		v.Jobs = append(v.Jobs, view)
	}
	read := jobs[core.JobSync].Succeeded
	if r := st.LastRun; r != nil && r.ErrorKind == "" && !r.Finished.IsZero() && r.Started.After(read) {
		read = r.Started
	}
	v.ReadAt = momentOf(read)
	if within := freshWithin(st.Source); within > 0 {
		v.Target, v.Behind = shortTime(within), now.Sub(read) > within
	}
	return v
}

func momentOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// shortTime is 15m where Duration.String says 15m0s.
func shortTime(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// next says in a few words what comes next.
func (v scheduleView) next(now time.Time) string {
	if v.Running != nil {
		return "reads now"
	}
	text := "-"
	for i, j := range v.Jobs {
		if j.Kind != core.JobSync {
			continue
		}
		if text = "due"; v.Jobs[i].Next != nil {
			text = "in " + spoken(j.Next.Sub(now))
		}
	}
	if v.Behind {
		text += ", behind"
	}
	return text
}

// rows say it for people.
func (v scheduleView) rows(now time.Time) [][2]string {
	var out [][2]string
	if v.Running != nil {
		out = append(out, [2]string{"running now", v.Running.text(now)})
	}
	for _, j := range v.Jobs {
		text := "at the next look"
		if j.Next != nil {
			text = "in " + spoken(j.Next.Sub(now))
		}
		text += ", every " + j.Every
		if j.Failures > 0 {
			text += fmt.Sprintf("; failed %s in a row", counted(j.Failures, "time"))
		}
		out = append(out, [2]string{map[core.JobKind]string{
			core.JobSync: "is read", core.JobList: "is listed", core.JobAccess: "is asked who may read what",
		}[j.Kind], text})
	}
	if v.Target != "" {
		out = append(out, [2]string{"freshness", v.freshness(now)})
	}
	if v.Checkpoint != nil {
		out = append(out, [2]string{"last checkpoint", ago(*v.Checkpoint)})
	}
	if v.Parked > 0 {
		out = append(out, [2]string{"documents that are not tried again", fmt.Sprintf("%d; try them with: footnote sync SOURCE --retry", v.Parked)})
	}
	return out
}

func (v scheduleView) freshness(now time.Time) string {
	switch {
	case v.ReadAt == nil:
		return "not read yet; the target is " + v.Target
	case v.Behind:
		return fmt.Sprintf("behind: read %s ago, the target is %s", spoken(now.Sub(*v.ReadAt)), v.Target)
	}
	return fmt.Sprintf("read %s ago, the target is %s", spoken(now.Sub(*v.ReadAt)), v.Target)
}

// text says how far a run got. There is no word on how much is left: no connector
// tells how much there is.
func (r runningView) text(now time.Time) string {
	text := fmt.Sprintf("%s since %s: %d fetched, %d indexed, %d unchanged, %d failed, %d pending",
		r.Reason, spoken(now.Sub(r.Started)), r.Fetched, r.Written, r.Unchanged, r.Failed, r.Pending)
	if !r.Checkpoint.IsZero() {
		text += fmt.Sprintf("; last checkpoint %s ago", spoken(now.Sub(r.Checkpoint)))
	}
	return text
}

// spoken is a time in its largest units.
func spoken(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// runningOf finds the run of a source.
func runningOf(all []ingest.Running, source string) (ingest.Running, bool) {
	for _, r := range all {
		if r.Source == source {
			return r, true
		}
	}
	return ingest.Running{}, false
}
