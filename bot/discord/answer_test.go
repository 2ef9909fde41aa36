package discord

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// Every call that shows a text says that nobody may be notified, whatever brings
// it about: answers, edits, follow-ups, notices, help, shared answers. (Pain 52,
// and 57: no answer asks for the newer components, which cannot be taken back.)
func TestNothingMentionsAnybody(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	nasty := "@everyone and @here and <@" + w.bob + "> and <@&" + w.staff + ">"
	w.set(w.general, settingsWith(w.hal))
	w.script(append(say(nasty+" "), step{wait: "go"}, step{event: core.TextDelta{Delta: nasty}}, step{event: core.Noticed{Text: nasty}},
		step{event: core.Offered{Text: nasty}})...)
	w.Mention(w.general, w.ann, nasty)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": nasty, "show": true})
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": nasty})
	w.Eventually("drafts", func() bool {
		return len(w.FromBot(w.general)) == 2 && len(w.whispers(w.bob)) == 1 && w.whispers(w.bob)[0] != ""
	})
	w.let("go")
	w.settled()
	for _, m := range w.FromBot(w.general) {
		for _, b := range m.Buttons {
			if b.Label != "Stop" {
				w.Click(w.ann, m.ID, b.CustomID)
			}
		}
	}
	for _, m := range w.Ephemerals(w.bob) {
		for _, b := range m.Buttons {
			w.Click(w.bob, m.ID, b.CustomID)
		}
	}
	w.DM(w.ann, nasty)
	w.Mention(w.general, w.ann, "")
	w.settled()
	hows := map[string]bool{}
	for _, p := range w.Posts() {
		hows[p.How] = true
		var allowed struct{ Parse, Users, Roles []string }
		if p.Allowed == nil || json.Unmarshal(p.Allowed, &allowed) != nil || allowed.Parse == nil || len(allowed.Parse)+len(allowed.Users)+len(allowed.Roles) > 0 {
			t.Errorf("%s to %s allows %s", p.How, p.Channel, p.Allowed)
		}
	}
	if len(hows) < 4 {
		t.Errorf("only %v were tried", hows)
	}
	shown := map[string]bool{"/messages": true, "/callback": true, "/webhooks": true}
	for _, c := range w.Calls("") {
		for part := range shown {
			if !strings.Contains(c.Path, part) || strings.HasPrefix(c.Route, "GET") || strings.HasPrefix(c.Route, "DELETE") || strings.Contains(c.Route, "/threads") {
				continue
			}
			var body struct {
				Flags int `json:"flags"`
				Type  int `json:"type"`
				Data  struct {
					Flags   int             `json:"flags"`
					Allowed json.RawMessage `json:"allowed_mentions"`
				} `json:"data"`
				Allowed json.RawMessage `json:"allowed_mentions"`
			}
			if err := json.Unmarshal(c.Body, &body); err != nil {
				t.Fatal(err)
			}
			silent := body.Type >= 5 // a promise, an update without text, choices, a form
			if !silent && body.Allowed == nil && body.Data.Allowed == nil {
				t.Errorf("%s says nothing about mentions: %s", c.Route, c.Body)
			}
			if (body.Flags|body.Data.Flags)&(1<<15) != 0 {
				t.Errorf("%s asks for components of the newer kind", c.Route)
			}
		}
	}
}

// Pain 50: edits are few and come slower and slower, and the end lands although
// the limit was hit.
func TestFinalLandsWhateverBecameOfTheDrafts(t *testing.T) {
	w := newWorld(t, nil)
	const edits = "PATCH /channels/{channel}/messages/{message}"
	w.Fail(edits, discordtest.Fault{Times: 3, Status: 429, RetryAfter: 200 * time.Millisecond})
	var steps []step
	for i := range 200 {
		steps = append(steps, step{event: core.TextDelta{Delta: fmt.Sprintf("word%d ", i)}})
		if i%40 == 39 {
			steps = append(steps, step{wait: fmt.Sprint("go", i)})
		}
	}
	w.script(steps...)
	w.Mention(w.general, w.ann, "tell me much")
	w.Eventually("a draft", func() bool { return len(w.FromBot(w.general)) == 1 })
	draft := w.FromBot(w.general)[0].ID
	for _, i := range []int{39, 79, 119, 159, 199} {
		time.Sleep(150 * time.Millisecond) // for drafts in between
		w.let(fmt.Sprint("go", i))
	}
	w.Eventually("the end", func() bool {
		return len(w.FromBot(w.general)) == 1 && strings.Contains(w.FromBot(w.general)[0].Content, "word199")
	})
	w.settled()
	if n := len(w.Calls(edits)); n > 50 {
		t.Errorf("%d edits for 200 pieces", n)
	}
	if got := w.FromBot(w.general)[0]; got.ID != draft || len(got.Buttons) == 0 || got.Buttons[0].Label == "Stop" {
		t.Errorf("buttons %+v", got.Buttons)
	}
}

