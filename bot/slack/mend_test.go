package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

// TestAnInterruptedAnswerIsMended kills the program while an answer is being
// written: its books say so, and the next start tells the asker.
func TestAnInterruptedAnswerIsMended(t *testing.T) {
	w := newWorld(t, nil, slacktest.AckTimeout(3*time.Second)) // what was on its way comes again
	w.script(says("First part, long enough to be shown.")[0], step{wait: "go"})
	ts := w.Mention("C1", "U1", "tell me")
	w.Eventually("a draft in the books", func() bool {
		p, err := w.mem.Posted(context.Background(), "id1")
		return err == nil && len(p.Refs) == 1
	})
	var crashed []core.Posted
	w.mem.mu.Lock()
	for _, p := range w.mem.posted {
		crashed = append(crashed, p)
	}
	w.mem.mu.Unlock()
	if len(crashed) != 1 || !crashed[0].Open || len(crashed[0].Refs) != 1 || crashed[0].Account != "slack:T1/U1" {
		t.Fatalf("the books say %+v", crashed)
	}
	w.Fail("", slacktest.Fault{Error: "internal_error", Times: -1}) // what dies says nothing
	w.stop()
	w.Heal()
	w.mem.mu.Lock()
	w.mem.posted = map[string]core.Posted{crashed[0].ID: crashed[0]} // as a crash leaves it
	w.mem.mu.Unlock()
	w.script(says("The answer.")...)
	w.start(nil)
	w.Eventually("the notice", func() bool {
		m, _ := w.MessageAt("C1", crashed[0].Refs[0])
		return strings.Contains(m.Shown, "I was interrupted")
	})
	w.Eventually("closed books", func() bool { p, _ := w.mem.Posted(t.Context(), crashed[0].ID); return !p.Open })
	(&scene{world: w}).click("U1", "C1", "Ask again")
	w.settled()
	last := w.FromApps("C1")
	if m := last[len(last)-1]; !strings.Contains(m.Shown, "The answer.") || m.Thread != ts {
		t.Errorf("asked again: %+v\n%s", m, w.Dump())
	}
}

// TestClosingTellsTheAsker ends the program the proper way.
func TestClosingTellsTheAsker(t *testing.T) {
	w := newWorld(t, nil)
	w.script(says("First part, long enough to be shown.")[0], step{wait: "go"})
	w.Mention("C1", "U1", "tell me")
	w.Eventually("a draft", func() bool { return len(w.FromApps("C1")) == 1 })
	w.stop()
	if m := w.FromApps("C1")[0]; !strings.Contains(m.Shown, "stopping") {
		t.Errorf("shown: %q", m.Shown)
	}
}

func TestALedgerThatFailsIsNotSilent(t *testing.T) {
	w := newWorld(t, nil)
	w.mem.mu.Lock()
	w.mem.broken = errors.New("disk full")
	w.mem.mu.Unlock()
	w.Mention("C1", "U1", "tell me")
	w.Eventually("a word", func() bool { return len(w.Ephemerals("U1")) > 0 })
	if m := w.Ephemerals("U1")[0]; strings.Contains(m.Shown, "disk") || !strings.Contains(m.Shown, "ask again") {
		t.Errorf("shown: %q", m.Shown)
	}
}

// TestASignOfLifeComesFirst looks at a channel and at a direct message while the
// answer is not there yet.
func TestASignOfLifeComesFirst(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{event: core.StatusChanged{Stage: "searching"}}, step{wait: "go"}, says("Answer.")[0])
	ts := w.Mention("C1", "U1", "tell me")
	w.Eventually("a reaction", func() bool { m, _ := w.MessageAt("C1", ts); return len(m.Reactions[eyes]) == 1 })
	channel, dm := w.DM("U2", "tell me")
	w.Eventually("a status", func() bool { return strings.Contains(w.Thread(channel, dm).Status, "searching") })
	w.let("go")
	w.settled()
	if m, _ := w.MessageAt("C1", ts); len(m.Reactions[eyes]) != 0 {
		t.Error("the reaction stays")
	}
	if s := w.Thread(channel, dm).Status; s != "" {
		t.Errorf("the status stays: %q", s)
	}
}

