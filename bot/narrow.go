package bot

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Filters tells what the filters in a question mean. What the audience can read
// nothing of does not exist for them: its name may be a secret.
type Filters interface {
	// KnownSource tells whether there is a source of the name.
	KnownSource(ctx context.Context, name string, audience core.Audience) (bool, error)
	// ChannelRules are what belongs to a channel of the place's platform and team;
	// none if nothing does.
	ChannelRules(ctx context.Context, place core.Place, channel string, audience core.Audience) ([]core.Collection, error)
	// Authored lists the documents of a person, by id, who is known under any of the
	// names.
	Authored(ctx context.Context, names []string, audience core.Audience) ([]string, error)
}

// narrow finds what the question itself asks to be searched. What names nothing
// that is there stays part of the question and narrows nothing.
func (f *Front) narrow(ctx context.Context, in Incoming, place core.Place, audience core.Audience) (core.Narrow, error) {
	var n core.Narrow
	if f.opts.Filters == nil {
		return n, nil
	}
	var kept []Term
	for _, t := range ParseFilters(in.Text, in.References, f.opts.Now(), in.Zone) {
		ok, err := f.take(ctx, &n, t, place, audience)
		if err != nil {
			return core.Narrow{}, err
		}
		if !ok {
			continue
		}
		kept = append(kept, t)
		if !slices.Contains(n.Said, t.Text) {
			n.Said = append(n.Said, t.Text)
		}
	}
	if len(kept) > 0 {
		n.Text = Without(in.Text, kept)
	}
	return n, nil
}

// take adds a term to what narrows, and tells whether it means something here.
// Terms of one kind widen each other, but for times.
func (f *Front) take(ctx context.Context, n *core.Narrow, t Term, place core.Place, audience core.Audience) (bool, error) {
	switch t.Kind {
	case TermSource:
		known, err := f.opts.Filters.KnownSource(ctx, t.Name, audience)
		if known && err == nil {
			n.Sources = append(n.Sources, t.Name)
		}
		return known, err
	case TermChannel:
		rules, err := f.opts.Filters.ChannelRules(ctx, place, t.Ref.ID, audience)
		n.Channels = append(n.Channels, rules...)
		return len(rules) > 0, err
	case TermPerson:
		ids, err := f.opts.Filters.Authored(ctx, distinct([]string{t.Ref.Name, t.Ref.Also}), audience)
		n.Documents = append(n.Documents, ids...)
		return len(ids) > 0, err
	}
	n.Updated = n.Updated.Within(t.Range)
	return true, nil
}
