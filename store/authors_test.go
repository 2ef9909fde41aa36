package store

import (
	"testing"
)

func TestAuthoredBy(t *testing.T) {
	s := handbook(t)
	for id, authors := range map[string][]string{
		"a": {"Ana López"}, "b": {"bob@example.com", "ANA  lópez"}, "c": {"Bob <bob@Example.com>"}, "d": nil, "e": {"Anabel"}, "f": {"<>"},
	} {
		p := page(id, nil, "x")
		p.Document.Authors = authors
		put(t, s, p)
	}
	for _, row := range []struct {
		names []string
		want  map[string]bool
	}{
		{[]string{"ana lópez"}, map[string]bool{"handbook/a": true, "handbook/b": true}},
		{[]string{"@Bob", "bob@example.com"}, map[string]bool{"handbook/b": true, "handbook/c": true}},
		{[]string{"Bob"}, map[string]bool{"handbook/c": true}},
		{[]string{"Ana"}, map[string]bool{}},
		{[]string{"", " "}, map[string]bool{}},
		{nil, map[string]bool{}},
	} {
		ids, err := s.AuthoredBy(t.Context(), row.names, 100)
		check(t, err)
		got := map[string]bool{}
		for _, id := range ids {
			got[id] = true
		}
		diff(t, row.want, got)
	}
	ids, err := s.AuthoredBy(t.Context(), []string{"Ana López"}, 1)
	check(t, err)
	if len(ids) != 1 {
		t.Errorf("%d, more than asked for", len(ids))
	}
}
