package cli

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core/find"
)

// openPlanner makes the searches of models as the configuration wants them.
func (a *app) openPlanner() *find.Planner {
	o := find.PlannerOptions{
		Passages: a.finder, Sources: a.sourceNames, Holds: a.sourceHolds, Log: a.log,
		Planning: whenOf(a.cfg.Retrieval.Planning), Selection: whenOf(a.cfg.Retrieval.Selection),
	}
	a.limitPlans(&o)
	return find.NewPlanner(o)
}

// sourceHolds tells whether a search may find anything in a source. What a source
// finds in its own system is not known before it is asked.
func (a *app) sourceHolds(ctx context.Context, q find.Query, source string) (bool, error) {
	if q.Live && q.Viewer != nil && slices.Contains(a.sources.LiveSources(ctx), source) {
		return true, nil
	}
	return a.store.SourceHolds(ctx, q.Filter, source)
}

func whenOf(setting string) find.When {
	switch setting {
	case "off":
		return find.Off
	case "always":
		return find.Always
	}
	return find.Auto
}

// sourceNames is what questions may name as a place to look.
func (a *app) sourceNames(ctx context.Context) ([]find.SourceName, error) {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var out []find.SourceName
	for _, s := range sources {
		out = append(out, find.SourceName{Name: s.Name, Connector: s.Connector})
	}
	return out, nil
}
