package access

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func TestAudienceLeavesTheViewerAlone(t *testing.T) {
	held := make([]core.Principal, 1, 8)
	held[0] = core.Workspace
	got := Audience(core.Place{Kind: core.PlaceDirect}, core.Viewer{Principals: held})
	got.Principals[0] = "user:changed"
	if held[0] != core.Workspace || held[:2][1] != "" {
		t.Errorf("the viewer's list was changed: %v", held[:2])
	}
}

func TestPerson(t *testing.T) {
	rows := []struct {
		name   string
		email  string
		member bool
		want   []core.Principal
	}{
		{"member", " Ann@Example.com ", true, []core.Principal{"group:a/b", "public", "user:ann@example.com", "workspace"}},
		{"guest", "guest@example.com", false, []core.Principal{"group:a/b", "public", "user:guest@example.com"}},
		{"an address that folds onto another", "\u212aim@example.com", true, []core.Principal{"public"}},
		{"a control character", "a\x00nn@example.com", true, []core.Principal{"public"}},
		{"no address", "  ", true, []core.Principal{"public"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Person(row.email, row.member, []core.Principal{core.Group("a", "b")})
			if diff := cmp.Diff(row.want, got.Principals); diff != "" || got.Bypass {
				t.Errorf("bypass %v, %s", got.Bypass, diff)
			}
		})
	}
}

func TestCanKnow(t *testing.T) {
	ann, bob := Person("ann@example.com", true, nil), Person("bob@example.com", true, nil)
	dm := core.Turn{Class: string(core.PlaceDirect), Scope: ann.Principals, Asker: ann.Email}
	team := core.Turn{Class: string(core.PlacePublic), Scope: []core.Principal{core.Public, core.Workspace}}
	open := core.Turn{Class: string(core.PlaceUnknown), Scope: []core.Principal{core.Public}}
	rows := []struct {
		name   string
		kind   core.PlaceKind
		viewer core.Viewer
		turn   core.Turn
		want   bool
	}{
		{"own direct turn again", core.PlaceDirect, ann, dm, true},
		{"direct turn of another person", core.PlaceDirect, bob, dm, false},
		{"direct turn in a channel", core.PlacePublic, ann, dm, false},
		{"channel turn in a direct place", core.PlaceDirect, ann, team, true},
		{"channel turn for an outsider", core.PlaceDirect, Person("eve@else.com", false, nil), team, false},
		{"channel turn where readers are unknown", core.PlaceUnknown, ann, team, false},
		{"open turn anywhere", core.PlaceUnknown, bob, open, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := CanKnow(Audience(core.Place{Kind: row.kind, Home: true}, row.viewer), row.turn, row.viewer); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
