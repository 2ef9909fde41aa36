package cli

import (
	"context"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// filters tells what the filters in a question mean: sources by name, channels by
// what the connectors of their workspace store of them, people by the authors that
// documents state.
type filters struct{ app *app }

// mostAuthored bounds the documents of one person that a question is narrowed to;
// who wrote more is no filter.
const mostAuthored = 20_000

// KnownSource tells whether the audience can read anything in a source of the name.
func (f filters) KnownSource(ctx context.Context, name string, audience core.Audience) (bool, error) {
	if _, err := f.app.store.Source(ctx, name); err != nil {
		if core.KindOf(err) == core.KindNotFound {
			return false, nil
		}
		return false, err
	}
	return f.app.store.AnyReadable(ctx, audience.Filter(), core.Collection{Sources: []string{name}})
}

// ChannelRules are, for each source that reads the channels of the place's
// workspace, the folder with the channel's id and the metadata channel=ID.
func (f filters) ChannelRules(ctx context.Context, place core.Place, channel string, audience core.Audience) ([]core.Collection, error) {
	var out []core.Collection
	for _, source := range f.app.rights.sourcesOf(place.Platform, place.Team) {
		for _, rule := range []core.Collection{
			{Sources: []string{source}, Folders: []string{core.FolderID(source, channel)}},
			{Sources: []string{source}, Tags: []string{core.TagOf("channel", channel)}},
		} {
			some, err := f.app.store.AnyReadable(ctx, audience.Filter(), rule)
			if err != nil {
				return nil, err
			}
			if some {
				out = append(out, rule)
			}
		}
	}
	return out, nil
}

// Authored lists the documents of which one of the names is an author and that the
// audience may read.
func (f filters) Authored(ctx context.Context, names []string, audience core.Audience) ([]string, error) {
	ids, err := f.app.store.AuthoredBy(ctx, names, mostAuthored+1)
	if err != nil || len(ids) > mostAuthored {
		return nil, err
	}
	readable, err := access.ReadableNow(ctx, f.app.store, audience, ids)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, id := range ids {
		if readable[id] {
			out = append(out, id)
		}
	}
	return out, nil
}

// sourcesOf are the sources that read the channels of a team.
func (r *rights) sourcesOf(platform, team string) []string {
	var out []string
	for _, t := range r.listed(platform, team) {
		out = append(out, t.sources...)
	}
	return out
}
