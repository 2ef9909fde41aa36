package access

import (
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// outsiders is the kinds in which people who are no full members read.
var outsiders = []core.PlaceKind{core.PlaceGuests, core.PlaceConnect, core.PlaceEveryone, core.PlaceUnknown}

func allKinds() []core.PlaceKind {
	var out []core.PlaceKind
	for k := range width {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// placeOf is a place of the kind with everything that a place may have.
func placeOf(kind core.PlaceKind) core.Place {
	return core.Place{
		ID: "test:x/1", Kind: kind, Team: "T1", Home: true, Parent: core.PlaceHidden, External: true,
		Own:     []core.Principal{"group:slack/c1"},
		Granted: []core.Grantee{{Collection: core.Collection{Name: "faq", Sources: []string{"wiki"}}, Outsiders: true}},
		Members: [][]core.Principal{{core.Workspace, "user:ann@example.com"}, {core.Workspace, "user:bob@example.com"}},
	}
}

func TestEveryKindHasAWidth(t *testing.T) {
	for kind := range policy {
		if _, ok := width[kind]; !ok {
			t.Errorf("%s is in the policy and not in the order of classes", kind)
		}
	}
	for kind, n := range width {
		if asker := policy[kind].asker; asker != (n == 0) || AskerOnlyClass(string(kind)) != asker {
			t.Errorf("%s: width %d, asker only %v", kind, n, asker)
		}
	}
	if !AskerOnlyClass("direct") || !AskerOnlyClass("") {
		t.Error("a class of another version is not the asker's alone")
	}
}

// Two listings of the same members are one scope.
func TestScopeOfMembersInAnyOrder(t *testing.T) {
	one, other := placeOf(core.PlaceGroup), placeOf(core.PlaceGroup)
	slices.Reverse(other.Members)
	other.Members = append(other.Members, other.Members[0])
	a, b := Audience(one, core.Viewer{}), Audience(other, core.Viewer{})
	if !slices.Equal(a.Scope(), b.Scope()) {
		t.Errorf("%v and %v", a.Scope(), b.Scope())
	}
	other.Members = other.Members[:1]
	if c := Audience(other, core.Viewer{}); slices.Equal(a.Scope(), c.Scope()) {
		t.Errorf("other members have the scope %v too", c.Scope())
	}
}

// Rule 6, and what is the asker's alone.
func TestCanKnowClasses(t *testing.T) {
	ann, bob := Person("ann@example.com", true, nil), Person("bob@example.com", true, nil)
	open := []core.Principal{core.Public}
	free := ann
	free.Bypass = true
	account := func(key string) core.Viewer { return core.Viewer{Account: key, Principals: open} }
	rows := []struct {
		name   string
		now    core.PlaceKind
		viewer core.Viewer
		turn   core.Turn
		want   bool
	}{
		{"of a private channel in a public one", core.PlacePublic, ann, core.Turn{Class: "private_channel", Scope: open}, false},
		{"of a public channel in a private one", core.PlacePrivate, ann, core.Turn{Class: "public_channel", Scope: open}, true},
		{"of a group DM in a channel", core.PlacePrivate, ann, core.Turn{Class: "group_dm", Scope: open}, false},
		{"of a channel where everybody in the group DM is a member", core.PlaceGroup, ann, core.Turn{Class: "public_channel", Scope: []core.Principal{core.Public, core.Workspace}}, true},
		{"of a channel before guests came", core.PlaceGuests, ann, core.Turn{Class: "private_channel", Scope: open}, false},
		{"of a hidden channel that was opened", core.PlaceEveryone, ann, core.Turn{Class: "discord_hidden", Scope: open}, false},
		{"of a private thread in its channel", core.PlaceHidden, ann, core.Turn{Class: "discord_private_thread", Scope: open}, false},
		{"of a class of another version, by its asker alone", core.PlaceDirect, ann, core.Turn{Class: "direct", Scope: open, Asker: ann.Email}, true},
		{"of a class of another version, by somebody else", core.PlaceDirect, bob, core.Turn{Class: "direct", Scope: open, Asker: ann.Email}, false},
		{"of a class of another version, in a channel", core.PlacePublic, ann, core.Turn{Class: "direct", Scope: open, Asker: ann.Email}, false},
		{"of one account without a person, by another", core.PlaceDirect, account("discord:G/2"), core.Turn{Class: "dm", Scope: open, Account: "discord:G/1"}, false},
		{"of one account without a person, by itself", core.PlaceDirect, account("discord:G/1"), core.Turn{Class: "dm", Scope: open, Account: "discord:G/1"}, true},
		{"of one account without a person, by the operator", core.PlaceDirect, Operator(), core.Turn{Class: "dm", Scope: open, Account: "discord:G/1"}, false},
		{"with the bypass, by who lost it", core.PlaceDirect, ann, core.Turn{Class: "dm", Scope: Audience(placeOf(core.PlaceDirect), free).Scope(), Asker: ann.Email}, false},
		{"with the bypass, by who has it", core.PlaceDirect, free, core.Turn{Class: "dm", Scope: Audience(placeOf(core.PlaceDirect), free).Scope(), Asker: ann.Email}, true},
		{"of another person, with the bypass", core.PlaceDirect, free, core.Turn{Class: "dm", Scope: open, Asker: bob.Email}, false},
		{"under a grant, in a DM of who may not read it", core.PlaceDirect, ann, core.Turn{Class: "public_channel", Scope: []core.Principal{"grant:faq"}}, false},
		{"under a grant, where it is granted too", core.PlacePrivate, ann, core.Turn{Class: "public_channel", Scope: []core.Principal{"grant:faq"}}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := CanKnow(Audience(placeOf(row.now), row.viewer), row.turn, row.viewer); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
	silent := placeOf(core.PlaceConnect)
	silent.External = false
	if CanKnow(Audience(silent, ann), core.Turn{Class: "unknown", Scope: open}, ann) {
		t.Error("something is known where nothing may be said")
	}
}
