package discord

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func TestMentionIsAnsweredOnceAsAReply(t *testing.T) {
	w := newWorld(t, nil)
	w.Disturb(discordtest.Disturbance{Event: "MESSAGE_CREATE", Repeat: 2})
	id := w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	got := w.FromBot(w.general)
	if len(got) != 1 || got[0].ReplyTo != id || !strings.Contains(got[0].Content, "Fourteen days.") || !got[0].SuppressEmbeds {
		t.Errorf("got %+v", got)
	}
	q := w.question(1)
	if q.Text != "how many days of leave?" || q.Viewer.Account != "discord:1001/"+w.ann || q.Place.Thread != threadID(discordtest.Guild, w.general, id) {
		t.Errorf("asked %+v", q)
	}
	if w.Typing(w.general) == 0 {
		t.Error("there was no sign of life")
	}
}

func TestOthersMessagesAreLeftAlone(t *testing.T) {
	w := newWorld(t, nil)
	w.Say(w.general, w.bob, "how many days of leave?")
	w.SayWebhook(w.general, "ci", "<@"+discordtest.BotUser+"> how many days of leave?")
	w.set(w.secret, bot.Settings{Mode: bot.ModeOff})
	w.Mention(w.secret, w.ann, "how many days of leave?")
	w.Mention(w.general, w.ann, "the last one, which is answered?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions were asked", n)
	}
}

func TestModesNeedTheContentIntent(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]bool{"without": false, "with": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Apps[0].Content = content }, discordtest.WithPrivileged(discordtest.MessageContent))
			w.set(w.general, bot.Settings{Mode: bot.ModeQuestions})
			w.Say(w.general, w.bob, "lunch is ready")
			w.Say(w.general, w.bob, "how many days of leave do we have?")
			w.Mention(w.general, w.ann, "and this one")
			want := 1
			if content {
				want = 2
			}
			w.Eventually("answers", func() bool { return len(w.FromBot(w.general)) == want })
			w.settled()
			if n := len(w.questions()); n != want {
				t.Errorf("%d questions", n)
			}
		})
	}
}

// Pain 45: without privileged intents commands, mentions and direct messages work,
// also where the configuration wants more than the application may.
func TestRefusedIntentsAreDoneWithout(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Content, o.Apps[0].Members = true, true })
	if s := w.bot.States()[0].Gateway; !s.Refused {
		t.Errorf("state %+v", s)
	}
	w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
}

func TestFollowUpsInAThreadOfOurs(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Content, o.Apps[0].Threads = true, true }, discordtest.WithPrivileged(discordtest.MessageContent))
	id := w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("a thread", func() bool { return len(w.Threads(w.general)) == 1 })
	thread := w.Threads(w.general)[0].ID
	w.Eventually("an answer in it", func() bool { return len(w.answers(thread)) == 1 })
	w.settled()
	if thread != id || len(w.FromBot(w.general)) != 0 {
		t.Errorf("thread %s of message %s", thread, id)
	}
	w.Say(thread, w.bob, "I wonder about that as well")
	w.Say(thread, w.ann, "and for part-time?")
	w.Eventually("a second answer", func() bool { return len(w.answers(thread)) == 2 })
	q := w.question(2)
	if q.Place.Thread != threadID(discordtest.Guild, w.general, thread) || q.Place.ID != placeID(discordtest.Guild, w.general) {
		t.Errorf("asked in %+v", q.Place)
	}
	if len(q.Context) != 1 || q.Context[0].Text != "I wonder about that as well" || q.Context[0].Author != "bob" {
		t.Errorf("context %+v", q.Context)
	}
	w.settled()
	w.Say(thread, w.ann, "stop")
	w.Eventually("a last word", func() bool { return len(w.answers(thread)) == 3 })
	w.Say(thread, w.ann, "and for interns?")
	w.settled()
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions after stop", n)
	}
}

func TestReplyToTheBotNeedsNoMention(t *testing.T) {
	w := newWorld(t, nil)
	root := w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	w.Reply(w.general, w.bob, w.FromBot(w.general)[0].ID, "<@"+discordtest.BotUser+"> and for part-time?")
	q := w.question(2)
	if q.Place.Thread != threadID(discordtest.Guild, w.general, root) || q.Text != "and for part-time?" {
		t.Errorf("asked %+v", q)
	}
	w.settled()
}