// Pains 53 and 54: code is not torn, and code points count.
func TestLongAnswersAreCutWhole(t *testing.T) {
	w := newWorld(t, nil)
	code := "```go\n" + strings.Repeat("fmt.Println(\"a line of code\")\n", 120) + "```"
	w.script(say("Before.\n\n"+code, "\n\nAfter.")...)
	w.Mention(w.general, w.ann, "show code")
	w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "After.") })
	w.settled()
	got := w.answers(w.general)
	if len(got) < 2 || len(got) > 3 {
		t.Errorf("%d messages", len(got))
	}
	for _, text := range got {
		if n := strings.Count(text, "```"); n%2 != 0 || len([]rune(text)) > 2000 {
			t.Errorf("%d fences and %d characters in %q", n, len([]rune(text)), text)
		}
	}
	w.script(say(strings.Repeat("🙂", 1800))...)
	w.Mention(w.secret, w.ann, "smile")
	w.Eventually("smiles", func() bool { return len(w.FromBot(w.secret)) > 0 })
	w.settled()
	if n := len(w.FromBot(w.secret)); n != 1 {
		t.Errorf("%d messages for 1,800 code points", n)
	}
}

func TestVeryLongAnswersComeAsAFile(t *testing.T) {
	w := newWorld(t, nil)
	w.script(say(strings.Repeat("A sentence of an answer that goes on and on. ", 400), "The end.")...)
	w.Mention(w.general, w.ann, "tell me everything")
	w.Eventually("a file", func() bool {
		got := w.FromBot(w.general)
		return len(got) == 1 && len(got[0].Files) == 1
	})
	w.settled()
	got := w.FromBot(w.general)
	if len(got) != 1 || !strings.Contains(string(got[0].Files[0].Data), "The end.") || !strings.Contains(got[0].Content, "answer.md") {
		t.Errorf("got %d messages, %+v", len(got), got[0])
	}
}

// Pain 51: a draft that may not be edited any more becomes a new message.
func TestOldDraftsAreReplaced(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("The beginning. "), step{wait: "go"}, step{event: core.TextDelta{Delta: "The end."}})...)
	w.Mention(w.general, w.ann, "take your time")
	w.Eventually("a draft", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.Clock().Advance(2 * time.Hour)
	w.let("go")
	w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "The end.") })
	w.settled()
	if got := w.FromBot(w.general); len(got) != 1 || len(got[0].Buttons) < 2 {
		t.Errorf("got %+v", got)
	}
}

// Pain 48: the first word comes before anything is looked up.
func TestInteractionsAreAcknowledgedAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.bot.apps[0].facts.clear()
	var acked atomic.Bool
	for _, route := range []string{"GET /guilds/{guild}", "GET /guilds/{guild}/members/{user}", "GET /channels/{channel}"} {
		w.Fail(route, discordtest.Fault{Times: -1, Status: 500, When: func(discordtest.Call) bool { return !acked.Load() }})
	}
	id := w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many days of leave?"})
	w.Eventually("the first word", func() bool { i, _ := w.Interaction(id); return i.Response == 5 })
	acked.Store(true)
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && w.whispers(w.ann)[0] != "" })
	w.settled()
}