func TestStreamsAreAskedForOncePerKindOfChannel(t *testing.T) {
	w := newWorld(t, nil, slacktest.NoStreamsIn(slacktest.Public))
	drafted := func(channel string, ask func()) {
		gate, before := fmt.Sprint("go ", len(w.questions())), len(w.standing(channel))
		w.script(append(says("First part, long enough to be shown."), step{wait: gate})...)
		ask()
		w.Eventually("a draft", func() bool { return len(w.standing(channel)) > before })
		w.let(gate)
		w.settled()
	}
	for range 3 {
		drafted("C1", func() { w.Mention("C1", "U1", "tell me") })
	}
	if n := len(w.Calls("chat.startStream")); n != 1 {
		t.Errorf("asked %d times for what Slack does not have here", n)
	}
	drafted(w.DMChannel("U1"), func() { w.DM("U1", "tell me") })
	if n := len(w.Calls("chat.startStream")); n != 2 {
		t.Error("another kind of channel was not asked for")
	}
}

// TestWhatBreaksBeforeTheQuestionIsAskedIsSaid breaks the look-ups that come
// first.
func TestWhatBreaksBeforeTheQuestionIsAskedIsSaid(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*memory){
		"an error": func(m *memory) { m.unset = errors.New("disk full") },
		"a panic":  func(m *memory) { m.panics = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.mem.mu.Lock()
			breaks(w.mem)
			w.mem.mu.Unlock()
			w.Mention("C1", "U1", "tell me")
			w.settled()
			list := w.FromApps("C1")
			if len(list) != 1 || !strings.Contains(list[0].Shown, "Request id") || strings.Contains(list[0].Shown, "disk") {
				t.Errorf("shown:\n%s", w.Dump())
			}
		})
	}
}

// TestWhatTheBooksDoNotHaveIsMended leaves the books as a crash leaves them between
// a call to Slack and the line about it: a draft, a stream, an answer that was
// complete, a notice of a start before.
func TestWhatTheBooksDoNotHaveIsMended(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		opts []slacktest.Option
		end  bool // the answer was complete
		want string
	}{
		"draft":    {opts: []slacktest.Option{slacktest.NoStreamsIn(slacktest.Public)}, want: "I was interrupted"},
		"stream":   {want: "I was interrupted"},
		"complete": {end: true, want: "First part"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, row.opts...)
			w.script(says("First part, long enough to be shown.")[0], step{wait: "go"})
			ts := w.Mention("C1", "U1", "tell me")
			w.Eventually("a message", func() bool { return len(w.standing("C1")) == 1 })
			if row.end {
				w.let("go")
				w.settled()
			}
			a := w.bot.apps[0]
			p, err := w.mem.Posted(t.Context(), "id1")
			if err != nil {
				t.Fatal(err)
			}
			p.Refs, p.Open = nil, true
			for range 2 { // the second start finds what the first one said
				a.mendOne(t.Context(), p)
				got := w.standing("C1")
				if len(got) != 1 || !strings.Contains(got[0].Shown, row.want) || got[0].Stream == "in_progress" || got[0].Thread != ts {
					t.Errorf("shown: %+v", got)
				}
			}
		})
	}
}

// TestAQuestionIsNotedBeforeLookUps has Slack swallow the first look-up of a
// question: the books know of it already.
func TestAQuestionIsNotedBeforeLookUps(t *testing.T) {
	w := newWorld(t, nil)
	lookUps := w.stick("users.info", slacktest.Fault{Times: -1})
	w.Mention("C1", "U1", "tell me")
	w.Slash("C1", "U2", "/ask", "tell me alone")
	w.Eventually("two lines in the books", func() bool {
		open, _ := w.mem.Unfinished(t.Context(), platform)
		return len(open) == 2
	})
	w.Heal()
	lookUps.release()
	w.Eventually("closed books", func() bool {
		open, _ := w.mem.Unfinished(t.Context(), platform)
		return len(open) == 0
	})
}
