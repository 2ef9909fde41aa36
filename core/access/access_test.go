package access

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func TestAudience(t *testing.T) {
	all := core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowLink}
	ann := Person("Ann@Example.com", true, []core.Principal{core.Group("wiki", "HR")})
	root := ann
	root.Bypass = true
	rows := []struct {
		name   string
		kind   core.PlaceKind
		viewer core.Viewer
		want   core.Audience
	}{
		{"direct, a member", core.PlaceDirect, ann, core.Audience{Class: "direct", AskerOnly: true, Links: all,
			Principals: []core.Principal{"group:wiki/hr", "public", "user:ann@example.com", "workspace"}}},
		{"direct, an outsider", core.PlaceDirect, Person("eve@else.com", false, nil), core.Audience{Class: "direct", AskerOnly: true, Links: all,
			Principals: []core.Principal{"public", "user:eve@else.com"}}},
		{"direct, an account without a person", core.PlaceDirect, core.Viewer{}, core.Audience{Class: "direct", AskerOnly: true, Links: all,
			Principals: []core.Principal{"public"}}},
		{"direct, the operator", core.PlaceDirect, Operator(), core.Audience{Class: "direct", AskerOnly: true, Links: all,
			Principals: []core.Principal{"public", "workspace"}}},
		{"direct, bypass", core.PlaceDirect, root, core.Audience{Class: "direct", AskerOnly: true, Links: all, Bypass: true,
			Principals: []core.Principal{"group:wiki/hr", "public", "user:ann@example.com", "workspace"}}},
		{"public channel, a manager asks", core.PlacePublic, ann, core.Audience{Class: "team",
			Principals: []core.Principal{"public", "workspace"}, Links: core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}}},
		{"public channel, bypass does not reach it", core.PlacePublic, root, core.Audience{Class: "team",
			Principals: []core.Principal{"public", "workspace"}, Links: core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}}},
		{"unknown", core.PlaceUnknown, root, core.Audience{Class: "unknown", Principals: []core.Principal{"public"}}},
		{"no kind", "", ann, core.Audience{Class: "unknown", Principals: []core.Principal{"public"}}},
		{"a kind of tomorrow", "hologram", ann, core.Audience{Class: "unknown", Principals: []core.Principal{"public"}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Audience(core.Place{Kind: row.kind}, row.viewer)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShowOf(t *testing.T) {
	public, team, hr := core.NewAccess(core.Public), core.NewAccess(core.Workspace), core.NewAccess(core.Group("wiki", "hr"))
	rows := []struct {
		kind   core.PlaceKind
		access core.Access
		want   core.Show
	}{
		{core.PlaceDirect, hr, core.ShowLink},
		{core.PlacePublic, public, core.ShowLink},
		{core.PlacePublic, team, core.ShowLink},
		{core.PlacePublic, hr, core.ShowNothing},
		{core.PlacePublic, nil, core.ShowNothing},
		{core.PlaceUnknown, public, core.ShowNothing},
		{core.PlaceUnknown, team, core.ShowNothing},
	}
	for _, row := range rows {
		if got := Audience(core.Place{Kind: row.kind}, Operator()).ShowOf(row.access); got != row.want {
			t.Errorf("%s, access %v: got %v, want %v", row.kind, row.access, got, row.want)
		}
	}
}

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
	dm := core.Turn{Class: ClassDirect, Scope: ann.Principals, Asker: ann.Email}
	team := core.Turn{Class: ClassTeam, Scope: []core.Principal{core.Public, core.Workspace}}
	open := core.Turn{Class: ClassUnknown, Scope: []core.Principal{core.Public}}
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
			if got := CanKnow(Audience(core.Place{Kind: row.kind}, row.viewer), row.turn, row.viewer); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
