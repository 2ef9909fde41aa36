package bot

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/footnote-bot/footnote/core"
)

// knownFilters know of one source, one channel and one author.
type knownFilters struct{}

func (knownFilters) KnownSource(_ context.Context, name string, _ core.Audience) (bool, error) {
	return name == "wiki", nil
}

func (knownFilters) ChannelRules(_ context.Context, _ core.Place, id string, _ core.Audience) ([]core.Collection, error) {
	if id != "C1" {
		return nil, nil
	}
	return []core.Collection{{Sources: []string{"chat"}, Folders: []string{"chat/C1"}}}, nil
}

func (knownFilters) Authored(_ context.Context, names []string, _ core.Audience) ([]string, error) {
	if slices.Contains(names, "ann@example.com") {
		return []string{"wiki/1"}, nil
	}
	return nil, nil
}

// What names nothing that is there narrows nothing and stays in the question.
func TestNarrowByWhatIsThere(t *testing.T) {
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	f := &Front{opts: FrontOptions{Filters: knownFilters{}, Now: func() time.Time { return now }}}
	refs := []Reference{
		{ID: "C1", Name: "general"}, {ID: "C2", Name: "other"},
		{Person: true, ID: "U1", Name: "ann", Also: "ann@example.com"}, {Person: true, ID: "U2", Name: "bob"},
	}
	for text, want := range map[string]core.Narrow{
		"how many?":              {},
		"in:wiki how many?":      {Sources: []string{"wiki"}, Text: "how many?", Said: []string{"in:wiki"}},
		"in:payroll how many?":   {},
		"in:wiki in:payroll how": {Sources: []string{"wiki"}, Text: "in:payroll how", Said: []string{"in:wiki"}},
		"decided in #general?": {Channels: []core.Collection{{Sources: []string{"chat"}, Folders: []string{"chat/C1"}}},
			Text: "decided in #general?", Said: []string{"#general"}},
		"decided in #other?":   {},
		"the plan from @ann":   {Documents: []string{"wiki/1"}, Text: "the plan from @ann", Said: []string{"from @ann"}},
		"the plan from @bob":   {},
		"since:2026-05-01 new": {Updated: core.Range{From: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, Text: "new", Said: []string{"since:2026-05-01"}},
		"since:2026-05-01 before:2026-05-10 since:2026-04-01 new": {
			Updated: core.Range{From: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 9, 23, 59, 59, 0, time.UTC)},
			Text:    "new", Said: []string{"since:2026-05-01", "before:2026-05-10", "since:2026-04-01"}},
	} {
		got, err := f.narrow(t.Context(), Incoming{Text: text, References: refs}, core.Place{}, core.Audience{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}
