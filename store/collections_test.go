package store

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestCollections(t *testing.T) {
	s := open(t, t.TempDir())
	support := core.Collection{Name: "support", Sources: []string{"wiki"}, Folders: []string{"wiki/1", "wiki/2"},
		Tags: []string{"team=support"}, Origin: core.FromCommand}
	all := core.Collection{Name: "all-2_x", Sources: []string{"wiki", "files"}, Origin: core.FromConfig}
	given := support
	given.Origin, given.Folders = "", []string{" wiki/1", "", "wiki/2", "wiki/1"}
	check(t, s.PutCollection(t.Context(), given))
	check(t, s.PutCollection(t.Context(), all))
	list, err := s.Collections(t.Context())
	check(t, err)
	diff(t, []core.Collection{all, support}, list)

	support.Tags, support.Folders = nil, nil
	check(t, s.PutCollection(t.Context(), support))
	got, err := s.Collection(t.Context(), "support")
	check(t, err)
	diff(t, support, got)
	for _, wrong := range []core.Collection{
		{Name: "empty"}, {Name: "empty", Sources: []string{}, Tags: []string{" ", ""}},
		{Name: "", Sources: []string{"x"}}, {Name: "A", Sources: []string{"x"}}, {Name: "a/b", Sources: []string{"x"}},
	} {
		err := s.PutCollection(t.Context(), wrong)
		wantKind(t, err, core.KindInvalid)
		if !strings.Contains(err.Error(), "collection") {
			t.Errorf("%v", err)
		}
	}
	check(t, s.RemoveCollection(t.Context(), "support"))
	_, err = s.Collection(t.Context(), "support")
	wantKind(t, err, core.KindNotFound)
	wantKind(t, s.RemoveCollection(t.Context(), "support"), core.KindNotFound)
}

func TestGrants(t *testing.T) {
	s := open(t, t.TempDir())
	for _, name := range []string{"a", "b"} {
		check(t, s.PutCollection(t.Context(), core.Collection{Name: name, Sources: []string{"wiki"}}))
	}
	g := func(place, collection string, external bool) core.Grant {
		return core.Grant{Place: place, Collection: collection, External: external, Origin: core.FromCommand}
	}
	for _, grant := range []core.Grant{
		g("slack:T1/C1", "b", false), g("slack:T1/C1", "a", false), g("discord:G1/C2", "a", true), g("slack:T1/C1", "b", true),
		{Place: "slack:T1/c1", Collection: "a"},
	} {
		check(t, s.PutGrant(t.Context(), grant))
	}
	list, err := s.Grants(t.Context(), "")
	check(t, err)
	diff(t, []core.Grant{g("discord:G1/C2", "a", true), g("slack:T1/C1", "a", false), g("slack:T1/C1", "b", true), g("slack:T1/c1", "a", false)}, list)
	list, err = s.Grants(t.Context(), "slack:T1/C1")
	check(t, err)
	diff(t, []core.Grant{g("slack:T1/C1", "a", false), g("slack:T1/C1", "b", true)}, list)

	wantKind(t, s.PutGrant(t.Context(), g("slack:T1/C1", "c", false)), core.KindNotFound)
	for _, place := range []string{"", "C1", ":C1", "slack:", " slack:T1/C1"} {
		wantKind(t, s.PutGrant(t.Context(), g(place, "a", false)), core.KindInvalid)
	}
	err = s.RemoveCollection(t.Context(), "a")
	wantKind(t, err, core.KindConflict)
	if !strings.Contains(err.Error(), "discord:G1/C2, slack:T1/C1, slack:T1/c1") {
		t.Errorf("%v", err)
	}
	for _, place := range []string{"slack:T1/C1", "slack:T1/c1", "discord:G1/C2"} {
		check(t, s.RemoveGrant(t.Context(), place, "a"))
		wantKind(t, s.RemoveGrant(t.Context(), place, "a"), core.KindNotFound)
	}
	check(t, s.RemoveCollection(t.Context(), "a"))
}
