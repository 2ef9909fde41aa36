package cli

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
)

// shownRuns is how many runs of a source its page lists.
const shownRuns = 25

// Sources are all of them with how they stand.
func (d *adminData) Sources(ctx context.Context) ([]adminpages.SourceRow, error) {
	all, err := d.store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	states := d.states(ctx)
	var out []adminpages.SourceRow
	for _, s := range all {
		st, err := d.store.SourceStatus(ctx, s.Name)
		if core.KindOf(err) == core.KindNotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, d.sourceRow(st, states[s.Name]))
	}
	return out, nil
}

func (d *adminData) sourceRow(st store.Status, state plugins.SourceState) adminpages.SourceRow {
	s := st.Source
	row := adminpages.SourceRow{
		Name: s.Name, Connector: s.Connector, From: d.originOf(s), Documents: st.Documents, NotIndexed: st.NotIndexed,
		Failed: len(st.Failures), Held: st.Held, LastSync: lastSync(st.LastRun), Process: stateText(state),
		Running: st.LastRun != nil && st.LastRun.Finished.IsZero(), State: passed,
	}
	if s.Every > 0 {
		row.Every = shortDuration(s.Every)
	}
	_, mine := d.running(s.Name)
	row.Running = row.Running || mine
	switch {
	case state.State == plugins.StateParked, st.LastRun != nil && st.LastRun.ErrorKind != "", accessFailed(st):
		row.State = failed
	case d.hasLeft(s.Name), st.LastRun == nil, st.Held > 0, len(st.Failures) > 0, state.State == plugins.StateWaiting:
		row.State = warned
	}
	return row
}

// running is how far the sync got that reads the source now, whoever began it.
func (d *adminData) running(name string) (core.SyncProgress, bool) {
	for _, r := range d.syncer.Running() {
		if r.Source == name {
			return r.SyncProgress, true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return core.SyncProgress{}, d.syncing[name]
}

// Source is everything about one.
func (d *adminData) Source(ctx context.Context, name string) (adminpages.SourcePage, error) {
	st, err := d.status(ctx, name)
	if err != nil {
		return adminpages.SourcePage{}, err
	}
	state := d.states(ctx)[name]
	v := adminpages.SourcePage{
		SourceRow: d.sourceRow(st, state), Access: readersText(st.Source.Access), Show: discretionName(st.Source.Discretion),
		MaxAge: shortDuration(maxAge(st.Source)), Config: adminpages.Long(redacted(st.Source.Config)), Crashes: state.Crashes, Gone: d.hasLeft(name),
		Pushed: st.Source.Connector == pushConnector,
	}
	if state.Err != nil {
		v.Error = adminpages.Long(state.Err.Error())
	}
	for _, f := range st.Failures {
		v.Failures = append(v.Failures, adminpages.Failure{
			Document: f.ExternalID, Title: f.Title, Kind: string(f.Kind), Detail: adminpages.Long(f.Detail), Tries: f.Tries, Last: f.Last,
		})
	}
	runs, err := d.store.SyncRuns(ctx, name, shownRuns)
	if err != nil {
		return v, err
	}
	for _, r := range runs {
		v.Runs = append(v.Runs, shownSyncRun(r))
	}
	if p, ok := d.running(name); ok {
		now := shownSyncRun(core.SyncRun{Counts: p.SyncCounts})
		v.Progress = &now
	} else if len(v.Runs) > 0 && v.Runs[0].Running {
		v.Progress = &v.Runs[0]
	}
	return v, nil
}

func shownSyncRun(r core.SyncRun) adminpages.Run {
	v := adminpages.Run{
		Reason: string(r.Reason), Started: r.Started, Running: r.Finished.IsZero(), Seen: r.Counts.Seen, Changed: r.Counts.Changed,
		Written: r.Counts.Written, Removed: r.Counts.Removed, Held: r.Counts.Held, Failed: r.Counts.Failed, Acc: r.Counts.AccessChanged,
		Error: adminpages.Long(r.Error), Notes: append([]string{}, r.Notes...),
	}
	if !v.Running {
		v.Took = r.Finished.Sub(r.Started).Round(100 * time.Millisecond).String()
	}
	return v
}

// Sync starts to read a source, also one whose connector rests.
func (d *adminData) Sync(ctx context.Context, by, name string, how adminpages.SyncKind) error {
	st, err := d.status(ctx, name)
	if err != nil {
		return err
	}
	if st.Source.Connector == pushConnector {
		return notRead(name)
	}
	if !d.begin(name) {
		return core.Errorf(core.KindConflict, "The source %s is being read already.", name)
	}
	f := syncFlags{full: how == adminpages.SyncFull, acceptDeletes: how == adminpages.SyncAccept}
	if err := d.auditBy(ctx, by, map[string]string{"source": name, "sync": string(how)}); err != nil {
		d.finish(name)
		return err
	}
	d.work.Go(func() {
		defer d.finish(name)
		if err := d.readNow(d.ctx, st.Source, f); err != nil && d.ctx.Err() == nil {
			d.log.Warn("a source could not be read", "source", name, "kind", core.KindOf(err), "error", err)
		}
	})
	return nil
}

func (d *adminData) readNow(ctx context.Context, src core.Source, f syncFlags) error {
	if err := d.host.Unpark(ctx, src.Name); err != nil {
		return err
	}
	var last core.SyncProgress
	started := d.store.Now()
	_, err := d.syncOnce(ctx, src, f, func(p ingest.Progress) { last = p.SyncProgress })
	if core.KindOf(err) != core.KindConflict { // another one runs, which tells by itself
		d.noteSynced(ctx, src, core.JobSync, started, err, last)
	}
	return err
}

func (d *adminData) begin(name string) bool {
	if _, busy := d.running(name); busy || d.ctx.Err() != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.syncing[name] {
		return false
	}
	d.syncing[name] = true
	return true
}

func (d *adminData) finish(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.syncing, name)
}

// shortDuration is a length of time without the zeros behind it, such as 15m.
func shortDuration(t time.Duration) string {
	text := t.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if n := len(text) - len(zero); n > 0 && text[n:] == zero {
			text = text[:n+1]
		}
	}
	return text
}
