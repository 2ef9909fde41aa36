package discord

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// L12: who is not linked, or is in no server of ours, gets public documents only.
func TestUnlinkedAskersHoldPublicOnly(t *testing.T) {
	w := newWorld(t, nil)
	stranger := w.AddUser(discordtest.User{Name: "stranger"})
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "what are the salaries?"})
	q := w.question(1)
	if !slices.Equal(q.Audience.Principals, []core.Principal{core.Public}) || q.Viewer.Email != "" {
		t.Errorf("asked for %+v", q.Audience)
	}
	w.settled()
	if w.OpenDM(stranger) != "" {
		w.DM(stranger, "what are the salaries?")
		q = w.question(2)
		if !slices.Equal(q.Audience.Principals, []core.Principal{core.Public}) || q.Viewer.Class != core.AccountExternal {
			t.Errorf("asked for %+v by %+v", q.Audience, q.Viewer)
		}
		w.settled()
	}
}

// L12: a linked person who left the server is nobody in a direct message.
func TestWhoLeftIsNobody(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	dm := w.OpenDM(w.ann)
	w.RemoveMember(discordtest.Guild, w.ann)
	w.bot.apps[0].facts.clear()
	w.Say(dm, w.ann, "what are the salaries?")
	q := w.question(1)
	if q.Viewer.Email != "" || !slices.Equal(q.Audience.Principals, []core.Principal{core.Public}) {
		t.Errorf("asked by %+v", q.Viewer)
	}
	w.settled()
}

// L1 and the rows for channels: nobody's own rights count where others read.
func TestChannelsDoNotUseTheAskersRights(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Home = false })
	w.linked(w.ann, "ann@example.com")
	for i, channel := range []string{w.general, w.secret} {
		w.Mention(channel, w.ann, fmt.Sprintf("what are the salaries, %d?", i))
		q := w.question(i + 1)
		for _, p := range q.Audience.Principals {
			if strings.HasPrefix(string(p), "user:") || p == core.Workspace {
				t.Errorf("in %s counts %s", q.Place.Kind, p)
			}
		}
		w.settled()
	}
}

// L11: who was taken out of the channel above does not get anything from its
// thread, by whatever way they ask.
func TestRemovedMemberInAnOldThread(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Content = true }, discordtest.WithPrivileged(discordtest.MessageContent))
	id := w.Mention(w.secret, w.ann, "how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.secret)) == 1 })
	w.settled()
	m := w.FromBot(w.secret)[0]
	a := w.bot.apps[0]
	if ok, err := a.facts.reads(t.Context(), discordtest.Guild, w.secret, w.ann); !ok || err != nil {
		t.Fatalf("ann reads %v, %v", ok, err)
	}
	w.TakeRole(w.ann, w.staff)
	a.facts.clear()
	asks := func() {
		a.heard(t.Context(), message{ID: "99999999999999999", Channel: w.secret, Guild: discordtest.Guild, Author: &user{ID: w.ann, Name: "ann"},
			Content: "<@" + discordtest.BotUser + "> and now?", Reference: &messageRef{Message: id, Channel: w.secret}}, false)
	}
	asks()
	w.settled()
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions", n)
	}
	if n := len(w.FromBot(w.secret)); n != 1 {
		t.Errorf("%d messages", n)
	}
	for _, b := range m.Buttons {
		action, value, _ := strings.Cut(b.CustomID, ":")
		if action == actDown || action == actUp {
			continue
		}
		i := interaction{ID: "1", Token: "t", Guild: discordtest.Guild, Channel: w.secret, Member: &memberInfo{User: &user{ID: w.ann}}}
		r := a.newReply(i, true)
		actions[action](a, t.Context(), press{i, a.requestOf(t.Context(), i, action, r), value})
	}
	w.settled()
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions after buttons", n)
	}
}

// Pain 60 and pain 46: the bot sees a channel that its asker does not see, and
// where that cannot be looked up the strictest class counts.
func TestLookUpsThatFailAreStrict(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.bot.apps[0].facts.clear()
	w.Fail("GET /guilds/{guild}", discordtest.Fault{Times: -1, Status: 403, Code: 50001, Message: "Missing Access"})
	w.Mention(w.secret, w.ann, "what are the salaries?")
	q := w.question(1)
	if q.Place.Kind != core.PlaceUnknown || !slices.Equal(q.Audience.Principals, []core.Principal{core.Public}) {
		t.Errorf("asked in %+v for %+v", q.Place, q.Audience)
	}
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.secret)) == 1 })
	w.settled()
}