// Pain 55: direct messages are one conversation until /new.
func TestDirectMessagesAreSessions(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.DM(w.ann, "how many days of leave?")
	first := w.question(1)
	w.settled()
	w.DM(w.ann, "and for part-time?")
	second := w.question(2)
	w.settled()
	dm := w.OpenDM(w.ann)
	w.Slash(dm, w.ann, "new", nil)
	w.settled()
	w.DM(w.ann, "something else?")
	third := w.question(3)
	if first.Place.Thread != second.Place.Thread || second.Place.Thread == third.Place.Thread || first.Place.Kind != core.PlaceDirect {
		t.Errorf("threads %s, %s, %s", first.Place.Thread, second.Place.Thread, third.Place.Thread)
	}
	if first.Viewer.Email != "ann@example.com" || first.Viewer.Account != "discord:1001/"+w.ann || !first.Audience.AskerOnly {
		t.Errorf("asked by %+v for %+v", first.Viewer, first.Audience)
	}
	w.settled()
	if n := len(w.FromBot(dm)); n < 4 {
		t.Errorf("%d messages in the direct message\n%s", n, w.Dump())
	}
}

func TestSlashAnswersTheAskerAlone(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many days of leave?", "agent": "legal"})
	w.Eventually("an answer", func() bool {
		got := w.whispers(w.ann)
		return len(got) == 1 && strings.Contains(got[0], "Fourteen")
	})
	w.settled()
	if n := len(w.FromBot(w.general)); n != 0 {
		t.Errorf("%d messages in the channel", n)
	}
	q := w.question(1)
	if q.Place.Kind != core.PlaceEphemeral || q.Viewer.Email != "ann@example.com" || q.Agent.Name != "legal" || !q.Audience.AskerOnly {
		t.Errorf("asked %+v", q)
	}
	one(t, w.whispers(w.ann), "> how many days of leave?")
}

func TestSlashShowsWhereThatIsWanted(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many days of leave?", "show": true})
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 && !w.FromBot(w.general)[0].Thinking })
	w.settled()
	q := w.question(1)
	if q.Place.Kind != core.PlaceEveryone || q.Audience.AskerOnly || q.Place.Thread != threadID(discordtest.Guild, w.general, w.FromBot(w.general)[0].ID) {
		t.Errorf("asked %+v", q.Place)
	}
	w.set(w.general, bot.Settings{Private: true})
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "and now?", "show": true})
	w.Eventually("a private answer", func() bool { return len(w.whispers(w.ann)) == 1 })
	w.settled()
	if n := len(w.FromBot(w.general)); n != 1 {
		t.Errorf("%d messages in a channel whose answers are private", n)
	}
}

func TestPlaceWithPrivateAnswersOffersAButton(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{Private: true})
	w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("a button", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	if n := len(w.questions()); n != 0 {
		t.Fatalf("%d questions", n)
	}
	w.Click(w.ann, w.FromBot(w.general)[0].ID, "Show me the answer")
	w.Eventually("the answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	if q := w.question(1); q.Text != "how many days of leave?" || q.Place.Kind != core.PlaceEphemeral {
		t.Errorf("asked %+v", q)
	}
	w.settled()
}

func TestAskAboutAMessage(t *testing.T) {
	w := newWorld(t, nil)
	id := w.Say(w.general, w.bob, "Travel costs more than 100 need an approval.")
	w.ContextMenu(w.general, w.ann, commandAbout, id)
	w.Eventually("a form", func() bool { _, _, _, open := w.Modal(w.ann); return open })
	w.SubmitModal(w.ann, map[string]string{"text": "is this still right?"})
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	w.settled()
	q := w.question(1)
	if q.Text != "is this still right?" || len(q.Context) != 1 || q.Context[0].Author != "bob" || !strings.HasPrefix(q.Context[0].Text, "Travel") {
		t.Errorf("asked %+v", q)
	}
}

