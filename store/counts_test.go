package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestCountDocuments(t *testing.T) {
	s := handbook(t)
	hidden := page("c", []core.Principal{core.Public}, "x")
	hidden.Document.Hidden = true
	put(t, s, page("a", []core.Principal{core.Public}, "x"), page("b", nil, "x"), hidden)
	all := []core.Collection{{Name: "all", Sources: []string{"handbook"}}}
	for name, row := range map[string]struct {
		f    core.Filter
		want int
	}{
		"all":           {core.Filter{Bypass: true, IncludeHidden: true, Collections: all}, 3},
		"not hidden":    {core.Filter{Bypass: true, Collections: all}, 2},
		"anybody's":     {core.Filter{Collections: all}, 1},
		"another one":   {core.Filter{Bypass: true, Collections: []core.Collection{{Sources: []string{"wiki"}}}}, 0},
		"an empty rule": {core.Filter{Bypass: true, Collections: []core.Collection{{}}}, 0},
	} {
		got, err := s.CountDocuments(t.Context(), row.f)
		check(t, err)
		if got != row.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestAnyReadable(t *testing.T) {
	s := handbook(t)
	now := at(2026, 6)
	s.Now = func() time.Time { return now }
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", AccessChecked: &now}))
	ann := []core.Principal{core.User("ann@x.org")}
	var bulk []core.Entry
	for i := range readablePage { // the one that counts is not on the first page
		bulk = append(bulk, page(fmt.Sprint("bulk", i), []core.Principal{core.User("boss@x.org")}, "x"))
	}
	put(t, s, bulk...)
	hidden := page("hidden", []core.Principal{core.User("eve@x.org")}, "x")
	hidden.Document.Hidden = true
	tagged := page("own", ann, "x")
	tagged.Document.Meta = map[string]string{"team": "red"}
	put(t, s, hidden, tagged, page("team", []core.Principal{core.WorkspaceOf("T1")}, "x"))
	some := func(f core.Filter, c core.Collection) bool {
		t.Helper()
		ok, err := s.AnyReadable(t.Context(), f, c)
		check(t, err)
		return ok
	}
	whole := core.Collection{Name: "all", Sources: []string{"handbook"}}
	red := core.Collection{Name: "red", Tags: []string{core.TagOf("team", "red")}}
	for name, row := range map[string]struct {
		f    core.Filter
		c    core.Collection
		want bool
	}{
		"their own":          {core.Filter{Principals: ann}, whole, true},
		"their own, by tag":  {core.Filter{Principals: ann}, red, true},
		"nobody's":           {core.Filter{}, whole, false},
		"a hidden one":       {core.Filter{Principals: []core.Principal{core.User("eve@x.org")}}, whole, false},
		"of another source":  {core.Filter{Principals: ann}, core.Collection{Sources: []string{"wiki"}}, false},
		"an empty rule":      {core.Filter{Principals: ann, Bypass: true}, core.Collection{Name: "gone"}, false},
		"by a grant":         {core.Filter{Granted: []core.Collection{red}}, red, true},
		"outside the place":  {core.Filter{Principals: ann, Within: []core.Collection{{Sources: []string{"wiki"}}}}, red, false},
		"the workspace's":    {core.Filter{Principals: []core.Principal{core.WorkspaceOf("T1")}}, whole, true},
		"other scope counts": {core.Filter{Principals: ann, Collections: []core.Collection{{Sources: []string{"wiki"}}}}, red, true},
	} {
		if got := some(row.f, row.c); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	now = now.Add(core.DefaultMaxAge + time.Second)
	if some(core.Filter{Principals: ann}, whole) || !some(core.Filter{Principals: []core.Principal{core.WorkspaceOf("T1")}}, whole) {
		t.Error("access that is stale opens nothing but what is of the workspace")
	}
	d, err := s.DocumentNow(t.Context(), "handbook/own")
	check(t, err)
	if len(d.Access) != 0 || d.Title != "Page own" {
		t.Errorf("document = %+v", d)
	}
	stated, err := s.Document(t.Context(), "handbook/own")
	check(t, err)
	diff(t, core.NewAccess(ann...), stated.Access)
	_, err = s.DocumentNow(t.Context(), "handbook/nope")
	wantKind(t, err, core.KindNotFound)
}
