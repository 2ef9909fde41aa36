package discord

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

const (
	routeCallback = "POST /interactions/{id}/{token}/callback"
	routeOriginal = "PATCH /webhooks/{app}/{token}/messages/{message}"
	routeFollowUp = "POST /webhooks/{app}/{token}"
	routePost     = "POST /channels/{channel}/messages"
	routeEdit     = "PATCH /channels/{channel}/messages/{message}"
	routeDelete   = "DELETE /channels/{channel}/messages/{message}"
)

// Whatever Discord does to a private answer, it reaches its asker or nobody, and no
// part of it is a message of the channel.
func TestPrivateAnswersStayPrivateWhateverFails(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Walrus number one. ", 160) // two messages
	for name, faults := range map[string]map[string]discordtest.Fault{
		"the token is unknown":       {routeOriginal: {Times: -1, Status: 404, Code: 10015, Message: "Unknown Webhook"}, routeFollowUp: {Times: -1, Status: 404, Code: 10015, Message: "Unknown Webhook"}},
		"the token is too old":       {routeOriginal: {Times: -1, Status: 401, Code: 50027, Message: "Invalid Webhook Token"}, routeFollowUp: {Times: -1, Status: 401, Code: 50027, Message: "Invalid Webhook Token"}},
		"the interaction is unknown": {routeOriginal: {Times: -1, Status: 404, Code: 10062, Message: "Unknown interaction"}, routeFollowUp: {Times: -1, Status: 404, Code: 10062, Message: "Unknown interaction"}},
		"the first message is gone":  {routeOriginal: {Times: -1, Status: 404, Code: 10008, Message: "Unknown Message"}},
		"follow-ups are forbidden":   {routeFollowUp: {Times: -1, Status: 403, Code: 50013, Message: "Missing Permissions"}},
		"follow-ups land unseen":     {routeFollowUp: {After: true, Status: 502}},
		"follow-ups fail":            {routeFollowUp: {Status: 500}},
		"edits land unseen":          {routeOriginal: {Times: 2, After: true, Status: 500}},
		"an edit is cut":             {routeOriginal: {Times: 2, Reset: true}},
		"an edit is cut in answer":   {routeOriginal: {Times: 2, After: true, Body: `{"id":`}},
		"slow down":                  {routeOriginal: {Times: 2, Status: 429, RetryAfter: 300 * time.Millisecond}},
		"the promise lands unseen":   {routeCallback: {Times: 3, After: true, Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.script(say(long)...)
			for route, f := range faults {
				w.Fail(route, f)
			}
			w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many?"})
			dm := w.OpenDM(w.ann)
			w.until("the answer", func() bool {
				all := strings.Join(append(w.whispers(w.ann), w.answers(dm)...), "")
				return strings.Count(all, "Walrus number one.") >= 160
			})
			w.settled()
			if list := w.FromBot(w.general); len(list) > 0 {
				t.Errorf("the channel shows %q", list[0].Content)
			}
			for _, m := range w.Messages(w.general) {
				if m.To == "" && m.EverShown("Walrus") {
					t.Errorf("the channel saw %.40q", m.Content)
				}
			}
		})
	}
}

// What somebody may read in a channel is not sent after them when they have left
// it.
func TestLateAnswersDoNotFollowWhoLeft(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{wait: "go"}, step{event: core.TextDelta{Delta: "The secret is out."}})
	dm := w.OpenDM(w.ann)
	w.Slash(w.secret, w.ann, "ask", discordtest.Options{"question": "what is secret?"})
	w.question(1)
	w.RemoveMember(discordtest.Guild, w.ann)
	w.bot.apps[0].facts.clear()
	w.expired()
	w.let("go")
	w.settled()
	none(t, w.answers(dm), "secret is out")
}

// Interactions that Discord will not have answered are left alone.
func TestRefusedPromises(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]discordtest.Fault{
		"too late":       {Status: 404, Code: 10062, Message: "Unknown interaction"},
		"somebody else":  {Status: 400, Code: 40060, Message: "Interaction has already been acknowledged."},
		"not understood": {Status: 400, Code: 50035, Message: "Invalid Form Body"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.Fail(routeCallback, f)
			w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many?"})
			w.Eventually("the call", func() bool { return len(w.Calls(routeCallback)) == 1 })
			w.settled()
			if n := len(w.questions()) + len(w.FromBot(w.general)) + len(w.FromBot(w.OpenDM(w.ann))); n != 0 {
				t.Errorf("%d questions and messages", n)
			}
		})
	}
}