// L4: a channel that is opened while an answer is written there takes back what was
// shown, and the question is answered anew.
func TestOpenedChannelTakesBackTheDraft(t *testing.T) {
	w := newWorld(t, nil)
	w.mem.bound = func(p core.Place) core.Place {
		p.Granted = []core.Grantee{{Collection: core.Collection{Name: "staff only"}}}
		if p.Kind == core.PlaceEveryone {
			p.Granted = nil
		}
		return p
	}
	w.mem.script = func(q core.Question) []step {
		if q.Audience.Class == string(core.PlaceHidden) {
			return append(say("The secret is out. "), step{wait: "never"})
		}
		return say("Nothing for all.")
	}
	w.Mention(w.secret, w.ann, "what is secret?")
	w.Eventually("a draft", func() bool { return strings.Contains(strings.Join(w.answers(w.secret), ""), "secret is out") })
	w.RemoveOverwrite(w.secret, discordtest.Guild)
	w.Eventually("another answer", func() bool { return strings.Contains(strings.Join(w.answers(w.secret), ""), "Nothing for all") })
	w.settled()
	none(t, w.answers(w.secret), "secret is out")
}

// L9: neither log nor what is offered while typing tells titles.
func TestTitlesStayOutOfLogsAndChoices(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.script(append([]step{{event: core.DocumentsFound{Documents: []core.DocumentRef{{Number: 1, Title: "Project X layoffs"}}}}, cited(1, "", "")}, say("Nothing.")...)...)
	w.answered("what happens?")
	none(t, []string{w.logged()}, "layoffs")
	for user, want := range map[string][]string{w.ann: {"faq", "salaries"}, w.bob: {"faq"}} {
		id := w.Autocomplete(w.general, user, "ask", "collection", discordtest.Options{"collection": "", "question": "x"})
		w.Eventually("choices", func() bool { i, _ := w.Interaction(id); return i.Response == 8 })
		i, _ := w.Interaction(id)
		var got []string
		for _, c := range i.Choices {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("offered %v, want %v", got, want)
		}
	}
	w.settled()
}

// L14 and L8 at this end: an address that was not built into a link is not one, and
// nothing shows a preview.
func TestAddressesOfSources(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/a b":     "[1] a title",
		"javascript:alert(1)":         "[1] a title",
		"https://example.com/>)[x](y": "[1] [a title](<https://example.com/%3E%29[x]%28y>)",
		"":                            "[1] a title",
	} {
		if got := sourceLine(core.Citation{Number: 1, Title: "a title", URL: address}); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
	got := sourceLine(core.Citation{Number: 1, Title: "[x](https://evil.example) @everyone **b**", URL: "https://example.com"})
	if strings.Contains(got, "evil.example") || strings.Contains(got, "@everyone") {
		t.Errorf("got %q", got)
	}
}

// An application serves only guilds that its owner bound.
func TestUnboundServerGetsNothing(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Guilds, o.Binder = nil, nil })
	w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("a hint", func() bool { return len(w.FromBot(w.general)) == 1 })
	one(t, w.answers(w.general), "/footnote setup")
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many?"})
	w.Eventually("a hint", func() bool { return len(w.whispers(w.ann)) == 1 && w.whispers(w.ann)[0] != "" })
	w.settled()
	if n := len(w.questions()); n != 0 {
		t.Errorf("%d questions", n)
	}
}

func TestIntersectionsNeedTheMembersIntent(t *testing.T) {
	t.Parallel()
	for name, members := range map[string]bool{"without": false, "with": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Apps[0].Members = members }, discordtest.WithPrivileged(discordtest.GuildMembers))
			w.linked(w.ann, "ann@example.com")
			w.mem.bound = func(p core.Place) core.Place { p.Intersection = true; return p }
			w.Mention(w.secret, w.ann, "what may we all know?")
			q := w.question(1)
			if got := len(q.Place.Members); members && got != 2 || !members && q.Place.Members != nil { // ann and the owner
				t.Errorf("%d members: %v", got, q.Place.Members)
			}
			w.settled()
		})
	}
}
