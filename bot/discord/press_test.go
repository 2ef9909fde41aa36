package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func settingsWith(helpers string) bot.Settings { return bot.Settings{Helpers: helpers} }

func cited(n int, document, url string) step {
	return step{event: core.Cited{Number: n, DocumentID: document, URL: url}}
}

func (w *world) answered(question string) discordtest.Message {
	w.t.Helper()
	before := len(w.FromBot(w.general))
	w.Mention(w.general, w.ann, question)
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == before+1 })
	w.settled()
	return w.FromBot(w.general)[before]
}

func TestVotes(t *testing.T) {
	w := newWorld(t, nil)
	m := w.answered("how many days of leave?")
	w.Click(w.bob, m.ID, "fn_up:"+idOf(m))
	w.settled()
	w.Click(w.ann, m.ID, "fn_down:"+idOf(m))
	w.Eventually("a form", func() bool { _, _, _, open := w.Modal(w.ann); return open })
	w.settled()
	w.SubmitModal(w.ann, map[string]string{"text": "it is thirty days"})
	w.settled()
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	v := w.mem.votes
	if len(v) != 3 || !v[0].Up || v[1].Up || v[1].Reason != "" || v[2].Reason != "it is thirty days" || v[2].Account != "discord:1001/"+w.ann {
		t.Errorf("votes %+v", v)
	}
}

// idOf is what the buttons of a message carry.
func idOf(m discordtest.Message) string {
	for _, b := range m.Buttons {
		if _, id, ok := strings.Cut(b.CustomID, ":"); ok {
			return id
		}
	}
	return ""
}

func TestRegenerateIsForTheAsker(t *testing.T) {
	w := newWorld(t, nil)
	m := w.answered("how many days of leave?")
	w.Click(w.bob, m.ID, "Regenerate")
	w.Eventually("a refusal", func() bool {
		return len(w.whispers(w.bob)) == 1 && strings.Contains(w.whispers(w.bob)[0], "Only who asked")
	})
	w.script(say("Thirty days.")...)
	w.Click(w.ann, m.ID, "Regenerate")
	w.Eventually("another answer", func() bool { return len(w.FromBot(w.general)) == 2 })
	w.settled()
	if got := w.answers(w.general); !strings.Contains(got[0], "Fourteen") || !strings.Contains(got[1], "Thirty") {
		t.Errorf("got %q", got)
	}
	if q := w.question(2); q.Text != "how many days of leave?" || q.History == nil || len(q.History) != 0 {
		t.Errorf("asked %+v", q)
	}
}

func TestStopIsForTheAskerAndManagers(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("It begins. "), step{wait: "never"})...)
	w.Mention(w.general, w.ann, "take your time")
	w.Eventually("a draft", func() bool { return len(w.FromBot(w.general)) == 1 })
	m := w.FromBot(w.general)[0]
	w.Click(w.bob, m.ID, "Stop")
	w.Eventually("a refusal", func() bool { return len(w.whispers(w.bob)) == 1 })
	w.Click(discordtest.Owner, m.ID, "Stop")
	w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "Stopped here") })
	w.settled()
}

func TestSourcesStandBelowAndBehindAButton(t *testing.T) {
	w := newWorld(t, nil)
	var steps []step
	for i := 1; i <= 7; i++ {
		steps = append(steps, cited(i, "", "https://example.com/page_(1)?a=<b>"))
	}
	w.script(append(steps, say("Fourteen days.")...)...)
	m := w.answered("how many days of leave?")
	if !strings.Contains(m.Content, "[1] [Title 1](<https://example.com/page_%281%29?a=%3Cb%3E>)") || !strings.Contains(m.Content, "and 2 more") {
		t.Errorf("got %q", m.Content)
	}
	w.Click(w.bob, m.ID, "All 7 sources")
	w.Eventually("the list", func() bool { return len(w.whispers(w.bob)) == 1 && strings.Contains(w.whispers(w.bob)[0], "[7]") })
	w.settled()
}

// Who sees the question may have it answered with their own access.
func TestPrivateAnswersAreForWhoPresses(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.bob, "bob@example.com")
	m := w.answered("how many days of leave?")
	w.Click(w.bob, m.ID, "Answer privately")
	w.Eventually("an answer", func() bool { return len(w.whispers(w.bob)) == 1 && strings.Contains(w.whispers(w.bob)[0], "Fourteen") })
	w.settled()
	if q := w.question(2); q.Viewer.Email != "bob@example.com" || q.Place.Kind != core.PlaceEphemeral || !q.Audience.AskerOnly {
		t.Errorf("asked %+v", q)
	}
	if n := len(w.FromBot(w.general)); n != 1 {
		t.Errorf("%d messages in the channel", n)
	}
}