// hiddenOnly has the grant of the hidden channel count as long as it is hidden, and
// answers by class.
func hiddenOnly(w *world, hidden ...step) {
	w.mem.bound = func(p core.Place) core.Place {
		p.Granted = []core.Grantee{{Collection: core.Collection{Name: "staff only"}}}
		if p.Kind == core.PlaceEveryone {
			p.Granted = nil
		}
		return p
	}
	w.mem.script = func(q core.Question) []step {
		if q.Audience.Class == string(core.PlaceHidden) {
			return hidden
		}
		return say("Nothing for all.")
	}
}

// L4 with everything that an answer may consist of, while Discord works badly: the
// messages of a long draft, by an interaction and in the channel, and by a role
// instead of the channel.
func TestWithdrawnWhollyAndWhateverFails(t *testing.T) {
	t.Parallel()
	long := append(say(strings.Repeat("The secret is out. ", 260)), step{wait: "never"}) // three messages
	open := map[string]func(*world){
		"by the channel": func(w *world) { w.RemoveOverwrite(w.secret, discordtest.Guild) },
		"by a role": func(w *world) {
			w.ChangeRole(discordtest.Guild, discordtest.Guild, func(r *discordtest.Role) { r.Permissions |= discordtest.Administrator })
		},
	}
	ask := map[string]func(*world){
		"a message": func(w *world) { w.Mention(w.secret, w.ann, "what is secret?") },
		"a command": func(w *world) {
			w.Slash(w.secret, w.ann, "ask", discordtest.Options{"question": "what is secret?", "show": true})
		},
	}
	for asked, do := range ask {
		for opened, wider := range open {
			t.Run(asked+", "+opened, func(t *testing.T) {
				w := newWorld(t, nil)
				hiddenOnly(w, long...)
				do(w)
				w.Eventually("three drafts", func() bool { return len(w.answers(w.secret)) == 3 })
				for _, route := range []string{routeEdit, routeDelete, routeOriginal, "DELETE /webhooks/{app}/{token}/messages/{message}"} {
					w.Fail(route, discordtest.Fault{Times: 2, Status: 500})
				}
				wider(w)
				w.until("another answer", func() bool {
					all := w.answers(w.secret)
					return len(all) > 0 && strings.Contains(all[len(all)-1], "Nothing for all")
				})
				w.settled()
				none(t, w.answers(w.secret), "secret is out")
			})
		}
	}
}

// An answer that waits for a limit while its channel is opened is not posted: not
// its first message, not its last, not its file.
func TestOpenedWhileTheAnswerWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		skip  int
		route string
	}{
		"the only message": {"The secret is out.", 0, routePost},
		"the second":       {strings.Repeat("The secret is out. ", 160), 1, routePost},
		"a file":           {strings.Repeat("The secret is out. ", 900), 0, routePost},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.timing.edit, o.timing.slow = time.Hour, time.Hour })
			hiddenOnly(w, say(c.text)...)
			caught, release := w.stick(c.route, discordtest.Fault{Skip: c.skip, Status: 429, RetryAfter: 300 * time.Millisecond})
			w.Mention(w.secret, w.ann, "what is secret?")
			caught()
			w.RemoveOverwrite(w.secret, discordtest.Guild)
			w.until("the bot to know", func() bool {
				return w.bot.apps[0].place(t.Context(), discordtest.Guild, w.secret).Kind == core.PlaceEveryone
			})
			release()
			w.until("a word about it", func() bool { return strings.Contains(strings.Join(w.answers(w.secret), ""), "did not post the answer") })
			w.settled()
			none(t, w.answers(w.secret), "secret is out")
			for _, m := range w.FromBot(w.secret) {
				if len(m.Files) > 0 {
					t.Errorf("files %+v", m.Files)
				}
			}
		})
	}
}

