package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func (a *app) chosen(ctx context.Context, names []string) ([]core.Source, error) {
	if len(names) == 1 {
		st, err := a.status(ctx, names[0])
		if err == nil && st.Source.Connector == pushConnector {
			err = notRead(names[0])
		}
		return []core.Source{st.Source}, err
	}
	sources, err := a.store.Sources(ctx)
	sources = slices.DeleteFunc(sources, func(s core.Source) bool { return a.hasLeft(s.Name) || s.Connector == pushConnector })
	if err == nil && len(sources) == 0 {
		err = core.Errorf(core.KindNotFound, "there is no source yet; add one with: footnote source add files FOLDER")
	}
	return sources, err
}

// failing are the sources that have documents which could not be read.
func (inv *invocation) failing(ctx context.Context, a *app, sources []core.Source) ([]core.Source, error) {
	var out []core.Source
	for _, s := range sources {
		st, err := a.store.SourceStatus(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		if len(st.Failures) > 0 {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		fmt.Fprintln(inv.streams.Err, "there is nothing to try again: every document could be read")
	}
	return out, nil
}

// granting are the sources that tell who may read what by itself. One of which that
// cannot be found out stays, so that its error is seen.
func (a *app) granting(ctx context.Context, sources []core.Source) []core.Source {
	return slices.DeleteFunc(sources, func(s core.Source) bool {
		can, err := a.sources.can(ctx, s, wire.FeatureGrants)
		return err == nil && !can
	})
}
