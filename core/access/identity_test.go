package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func slackAccount() core.Account {
	return core.Account{Platform: "slack", Team: "T1", ID: "U1", Name: "Ann", Class: core.AccountMember,
		Email: "ann@example.com", Verified: true}
}

func homeTeam() Standing {
	return Standing{Home: true, Team: "T1", Domains: []string{"example.com"}, Groups: []core.Principal{"group:hr/all"}}
}

// Every class with every combination of what decides. What is wanted is said
// the other way around than the code does it: by what each principal needs.
func TestViewerOfEveryCombination(t *testing.T) {
	classes := []core.AccountClass{core.AccountMember, core.AccountGuest, core.AccountExternal, core.AccountBot, core.AccountDeactivated, core.AccountUnknown}
	for _, platform := range []string{"slack", "discord"} {
		for _, class := range classes {
			for bits := range 1 << 5 {
				home, verified, linked, domain, listed := bits&1 > 0, bits&2 > 0, bits&4 > 0, bits&8 > 0, bits&16 > 0
				a, s := slackAccount(), homeTeam()
				a.Platform, a.Class, a.Verified, s.Home = platform, class, verified, home
				if linked {
					a.Linked = "ann@example.com"
				}
				if !domain {
					s.Domains = nil
				}
				if listed {
					s.Emails = []string{"ann@example.com"}
				}
				nobody := class == core.AccountBot || class == core.AccountDeactivated
				member := class == core.AccountMember
				byPlatform := platform == "slack" && member && home && verified && (domain || listed)
				person := !nobody && (linked || byPlatform)
				inTeam := member && (platform == "slack" || linked)
				want := map[core.Principal]bool{
					core.Public: true, "user:ann@example.com": person, "group:hr/all": person, "workspace:t1": inTeam,
					core.Workspace: inTeam && home || person && (listed || member && domain),
				}
				name := fmt.Sprintf("%s %q home=%v verified=%v linked=%v domain=%v listed=%v", platform, class, home, verified, linked, domain, listed)
				got := ViewerOf(a, s)
				for p, held := range want {
					if slices.Contains(got.Principals, p) != held {
						t.Errorf("%s: %s held is %v, want %v", name, p, !held, held)
					}
				}
				email, _, why := PersonOf(a, s)
				if (email != "") != person || got.Email != email || why == "" || got.Bypass || got.Operator ||
					got.Class != class || got.Account != platform+":T1/U1" || len(got.Principals) > len(want) {
					t.Errorf("%s: person %q, why %q, viewer %+v", name, email, why, got)
				}
			}
		}
	}
}

func TestPersonOfAddresses(t *testing.T) {
	rows := []struct {
		name   string
		email  string
		domain string
		want   string
	}{
		{"as listed", "ann@example.com", "example.com", "ann@example.com"},
		{"in another case", "Ann@EXAMPLE.com", "Example.Com", "ann@example.com"},
		{"spaces around", " ann@example.com\n", " example.com ", "ann@example.com"},
		{"space inside", "ann @example.com", "example.com", ""},
		{"zero width inside", "an\u200bn@example.com", "example.com", ""},
		{"a domain below", "ann@sub.example.com", "example.com", ""},
		{"a domain above", "ann@example.com", "sub.example.com", ""},
		{"the domain as a beginning", "ann@example.com.evil.com", "example.com", ""},
		{"the domain as an end", "ann@evilexample.com", "example.com", ""},
		{"dot at the end", "ann@example.com.", "example.com", ""},
		{"two at signs", "a@b@example.com", "example.com", ""},
		{"two at signs, the first domain listed", "a@example.com@evil.com", "example.com", ""},
		{"no name", "@example.com", "example.com", ""},
		{"no domain", "ann@", "", ""},
		{"no at sign", "example.com", "example.com", ""},
		{"empty", "", "example.com", ""},
		{"empty domain listed", "ann@example.com", "", ""},
		{"domain listed with an at sign", "ann@example.com", "@example.com", ""},
		{"Cyrillic letter that looks the same", "ann@ex\u0430mple.com", "example.com", ""},
		{"Kelvin sign that folds to k", "ann@\u212aey.com", "key.com", ""},
		{"Kelvin sign in the name", "\u212aim@example.com", "example.com", ""},
		{"dotted I that folds to i", "k\u0130m@example.com", "example.com", ""},
		{"Kelvin sign in what is listed", "ann@key.com", "\u212aey.com", ""},
		{"full-width letters", "ann@\uff45xample.com", "example.com", ""},
		{"IDN listed as it is", "ann@b\u00fccher.example", "B\u00dcCHER.example", "ann@b\u00fccher.example"},
		{"IDN against its ASCII form", "ann@b\u00fccher.example", "xn--bcher-kva.example", ""},
		{"letters outside ASCII in the name", "J\u00fcrgen@example.com", "example.com", "j\u00fcrgen@example.com"},
		{"not UTF-8", "a\xffn@example.com", "example.com", ""},
		{"line break inside", "ann@example.com\nx@example.com", "example.com", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			a, s := slackAccount(), homeTeam()
			a.Email, s.Domains = row.email, []string{row.domain}
			if got, _, why := PersonOf(a, s); got != row.want || why == "" {
				t.Errorf("got %q (%s), want %q", got, why, row.want)
			}
		})
	}
}

