package bot

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestDecideAboutMessages(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	talking := core.ThreadFacts{People: []string{"x:t/ann"}, Turns: 1, Last: now.Add(-time.Hour)}
	with := func(change func(*Heard)) Heard {
		h := Heard{Mode: ModeMention, Account: "x:t/ann", Text: "where is the travel policy", Now: now}
		change(&h)
		return h
	}
	for _, c := range []struct {
		name string
		h    Heard
		want Verdict
		why  string
	}{
		{"its own", with(func(h *Heard) { h.Self, h.Mention = true, true }), Ignore, "own"},
		{"a mention", with(func(h *Heard) { h.Mention = true }), AnswerIt, "called"},
		{"direct", with(func(h *Heard) { h.Direct = true }), AnswerIt, "called"},
		{"a mention where nothing is answered", with(func(h *Heard) { h.Mention, h.Mode = true, ModeOff }), Ignore, "off"},
		{"a mention without words", with(func(h *Heard) { h.Mention, h.Text = true, " " }), SayHowToAsk, "empty"},
		{"a mention with a file alone", with(func(h *Heard) { h.Mention, h.Text, h.Files = true, "", true }), AnswerIt, "called"},
		{"a mention alone in a thread", with(func(h *Heard) { h.Mention, h.Text, h.Thread = true, "", true }), AnswerIt, "called"},
		{"an edit that adds the mention", with(func(h *Heard) { h.Mention, h.Edited = true, true }), AnswerIt, "called"},
		{"an edit of a question", with(func(h *Heard) { h.Mention, h.Edited, h.Before = true, true, true }), Ignore, "edit"},
		{"a late edit", with(func(h *Heard) { h.Mention, h.Edited, h.Age = true, true, 2*time.Hour }), Ignore, "edit"},
		{"an edit without mention", with(func(h *Heard) { h.Edited, h.Mode = true, ModeAll }), Ignore, "edit"},
		{"a bot", with(func(h *Heard) { h.Mention, h.Machine = true, true }), Ignore, "bot"},
		{"a bot that may ask", with(func(h *Heard) { h.Mention, h.Machine, h.Allowed = true, true, true }), AnswerIt, "called"},
		{"a bot that does not name it", with(func(h *Heard) { h.Machine, h.Allowed, h.Mode = true, true, ModeAll }), Ignore, "uncalled"},
		{"bots among themselves", with(func(h *Heard) { h.Mention, h.Machine, h.Allowed, h.Facts.BotTurns = true, true, true, 3 }), Ignore, "loop"},
		{"a follow-up", with(func(h *Heard) { h.Thread, h.Started, h.Facts = true, true, talking }), AnswerIt, "follow-up"},
		{"a follow-up to somebody else", with(func(h *Heard) { h.Thread, h.Started, h.Facts, h.Other = true, true, talking, true }), Ignore, "thread"},
		{"a third person in the thread", with(func(h *Heard) { h.Thread, h.Started, h.Facts, h.Account = true, true, talking, "x:t/bob" }), Ignore, "thread"},
		{"a thread of others", with(func(h *Heard) { h.Thread, h.Facts = true, talking }), Ignore, "thread"},
		{"stop in the thread", with(func(h *Heard) { h.Thread, h.Facts, h.Text = true, talking, "Stop!" }), Hush, "stop"},
		{"stop by the way", with(func(h *Heard) { h.Text, h.Mode = "stop", ModeAll }), Ignore, "stop"},
		{"stop by name", with(func(h *Heard) { h.Text, h.Mention = "please stop", true }), Hush, "stop"},
		{"no mention", with(func(*Heard) {}), Ignore, "no mention"},
		{"all", with(func(h *Heard) { h.Mode = ModeAll }), AnswerIt, "all"},
		{"all, for somebody else", with(func(h *Heard) { h.Mode, h.Other = ModeAll, true }), Ignore, "for somebody else"},
		{"a question", with(func(h *Heard) { h.Mode, h.Text = ModeQuestions, "where is the policy?" }), AnswerIt, "question"},
		{"no question", with(func(h *Heard) { h.Mode, h.Text = ModeQuestions, "lunch is ready" }), Ignore, "no question"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, why := Decide(c.h); got != c.want || why != c.why {
				t.Errorf("got %v (%s), want %v (%s)", got, why, c.want, c.why)
			}
		})
	}
}

func TestFitSaidKeepsTheFirstAndTheLast(t *testing.T) {
	long := strings.Repeat("x", 92)
	said := []core.Said{{Text: long}, {Text: long}, {Text: long}, {Text: "last"}}
	got := FitSaid(said, 220)
	if len(got) != 4 || got[0] != said[0] || !strings.HasPrefix(got[1].Text, "(some") || got[3].Text != "last" {
		t.Errorf("got %v", got)
	}
	if got := FitSaid(said, 1000); len(got) != len(said) {
		t.Errorf("nothing had to go, %d are left", len(got))
	}
	if FitSaid(nil, 10) != nil {
		t.Error("nothing became something")
	}
}
