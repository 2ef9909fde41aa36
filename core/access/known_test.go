package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// shelf is documents by id with their access.
type shelf struct {
	access map[string]core.Access
	fails  error
}

func (s shelf) Readable(_ context.Context, f core.Filter, ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range ids {
		a, ok := s.access[id]
		out[id] = ok && f.Allows(core.Facts{Document: id, Access: a})
	}
	return out, s.fails
}

func TestKnown(t *testing.T) {
	ann := Person("ann@example.com", true, nil)
	place := core.Place{Kind: core.PlacePublic, Home: true, Within: []core.Collection{}}
	books := shelf{access: map[string]core.Access{
		"open": {core.Public}, "team": {core.Workspace}, "hr": {core.Group("hr", "all")},
	}}
	scope := []core.Principal{core.Public, core.Workspace}
	cites := func(ids ...string) core.Answer {
		var a core.Answer
		for _, id := range ids {
			a.Citations = append(a.Citations, core.Citation{DocumentID: id})
		}
		return a
	}
	turns := []core.Turn{
		{ID: "none"},
		{ID: "used", Used: []string{"open", "team"}},
		{ID: "closed", Used: []string{"open", "hr"}, Answer: cites("open")},
		{ID: "gone", Used: []string{"nowhere"}},
		{ID: "cites", Answer: cites("team", "team")},
		{ID: "cites closed", Answer: cites("team", "hr")},
		{ID: "cites unnamed", Answer: cites("team", "")},
		{ID: "unnamed but noted", Used: []string{"team"}, Answer: cites("")},
		{ID: "narrower", Class: string(core.PlaceDirect), Asker: "ann@example.com"},
	}
	for i := range turns {
		turns[i].Scope = scope
		if turns[i].Class == "" {
			turns[i].Class = string(core.PlacePublic)
		}
	}
	for _, row := range []struct {
		name   string
		reader Reader
		want   string
	}{
		{"with documents", books, "none,used,cites,unnamed but noted"},
		{"without", nil, "none,used,closed,gone,cites,cites closed,cites unnamed,unnamed but noted"},
	} {
		got, err := Known(t.Context(), row.reader, Audience(place, ann), ann, slices.Clone(turns))
		var ids []string
		for _, turn := range got {
			ids = append(ids, turn.ID)
		}
		if err != nil || strings.Join(ids, ",") != row.want {
			t.Errorf("%s: %v, %v", row.name, ids, err)
		}
	}
	broken := shelf{fails: errors.New("no ledger")}
	if got, err := Known(t.Context(), broken, Audience(place, ann), ann, turns); err == nil || len(got) > 0 {
		t.Errorf("a ledger that fails let %d turns through", len(got))
	}
}