// An offer shows to the asker alone, and where it cannot, nothing does.
func TestOffersTellNobodyElse(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("Nothing here."), step{event: core.Offered{Kind: "private", Text: "There is more that you may read."}})...)
	m := w.answered("what are the salaries?")
	none(t, []string{m.Content}, "more")
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "what are the salaries?", "show": true})
	w.Eventually("an offer", func() bool {
		return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "more that you may read")
	})
	w.settled()
	none(t, w.answers(w.general), "more that")
}

// L6: a private answer is shared only if all that it rests on may be read there.
func TestSharingIsCheckedDocumentByDocument(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.script(append([]step{cited(1, "public#leave", "https://example.com/leave")}, say("Fourteen days [1].")...)...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many days of leave?"})
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	w.settled()
	w.Click(w.ann, w.Ephemerals(w.ann)[0].ID, "Share here")
	w.Eventually("a shared answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	one(t, w.answers(w.general), "shares an answer")

	w.script(append([]step{cited(1, "user:ann@example.com#salaries", "https://example.com/salaries")}, say("A lot [1].")...)...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "what are the salaries?"})
	w.Eventually("an answer", func() bool { return strings.Contains(strings.Join(w.whispers(w.ann), ""), "A lot") })
	w.settled()
	list := w.Ephemerals(w.ann)
	w.Click(w.ann, list[len(list)-1].ID, "Share here")
	w.Eventually("a refusal", func() bool { return strings.Contains(strings.Join(w.whispers(w.ann), ""), "not shared") })
	w.settled()
	none(t, w.answers(w.general), "A lot")
	none(t, w.answers(w.general), "salaries")
	if got := strings.Join(w.whispers(w.ann), ""); !strings.Contains(got, "Title of user:ann") {
		t.Errorf("the asker is not told which: %q", got)
	}
	w.script(say("I cannot tell.")...)
	list = w.Ephemerals(w.ann)
	w.Click(w.ann, list[len(list)-1].ID, "Ask it here instead")
	w.Eventually("an answer for all", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "I cannot tell") })
	w.settled()
	qs := w.questions()
	if q := qs[len(qs)-1]; q.Audience.AskerOnly || q.Place.Kind != core.PlaceEveryone {
		t.Errorf("asked for %+v", q.Audience)
	}
}

// L15: who is called for help gets the question, and of the sources only theirs.
func TestHelpersGetTheirOwnSources(t *testing.T) {
	readable := func(v core.Viewer, t core.Turn) []core.Citation {
		var out []core.Citation
		for _, c := range t.Answer.Citations {
			if factsOf(c.DocumentID).Access.Allows(v.Principals) {
				out = append(out, c)
			}
		}
		return out
	}
	w := newWorld(t, func(o *Options) { o.Readable = readableBy(readable) })
	w.linked(w.hal, "hal@example.com")
	w.set(w.general, settingsWith("<@"+w.hal+">"))
	w.script(append([]step{cited(1, "public#leave", "https://example.com/leave"), cited(2, "user:ann@example.com#pay", "https://example.com/pay")}, say("Fourteen days.")...)...)
	m := w.answered("how many days of leave?")
	w.Click(w.bob, m.ID, "I need a human")
	dm := w.OpenDM(w.hal)
	w.Eventually("a call", func() bool { return len(w.FromBot(dm)) == 1 })
	w.settled()
	got := w.answers(dm)
	one(t, got, "how many days of leave?")
	one(t, got, "example.com/leave")
	none(t, got, "example.com/pay")
	none(t, got, "Title 2")
	w.Click(w.hal, w.FromBot(dm)[0].ID, "Resolved")
	bobs := w.OpenDM(w.bob)
	w.Eventually("a last word", func() bool { return len(w.FromBot(bobs)) == 1 })
	w.settled()
}

func TestCannedAnswersHaveAButtonForMore(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{Canned: []bot.Canned{{Name: "vpn", Any: []string{"vpn"}, Answer: "Restart it.", Listed: true}}})
	m := w.answered("my vpn is slow, why?")
	if !strings.Contains(m.Content, "Restart it.") || len(w.questions()) != 0 {
		t.Errorf("got %q", m.Content)
	}
	w.Click(w.ann, m.ID, "Full answer")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 2 })
	w.settled()
	if q := w.question(1); q.Text != "my vpn is slow, why?" {
		t.Errorf("asked %q", q.Text)
	}
}

func TestButtonsOfUnknownAnswers(t *testing.T) {
	w := newWorld(t, nil)
	m := w.answered("how many days of leave?")
	w.mem.mu.Lock()
	clear(w.mem.posted)
	w.mem.mu.Unlock()
	for _, b := range m.Buttons {
		if !strings.HasPrefix(b.CustomID, actDown) {
			w.Click(w.ann, m.ID, b.CustomID)
		}
	}
	w.settled()
	for _, text := range w.whispers(w.ann) {
		if !strings.Contains(text, "no longer know") {
			t.Errorf("told %q", text)
		}
	}
}