func TestPersonOfFormerAddresses(t *testing.T) {
	rows := []struct {
		name   string
		change func(*core.Account, *Standing)
		former []string
		want   []string
	}{
		{"still theirs", nil, []string{"Ann.Old@example.com"}, []string{"ann.old@example.com"}},
		{"the same, twice", nil, []string{"ann@example.com", "old@example.com", "OLD@example.com"}, []string{"old@example.com"}},
		{"of a domain that is not listed", nil, []string{"ann@else.com", "x", ""}, nil},
		{"listed by itself", func(_ *core.Account, s *Standing) { s.Emails = []string{"ann@else.com"} }, []string{"ann@else.com"}, []string{"ann@else.com"}},
		{"of a linked member", func(a *core.Account, _ *Standing) { a.Linked = "ann@else.com" }, []string{"old@example.com"}, []string{"old@example.com"}},
		{"claimed by a linked guest", func(a *core.Account, _ *Standing) { a.Linked, a.Class = "g@else.com", core.AccountGuest }, []string{"ceo@example.com"}, nil},
		{"claimed in a workspace that is not home", func(a *core.Account, s *Standing) { a.Linked, s.Home = "g@else.com", false }, []string{"ceo@example.com"}, nil},
		{"of somebody deactivated", func(a *core.Account, _ *Standing) { a.Class = core.AccountDeactivated }, []string{"old@example.com"}, nil},
		{"of an account that is nobody", func(a *core.Account, _ *Standing) { a.Email = "ann@else.com" }, []string{"old@example.com"}, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			a, s := slackAccount(), homeTeam()
			a.Former = row.former
			if row.change != nil {
				row.change(&a, &s)
			}
			_, got, _ := PersonOf(a, s)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			held := ViewerOf(a, s).Principals
			for _, f := range row.former {
				f = strings.ToLower(f)
				want := slices.Contains(row.want, f) || f != "" && f == ViewerOf(a, s).Email
				if slices.Contains(held, core.User(f)) != want {
					t.Errorf("%s held is %v: %v", f, !want, held)
				}
			}
		})
	}
}

// A person is the same wherever they ask, and an account that a code linked is
// that person whatever the platform says of its address.
func TestLinkComesBeforeTheAddress(t *testing.T) {
	a, s := slackAccount(), homeTeam()
	a.Linked = " Boss@Example.com "
	if got, _, _ := PersonOf(a, s); got != "boss@example.com" {
		t.Errorf("got %q", got)
	}
	if v := ViewerOf(a, s); slices.Contains(v.Principals, core.User("ann@example.com")) {
		t.Errorf("the account is two persons: %v", v.Principals)
	}
}

// What was linked has to be an address; anything else links to nobody.
func TestLinkToNoAddress(t *testing.T) {
	for _, linked := range []string{"a@b@example.com", "boss", "@example.com", "boss@", "\u212aim@example.com", "b oss@example.com", "\xff@example.com"} {
		a, s := slackAccount(), homeTeam()
		a.Linked, a.Class = linked, core.AccountGuest
		if email, _, why := PersonOf(a, s); email != "" {
			t.Errorf("%q is %q: %s", linked, email, why)
		}
	}
}

func TestAccountOfAnotherTeamIsNoMember(t *testing.T) {
	a, s := slackAccount(), homeTeam()
	a.Team = "T9"
	want := core.Viewer{Name: "Ann", Account: "slack:T9/U1", Class: core.AccountMember, Principals: []core.Principal{core.Public}}
	if diff := cmp.Diff(want, ViewerOf(a, s)); diff != "" {
		t.Error(diff)
	}
	a.Team, s.Team = "T1", ""
	if email, _, _ := PersonOf(a, s); email != "ann@example.com" {
		t.Errorf("where the standing names no team: %q", email)
	}
	a.Team, s.Team = "", "t1"
	if email, _, _ := PersonOf(a, s); email != "ann@example.com" {
		t.Errorf("got %q", email)
	}
}
