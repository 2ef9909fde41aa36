package store

import (
	"fmt"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestSourceHolds(t *testing.T) {
	s := handbook(t)
	for _, name := range []string{"wiki", "empty"} {
		check(t, s.PutSource(t.Context(), core.Source{Name: name, Connector: "web", Origin: core.FromCommand}))
	}
	ana := core.User("ana@example.com")
	hidden := page("a-hidden", []core.Principal{core.Public}, "hidden")
	hidden.Document.Hidden = true
	put(t, s, hidden, page("b-nobody", nil, "nobody"))
	var entries []core.Entry
	for i := range firstLook + 5 { // the readable one is behind the first look
		d := page(fmt.Sprintf("%02d", i), nil, fmt.Sprint("text ", i))
		if i == firstLook+3 {
			d.Document.Access = core.NewAccess(ana)
		}
		d.Document.Source, d.Document.ID = "wiki", core.DocumentID("wiki", d.Document.ExternalID)
		entries = append(entries, d)
	}
	check(t, s.Commit(t.Context(), core.Batch{Source: "wiki", Content: entries}))
	for _, row := range []struct {
		source string
		filter core.Filter
		want   bool
	}{
		{"wiki", core.Filter{Principals: []core.Principal{ana}}, true},
		{"wiki", core.Filter{}, false},
		{"wiki", core.Filter{Principals: []core.Principal{ana}, Documents: []string{}}, false},
		{"handbook", core.Filter{}, false},
		{"handbook", core.Filter{IncludeHidden: true}, true},
		{"empty", core.Filter{Bypass: true}, false},
		{"unknown", core.Filter{Bypass: true}, false},
	} {
		if got, err := s.SourceHolds(t.Context(), row.filter, row.source); err != nil || got != row.want {
			t.Errorf("%s with %+v: %v, %v, want %v", row.source, row.filter, got, err, row.want)
		}
	}
}