// A message that Discord took without saying so is found by the next one.
func TestMessagesThatLandUnseen(t *testing.T) {
	w := newWorld(t, nil)
	w.Fail(routePost, discordtest.Fault{Times: 2, After: true, Status: 500})
	out := &channelPoster{a: w.bot.apps[0], req: &request{guild: discordtest.Guild, channel: w.general}, id: "x"}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := out.post(ctx, payload{Content: "a draft"}); err == nil {
		t.Fatal("no error")
	}
	w.Heal()
	ref, err := out.post(t.Context(), payload{Content: "the answer"})
	if err != nil || ref == "" {
		t.Fatal(ref, err)
	}
	if list := w.FromBot(w.general); len(list) != 1 || list[0].Content != "the answer" || list[0].ID != ref {
		t.Errorf("got %+v", list)
	}
	if _, err := out.post(t.Context(), payload{Content: "more"}); err != nil {
		t.Fatal(err)
	}
	one(t, w.answers(w.general)[1:], "more")
}

// Where everything is held by a limit, people who press something still hear at
// once.
func TestInteractionsAreNotHeldByTheGlobalLimit(t *testing.T) {
	w := newWorld(t, nil)
	w.bot.apps[0].api.limits.hit("x", time.Hour, true)
	id := w.Slash(w.general, w.ann, "footnote help", discordtest.Options{})
	w.Eventually("the promise", func() bool { i, _ := w.Interaction(id); return i.Response == 5 })
}

// The end of the program is not held up by a limit, however long.
func TestStoppingIsNotHeldUp(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{})
	w.script(say("Fourteen days.")...)
	w.Fail(routePost, discordtest.Fault{Times: -1, Status: 429, RetryAfter: 4 * time.Minute})
	w.Mention(w.general, w.ann, "how many?")
	w.Eventually("the refusal", func() bool { return len(w.Calls(routePost)) > 0 })
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	w.stop()
	if took := time.Since(began); took > 3*time.Minute {
		t.Errorf("after %s", took)
	}
}

// A file that has to be sent again is the whole file.
func TestFilesAreSentAgainWhole(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]discordtest.Fault{
		"slow down": {Times: 2, Status: 429, RetryAfter: 100 * time.Millisecond}, "a failure": {Status: 500}, "landed unseen": {After: true, Status: 502},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.timing.edit, o.timing.slow = time.Hour, time.Hour })
			text := strings.Repeat("Fourteen days, or more. ", 500)
			w.script(step{wait: "go"}, step{event: core.TextDelta{Delta: text}})
			w.Fail(routePost, f)
			w.Mention(w.general, w.ann, "how many?")
			w.question(1)
			w.let("go")
			w.Eventually("the file", func() bool { list := w.FromBot(w.general); return len(list) == 1 && len(list[0].Files) == 1 })
			w.settled()
			if got := len(w.FromBot(w.general)[0].Files[0].Data); got < len(text)-1 {
				t.Errorf("%d bytes of %d", got, len(text))
			}
		})
	}
}

// A machine that never replies, and so begins anew each time, is left alone after
// three answers, until a person writes.
func TestMachinesDoNotLoop(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Apps[0].AllowBots = []string{"4444"} })
	w.AddUser(discordtest.User{ID: "4444", Name: "robot", Bot: true})
	w.AddMember(discordtest.Member{Guild: discordtest.Guild, User: "4444"})
	ask := func() {
		w.Mention(w.general, "4444", "and now?")
		w.settled()
	}
	for range 6 {
		ask()
	}
	if n := len(w.questions()); n != 3 {
		t.Errorf("%d questions", n)
	}
	w.Say(w.general, w.ann, "enough")
	ask()
	if n := len(w.questions()); n != 4 {
		t.Errorf("%d questions after a person wrote", n)
	}
}

// So is a message of a public answer to a command, which has no name.
func TestFollowUpsThatLandUnseen(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]discordtest.Fault{"landed": {After: true, Status: 500}, "cut": {After: true, Reset: true}, "not landed": {Status: 500}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			hiddenOnly(w, append(say(strings.Repeat("The secret is out. ", 160)), step{wait: "never"})...) // two messages
			w.Fail(routeFollowUp, f)
			w.Slash(w.secret, w.ann, "ask", discordtest.Options{"question": "what is secret?", "show": true})
			w.Eventually("two drafts", func() bool { return len(w.answers(w.secret)) == 2 })
			time.Sleep(500 * time.Millisecond)
			if n := len(w.answers(w.secret)); n != 2 {
				t.Errorf("%d messages", n)
			}
			w.RemoveOverwrite(w.secret, discordtest.Guild)
			w.until("another answer", func() bool { return strings.Contains(strings.Join(w.answers(w.secret), ""), "Nothing for all") })
			w.settled()
			none(t, w.answers(w.secret), "secret is out")
		})
	}
}
