package cli

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/core/ingest/schedule"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// Cadences of sources that have a schedule and do not say otherwise.
const (
	listEvery   = 24 * time.Hour
	accessEvery = 15 * time.Minute
)

// settlePatience is how long a command that is over waits for its place in the schedule.
const settlePatience = 5 * time.Second

// planOf is how often what is done with a source, given what its connector can do.
// A source without a schedule has what its owner asked for and no more.
func planOf(src core.Source, can []string) schedule.Plan {
	p := schedule.Plan{Source: src.Name, Connector: src.Connector, Sync: src.Every}
	if src.Connector == pushConnector {
		p.Sync = 0 // it is filled, not read
	}
	if slices.Contains(can, wire.FeatureList) {
		p.List = src.ListEvery
		if p.List == 0 && src.Every > 0 && !listsCheaply(src.Connector) {
			p.List = listEvery
		}
	}
	if slices.Contains(can, wire.FeatureGrants) {
		p.Access = src.AccessEvery
		if p.Access == 0 && src.Every > 0 {
			p.Access = accessEvery
		}
	}
	return p
}

// listsCheaply tells whether a connector lists what there is with every look, as it
// costs next to nothing.
func listsCheaply(connector string) bool { return connector == "files" }

// freshWithin is how old what is known of a source may become; 0 where nobody said.
func freshWithin(src core.Source) time.Duration {
	if src.FreshWithin > 0 {
		return src.FreshWithin
	}
	return 2 * src.Every
}

// plans are those of all sources that the configuration still lists.
func (a *app) plans(ctx context.Context) ([]schedule.Plan, error) {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var out []schedule.Plan
	for _, s := range sources {
		if !a.hasLeft(s.Name) {
			out = append(out, a.plan(ctx, s))
		}
	}
	return out, nil
}

func (a *app) plan(ctx context.Context, src core.Source) schedule.Plan {
	about, _ := a.sources.remembered(ctx, src)
	return planOf(src, about.Can)
}

// newSchedule makes the runner of all schedules.
func (a *app) newSchedule() *schedule.Runner {
	return schedule.New(schedule.Options{
		Ledger: a.store, Owner: newID(), Plans: a.plans, Work: a.runTask, Progress: a.progressOf,
		Workers: a.cfg.Serve.Syncs, Now: a.store.Now, Log: a.log,
	})
}

// progressOf is how far the source's run got.
func (a *app) progressOf(source string) core.SyncProgress {
	for _, r := range a.syncer.Running() {
		if r.Source == source {
			return r.SyncProgress
		}
	}
	return core.SyncProgress{}
}

// runTask does what the schedule asks for.
func (a *app) runTask(ctx context.Context, t schedule.Task, pause <-chan struct{}) schedule.Outcome {
	src, err := a.store.Source(ctx, t.Source)
	if err != nil {
		return schedule.Outcome{Err: err}
	}
	var last core.SyncProgress
	f := syncFlags{access: t.Kind == core.JobAccess, list: t.Kind == core.JobList, noList: a.plan(ctx, src).List > 0, pause: pause}
	_, err = a.syncOnce(ctx, src, f, func(p ingest.Progress) { last = p.SyncProgress })
	return outcomeOf(err, last)
}

func outcomeOf(err error, p core.SyncProgress) schedule.Outcome {
	out := schedule.Outcome{Err: err, Stopped: ingest.Paused(err), Progress: p}
	out.Until, out.Resting = plugins.Resting(err)
	return out
}

// noteSynced tells the schedule what a command has just done, so that it is not done
// again at once.
func (a *app) noteSynced(ctx context.Context, src core.Source, kind core.JobKind, started time.Time, err error, p core.SyncProgress) {
	out := outcomeOf(err, p)
	out.Stopped, out.Listed = out.Stopped || ctx.Err() != nil, true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.within(settlePatience))
	defer cancel()
	if err := schedule.Settle(ctx, a.store, a.plan(ctx, src), kind, "", started, out, a.store.Now(), rand.Float64()); err != nil {
		a.log.WarnContext(ctx, "the schedule was not told of a sync", "source", src.Name, "error", err)
	}
}
