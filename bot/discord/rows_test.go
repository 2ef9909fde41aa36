package discord

import (
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// Each Discord row of the policy is reached from the events of such a place, with
// the readers, the links and the list that the row has.
func TestRowsOfThePolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		ask       func(*world)
		class     core.PlaceKind
		askerOnly bool
		links     core.LinkPolicy
		list      core.SourceList
	}{
		{"a channel that @everyone sees", func(w *world) { w.Mention(w.general, w.ann, "q?") },
			core.PlaceEveryone, false, core.LinkPolicy{Public: core.ShowLink}, core.ListTitles},
		{"a channel for a role", func(w *world) { w.Mention(w.secret, w.ann, "q?") },
			core.PlaceHidden, false, core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}, core.ListFull},
		{"a thread under the first", func(w *world) {
			w.Mention(w.StartThread(w.ann, w.Say(w.general, w.ann, "x"), "t"), w.ann, "q?")
		}, core.PlaceEveryone, false, core.LinkPolicy{Public: core.ShowLink}, core.ListTitles},
		{"a thread under the second", func(w *world) {
			w.Mention(w.StartThread(w.ann, w.Say(w.secret, w.ann, "x"), "t"), w.ann, "q?")
		}, core.PlaceHidden, false, core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}, core.ListFull},
		{"a forum post", func(w *world) {
			forum := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "forum", Kind: discordtest.Forum})
			w.Mention(w.Post(forum, w.ann, "a post", "x"), w.ann, "q?")
		}, core.PlaceEveryone, false, core.LinkPolicy{Public: core.ShowLink}, core.ListTitles},
		{"a private thread", func(w *world) {
			w.Mention(w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "p", Kind: discordtest.PrivateThread, Parent: w.general,
				Owner: w.ann, Members: []string{w.ann, discordtest.BotUser}}), w.ann, "q?")
		}, core.PlacePrivateThread, false, core.LinkPolicy{Public: core.ShowLink}, core.ListTitles},
		{"an ephemeral reply", func(w *world) { w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "q?"}) },
			core.PlaceEphemeral, true, core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowLink}, core.ListFull},
		{"a direct message", func(w *world) { w.DM(w.ann, "q?") },
			core.PlaceDirect, true, core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowLink}, core.ListFull},
		{"a bot that may ask", func(w *world) {
			w.AddUser(discordtest.User{ID: "4444", Name: "robot", Bot: true})
			w.AddMember(discordtest.Member{Guild: discordtest.Guild, User: "4444", Roles: []string{w.staff}})
			w.Mention(w.secret, "4444", "q?")
		},
			core.PlaceHidden, false, core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}, core.ListFull},
		{"a channel that cannot be looked up", func(w *world) {
			w.bot.apps[0].facts.clear()
			w.Fail("GET /channels/{channel}", discordtest.Fault{Times: -1, Status: 403, Code: 50001, Message: "Missing Access"})
			w.Mention(w.secret, w.ann, "q?")
		}, core.PlaceUnknown, false, core.LinkPolicy{}, core.ListNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Apps[0].AllowBots = []string{"4444"} })
			w.linked(w.ann, "ann@example.com")
			c.ask(w)
			q := w.question(1)
			a := q.Audience
			if a.Class != string(c.class) || a.AskerOnly != c.askerOnly || a.Links != c.links || a.List != c.list {
				t.Errorf("got %s, asker only %v, links %+v, list %v", a.Class, a.AskerOnly, a.Links, a.List)
			}
			for _, p := range a.Principals {
				if !c.askerOnly && p == core.User("ann@example.com") {
					t.Error("the asker's own rights count")
				}
			}
			w.settled()
		})
	}
}
