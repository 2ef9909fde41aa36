package access

import (
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestSlackKind(t *testing.T) {
	looked := SlackFacts{Known: true, Team: "T1", Guests: Absent, Outsiders: Absent}
	type change = func(*SlackFacts)
	rows := []struct {
		name   string
		change change
		want   core.PlaceKind
	}{
		{"nothing known", func(f *SlackFacts) { *f = SlackFacts{} }, core.PlaceUnknown},
		{"public", func(*SlackFacts) {}, core.PlacePublic},
		{"private", func(f *SlackFacts) { f.Private = true }, core.PlacePrivate},
		{"not looked up", func(f *SlackFacts) { f.Known = false }, core.PlaceUnknown},
		{"an IM not looked up", func(f *SlackFacts) { f.Known, f.IM = false, true }, core.PlaceUnknown},
		{"guests", func(f *SlackFacts) { f.Guests = Present }, core.PlaceGuests},
		{"guests in a private channel", func(f *SlackFacts) { f.Guests, f.Private = Present, true }, core.PlaceGuests},
		{"nobody looked for guests", func(f *SlackFacts) { f.Guests = NotLooked }, core.PlaceGuests},
		{"nobody looked for guests, not looked up", func(f *SlackFacts) { f.Guests, f.Known = NotLooked, false }, core.PlaceUnknown},
		{"nobody looked for outsiders", func(f *SlackFacts) { f.Outsiders = NotLooked }, core.PlacePublic},
		{"shared", func(f *SlackFacts) { f.ExtShared = true }, core.PlaceConnect},
		{"shared, private, with guests", func(f *SlackFacts) { f.ExtShared, f.Private, f.Guests = true, true, Present }, core.PlaceConnect},
		{"about to be shared", func(f *SlackFacts) { f.PendingExtShared = true }, core.PlaceConnect},
		{"shared in the organisation", func(f *SlackFacts) { f.OrgShared = true }, core.PlaceConnect},
		{"another team has it", func(f *SlackFacts) { f.SharedTeams = []string{"T1", "T2"} }, core.PlaceConnect},
		{"another team is connected", func(f *SlackFacts) { f.ConnectedTeams = []string{"T2"} }, core.PlaceConnect},
		{"only the own team has it", func(f *SlackFacts) { f.SharedTeams = []string{"T1"} }, core.PlacePublic},
		{"a team has it and the own is not known", func(f *SlackFacts) { f.SharedTeams, f.Team = []string{"T1"}, "" }, core.PlaceUnknown},
		{"shared, the own team not known", func(f *SlackFacts) { f.SharedTeams, f.Team, f.ExtShared = []string{"T1"}, "", true }, core.PlaceConnect},
		{"no team has it and the own is not known", func(f *SlackFacts) { f.Team = "" }, core.PlacePublic},
		{"outsiders among the members", func(f *SlackFacts) { f.Outsiders = Present }, core.PlaceConnect},
		{"IM", func(f *SlackFacts) { f.IM = true }, core.PlaceDirect},
		{"IM with a guest", func(f *SlackFacts) { f.IM, f.Guests = true, Present }, core.PlaceDirect},
		{"IM with another team", func(f *SlackFacts) { f.IM, f.Outsiders = true, Present }, core.PlaceConnect},
		{"IM that is shared", func(f *SlackFacts) { f.IM, f.ExtShared = true, true }, core.PlaceConnect},
		{"IM, other side not known", func(f *SlackFacts) { f.IM, f.Outsiders = true, NotLooked }, core.PlaceUnknown},
		{"group IM", func(f *SlackFacts) { f.GroupIM, f.Private = true, true }, core.PlaceGroup},
		{"group IM with a guest", func(f *SlackFacts) { f.GroupIM, f.Guests = true, Present }, core.PlaceGroup},
		{"group IM with an outsider", func(f *SlackFacts) { f.GroupIM, f.Outsiders = true, Present }, core.PlaceConnect},
		{"group IM, members not known", func(f *SlackFacts) { f.GroupIM, f.Outsiders = true, NotLooked }, core.PlaceUnknown},
		{"group IM of another team", func(f *SlackFacts) { f.GroupIM, f.SharedTeams = true, []string{"T2"} }, core.PlaceConnect},
		{"IM and group IM", func(f *SlackFacts) { f.IM, f.GroupIM = true, true }, core.PlaceUnknown},
		{"ephemeral where nothing is known", func(f *SlackFacts) { *f = SlackFacts{Ephemeral: true} }, core.PlaceEphemeral},
		{"ephemeral in a shared channel", func(f *SlackFacts) { f.Ephemeral, f.ExtShared = true, true }, core.PlaceEphemeral},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			f := looked
			row.change(&f)
			if got := f.Kind(); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// Whatever else is known, a fact that brings outsiders never leaves a class that
// opens the team's content.
func TestSlackKindOutsidersDecide(t *testing.T) {
	outside := []func(*SlackFacts){
		func(f *SlackFacts) { f.ExtShared = true }, func(f *SlackFacts) { f.PendingExtShared = true },
		func(f *SlackFacts) { f.OrgShared = true }, func(f *SlackFacts) { f.Outsiders = Present },
		func(f *SlackFacts) { f.SharedTeams = []string{"T2"} }, func(f *SlackFacts) { f.Known = false },
	}
	for bits := range 1 << 4 {
		for _, guests := range []Presence{NotLooked, Absent, Present} {
			for i, set := range outside {
				f := SlackFacts{Known: true, IM: bits&1 > 0, GroupIM: bits&2 > 0, Private: bits&4 > 0, Guests: guests, Outsiders: Absent}
				if bits&8 > 0 {
					f.Team = "T1"
				}
				set(&f)
				if got := f.Kind(); got != core.PlaceConnect && got != core.PlaceUnknown {
					t.Errorf("fact %d in %+v: %s", i, f, got)
				}
			}
		}
	}
}

func TestDiscordKind(t *testing.T) {
	rows := []struct {
		name         string
		facts        DiscordFacts
		want, parent core.PlaceKind
	}{
		{"nothing known", DiscordFacts{}, core.PlaceUnknown, ""},
		{"everyone", DiscordFacts{Known: true, EveryoneViews: true}, core.PlaceEveryone, ""},
		{"everyone, not looked up", DiscordFacts{EveryoneViews: true}, core.PlaceUnknown, ""},
		{"hidden", DiscordFacts{Known: true}, core.PlaceHidden, ""},
		{"DM", DiscordFacts{Known: true, DM: true}, core.PlaceDirect, ""},
		{"DM, not looked up", DiscordFacts{DM: true}, core.PlaceUnknown, ""},
		{"DM that everyone views", DiscordFacts{Known: true, DM: true, EveryoneViews: true}, core.PlaceUnknown, ""},
		{"DM with a thread", DiscordFacts{Known: true, DM: true, PrivateThread: true, ParentKnown: true}, core.PlaceUnknown, ""},
		{"private thread, hidden parent", DiscordFacts{Known: true, PrivateThread: true, ParentKnown: true}, core.PlacePrivateThread, core.PlaceHidden},
		{"private thread, open parent", DiscordFacts{Known: true, PrivateThread: true, ParentKnown: true, ParentEveryoneViews: true}, core.PlacePrivateThread, core.PlaceEveryone},
		{"private thread, parent not known", DiscordFacts{Known: true, PrivateThread: true}, core.PlaceUnknown, ""},
		{"private thread, not looked up", DiscordFacts{PrivateThread: true, ParentKnown: true}, core.PlaceUnknown, ""},
		{"private thread's own permissions do not count", DiscordFacts{Known: true, EveryoneViews: true, PrivateThread: true, ParentKnown: true}, core.PlacePrivateThread, core.PlaceHidden},
		{"public thread, hidden parent", DiscordFacts{Known: true, Thread: true, EveryoneViews: true, ParentKnown: true}, core.PlaceHidden, ""},
		{"public thread, open parent", DiscordFacts{Known: true, Thread: true, ParentKnown: true, ParentEveryoneViews: true}, core.PlaceEveryone, ""},
		{"public thread, parent not known", DiscordFacts{Known: true, Thread: true, EveryoneViews: true}, core.PlaceUnknown, ""},
		{"public and private thread", DiscordFacts{Known: true, Thread: true, PrivateThread: true, ParentKnown: true}, core.PlaceUnknown, ""},
		{"ephemeral", DiscordFacts{Known: true, Ephemeral: true, EveryoneViews: true}, core.PlaceEphemeral, ""},
		{"ephemeral where nothing is known", DiscordFacts{Ephemeral: true}, core.PlaceEphemeral, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got, parent := row.facts.Kind(); got != row.want || parent != row.parent {
				t.Errorf("got %s below %q, want %s below %q", got, parent, row.want, row.parent)
			}
		})
	}
}