func TestEditsAndDeletions(t *testing.T) {
	w := newWorld(t, nil)
	id := w.Say(w.general, w.ann, "how many days of leave?")
	w.Edit(id, "<@"+discordtest.BotUser+"> how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.Edit(id, "<@"+discordtest.BotUser+"> how many days of leave, really?")
	w.Unfurl(id, "a page", "https://example.com")
	w.settled()
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions after edits", n)
	}
	w.script(append(say("A draft that nobody should keep. "), step{wait: "go"})...)
	gone := w.Mention(w.general, w.bob, "a question that goes?")
	w.Eventually("a draft", func() bool { return len(w.FromBot(w.general)) == 2 })
	w.Delete(gone)
	w.Eventually("the draft to go", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
}

func TestEmptyMentionSaysHowToAsk(t *testing.T) {
	w := newWorld(t, nil)
	w.Mention(w.general, w.ann, "")
	w.Eventually("a hint", func() bool { return len(w.FromBot(w.general)) == 1 })
	one(t, w.answers(w.general), "/ask")
	w.settled()
}

func TestNamesStandForIDs(t *testing.T) {
	w := newWorld(t, nil)
	w.Mention(w.general, w.ann, "does <@"+w.bob+"> of <@&"+w.staff+"> read <#"+w.general+"> or <#"+w.secret+"> <:party:77> <t:1700000000:f>?")
	q := w.question(1)
	if want := "does @bob of @staff read #general or #a-channel :party: 2023-11-14 22:13 UTC?"; q.Text != want {
		t.Errorf("asked %q", q.Text)
	}
	w.settled()
}

func TestFilesAreReadOrNamed(t *testing.T) {
	w := newWorld(t, nil)
	w.Mention(w.general, w.ann, "what is in these?", discordtest.WithFiles(
		discordtest.File{Name: "a.txt", Type: "text/plain; charset=utf-8", Data: []byte("the text of a")},
		discordtest.File{Name: "b.mp4", Type: "video/mp4", Data: []byte("x")},
		discordtest.File{Name: "c.pdf", Type: "application/pdf", Data: []byte("%PDF")}))
	q := w.question(1)
	if len(q.Files) != 1 || q.Files[0].Text != "the text of a" {
		t.Errorf("files %+v", q.Files)
	}
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	one(t, w.answers(w.general), "b.mp4")
	one(t, w.answers(w.general), "c.pdf")
}

func TestSummariesAreOfTheThread(t *testing.T) {
	w := newWorld(t, nil, discordtest.WithPrivileged(discordtest.MessageContent))
	root := w.Say(w.general, w.bob, "Shall we move the release?")
	thread := w.StartThread(w.bob, root, "the release")
	w.Say(thread, w.ann, "To Friday.")
	w.Say(thread, w.hal, "Fine.")
	for n, where := range []struct{ channel, message string }{{w.general, root}, {thread, w.Say(thread, w.bob, "Done.")}} {
		w.ContextMenu(where.channel, w.ann, commandSum, where.message)
		q := w.question(n + 1)
		var said []string
		for _, s := range q.Context {
			said = append(said, s.Author+": "+s.Text)
		}
		got := strings.Join(said, " | ")
		if !strings.Contains(got, "ann: To Friday. | hal: Fine. | bob: Done.") || q.Place.Kind != core.PlaceEphemeral {
			t.Errorf("asked with %q in %s", got, q.Place.Kind)
		}
		if n == 0 && !strings.HasPrefix(got, "bob: Shall we move") {
			t.Errorf("the beginning is missing: %q", got)
		}
		w.settled()
	}
}

func TestTheBotsRoleStandsForTheBot(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].Content = true }, discordtest.WithPrivileged(discordtest.MessageContent))
	w.works() // all that Discord says at the beginning was said
	f := w.bot.apps[0].facts
	g, err := f.guild(t.Context(), discordtest.Guild)
	if err != nil {
		t.Fatal(err)
	}
	g.Roles = slices.Clone(g.Roles)
	for i := range g.Roles {
		if g.Roles[i].ID == discordtest.BotRole {
			g.Roles[i].Tags = &tags{Bot: discordtest.BotUser}
		}
	}
	f.guilds.put(discordtest.Guild, g, time.Now(), f.guilds.now())
	w.Say(w.general, w.ann, "<@&"+w.staff+"> how many days of leave?")
	w.Say(w.general, w.ann, "<@&"+discordtest.BotRole+"> how many days of leave?")
	if q := w.question(2); q.Text != "how many days of leave?" {
		t.Errorf("asked %q", q.Text)
	}
	w.settled()
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
}
