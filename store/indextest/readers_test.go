package indextest_test

import (
	"context"
	"errors"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
)

// filter asks the policy who reads. Asker's principals and grants are those of
// the viewer and the place. What every reader holds by being there is the
// place's own content, except in a group of people, where it is what each holds.
//
// The rows state what all readers of a shared place hold and which grants count,
// the policy also which of it a kind of place may use. Where that is less the
// row's own statement is added, since rows are about filters: own content in a
// channel with outsiders and in a private thread, grants in a group.
func (a rowAudience) filter(in core.Filter) core.Filter {
	kind, held := core.PlaceKind(a.Kind), principals(a.Channel)
	place := core.Place{Kind: kind, External: true, Own: held, Parent: core.PlaceHidden}
	for _, c := range in.Granted {
		place.Granted = append(place.Granted, core.Grantee{Collection: c, Outsiders: true})
	}
	if kind == core.PlaceGroup {
		place.Members = [][]core.Principal{held}
	}
	out := access.Audience(place, core.Viewer{Principals: principals(a.Asker), Bypass: in.Bypass}).Filter()
	switch kind {
	case core.PlaceConnect, core.PlacePrivateThread:
		out.Principals = core.NewAccess(append(held, out.Principals...)...)
	case core.PlaceGroup:
		out.Granted = in.Granted
	}
	return out
}

// viewer is the only reader of the row's answer, nil where there are others.
func (r row) viewer() *core.Viewer {
	if a := r.Filter.Audience; a != nil && !access.AskerOnlyClass(string(a.Kind)) {
		return nil
	}
	v := &core.Viewer{Email: "reader@example.com"}
	if r.Filter.Censor != nil && r.Filter.Censor.Anonymous {
		v.Email = ""
	}
	return v
}

// CensorOf makes the row's censor that of its sources.
func (c *rowCensor) CensorOf(source string) (core.Censor, bool) {
	return sourceCensor{c, source}, slices.Contains(c.Sources, source)
}

type sourceCensor struct {
	*rowCensor
	source string
}

// Censor shows the visible ones of the source.
func (c sourceCensor) Censor(_ context.Context, _ core.Viewer, passages []core.Result) ([]core.Verdict, error) {
	if slices.Contains(c.Failed, c.source) {
		return nil, errors.New("the source does not answer")
	}
	out := make([]core.Verdict, len(passages))
	for i, p := range passages {
		out[i].Keep = p.Document.Source == c.source && slices.Contains(c.Visible, p.Document.ID)
	}
	return out, nil
}

// gate lets out the row's documents by the definition of its filter.
type gate []core.IndexedDocument

func (g gate) Visible(_ context.Context, f core.Filter, ids []core.PassageID) (out []core.Result, _ error) {
	for _, id := range ids {
		if d := g[id-1]; f.Allows(d.Facts) {
			out = append(out, core.Result{Document: core.Document{ID: d.Facts.Document, Source: d.Facts.Source}, Passage: d.Passages[0]})
		}
	}
	return out, nil
}

func (g gate) Around(context.Context, core.Filter, []core.Window) ([][]core.Result, error) {
	return nil, errors.New("no row looks around")
}

var _ find.Gate = gate{}