// Pain 49: the follow-ups of one interaction are one stream of edits.
func TestInteractionIsOneStreamOfEdits(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("The beginning. "), step{wait: "go"}, step{event: core.TextDelta{Delta: "The end."}})...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how?"})
	w.Eventually("a draft", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "beginning") })
	w.let("go")
	w.Eventually("the end", func() bool { return strings.Contains(w.whispers(w.ann)[0], "The end.") })
	w.settled()
	if n := len(w.Calls("POST /webhooks/{app}/{token}")); n != 0 {
		t.Errorf("%d follow-ups", n)
	}
}

// An answer for the asker alone never goes on in the channel: when its time is
// over it comes as a direct message.
func TestLatePrivateAnswerDoesNotSpill(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("A secret begins. "), step{wait: "go"}, step{event: core.TextDelta{Delta: "It ends."}})...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "what is secret?"})
	w.Eventually("a draft", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "begins") })
	w.expired()
	w.let("go")
	dm := w.OpenDM(w.ann)
	w.Eventually("a direct message", func() bool { return strings.Contains(strings.Join(w.answers(dm), ""), "It ends.") })
	w.settled()
	if got := w.answers(w.general); len(got) != 0 {
		t.Errorf("in the channel: %q", got)
	}
}

// One for everybody goes on as messages of the channel.
func TestLatePublicAnswerGoesOn(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("It begins. "), step{wait: "go"}, step{event: core.TextDelta{Delta: "It ends."}})...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "what?", "show": true})
	w.Eventually("a draft", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "begins") })
	w.expired()
	w.let("go")
	w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "It ends.") })
	w.settled()
	one(t, w.answers(w.general), "It begins.")
}

func TestAnswerThatMayNotBePostedReachesItsAsker(t *testing.T) {
	w := newWorld(t, nil)
	w.SetOverwrite(w.general, discordtest.Overwrite{ID: discordtest.BotUser, Member: true, Deny: discordtest.SendMessages})
	w.Mention(w.general, w.ann, "how many days of leave?")
	dm := w.OpenDM(w.ann)
	w.Eventually("a direct message", func() bool { return strings.Contains(strings.Join(w.answers(dm), ""), "Fourteen") })
	w.settled()
}

func TestFailuresEndInAShortSentence(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{err: core.Errorf(core.KindUnavailable, "The model does not answer.")})
	w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("a sentence", func() bool { return len(w.FromBot(w.general)) == 1 && len(w.FromBot(w.general)[0].Buttons) > 0 })
	w.settled()
	one(t, w.answers(w.general), "Request id")
	w.mem.mu.Lock()
	w.mem.limit = 90 * time.Second
	w.mem.mu.Unlock()
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "too often?"})
	w.Eventually("a wait", func() bool { return len(w.whispers(w.bob)) == 1 && strings.Contains(w.whispers(w.bob)[0], "1m30s") })
	w.settled()
}

func TestStagesShowBeforeText(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{event: core.DocumentsFound{Documents: []core.DocumentRef{{Title: "Layoffs"}, {Title: "Layoffs 2"}}}}, step{wait: "go"}, step{event: core.TextDelta{Delta: "Done."}})
	w.Mention(w.general, w.ann, "take your time")
	w.Eventually("a stage", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "Reading 2 documents") })
	none(t, w.answers(w.general), "Layoffs")
	w.Click(w.ann, w.FromBot(w.general)[0].ID, "Stop")
	w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "Stopped") })
	w.settled()
}

// The same where nothing was shown before the time was over.
func TestLateFirstWords(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{wait: "go"}, step{event: core.TextDelta{Delta: "It was worth it."}})
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "for all?", "show": true})
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "for me?"})
	w.question(2)
	w.expired()
	w.let("go")
	dm := w.OpenDM(w.bob)
	w.Eventually("both answers", func() bool {
		return strings.Contains(strings.Join(w.answers(w.general), ""), "for all?") && strings.Contains(strings.Join(w.answers(dm), ""), "for me?")
	})
	w.settled()
	none(t, w.answers(w.general), "for me?")
	none(t, w.answers(dm), "could not post")
	if n := len(w.answers(w.OpenDM(w.ann))); n != 0 {
		t.Errorf("%d direct messages about an answer for everybody", n)
	}
}
