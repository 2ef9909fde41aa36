package slack

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

// TestALongThreadKeepsItsEnd asks in a thread that is longer than what is read at
// once.
func TestALongThreadKeepsItsEnd(t *testing.T) {
	w := newWorld(t, nil, slacktest.NoOwnMessages())
	w.stop()
	root := w.Message("C1", "U2", "the start of the talk")
	for i := range 4_200 {
		w.Reply("C1", root, "U2", fmt.Sprintf("reply %d", i))
	}
	said := w.bot.apps[0].context(t.Context(), "C1", root, "9")
	if first, last := said[0].Text, said[len(said)-1].Text; first != "the start of the talk" || last != "reply 4199" {
		t.Errorf("kept %q to %q", first, last)
	}
}

// TestStopInADirectMessage says stop beside the thread of the answer.
func TestStopInADirectMessage(t *testing.T) {
	w := newWorld(t, nil)
	w.script(says("First part, long enough to be shown.")[0], step{wait: "go"})
	channel, _ := w.DM("U1", "tell me")
	w.Eventually("a draft", func() bool { return len(w.standing(channel)) == 1 })
	w.DM("U1", "stop")
	w.Eventually("an end", func() bool { return strings.Contains(w.standing(channel)[0].Shown, "Stopped here") })
}

// TestAFormThatComesTwice repeats what a shortcut and its form send.
func TestAFormThatComesTwice(t *testing.T) {
	w := newWorld(t, nil)
	ts := w.Message("C1", "U2", "a talk")
	w.Disturb(slacktest.Disturbance{Event: "message_action", Repeat: 2})
	w.MessageShortcut("U1", shortcutAsk, "C1", ts)
	w.Eventually("a form", func() bool { _, ok := w.Modal("U1"); return ok })
	w.Disturb(slacktest.Disturbance{Event: "view_submission", Repeat: 2})
	w.SubmitModal("U1", map[string]string{"question": "what of it?"})
	w.settled()
	if n := len(w.Ephemerals("U1")) + len(w.FromApps(w.DMChannel("U1"))); n != 1 || len(w.questions()) != 1 {
		t.Errorf("%d messages for %d questions\n%s", n, len(w.questions()), w.Dump())
	}
}

// TestHelpIsCalledOnceItCanBe presses the button while the group cannot be read,
// and again later.
func TestHelpIsCalledOnceItCanBe(t *testing.T) {
	w := newWorld(t, nil)
	s := &scene{world: w, ts: map[string]string{}}
	s.setting("C1", "help support")
	w.Mention("C1", "U1", "who knows?")
	w.settled()
	w.Fail("usergroups.users.list", slacktest.Fault{Error: "fatal_error", Times: 3})
	s.click("U1", "C1", "I need a human")
	w.settled()
	s.click("U1", "C1", "I need a human")
	w.settled()
	if len(w.FromApps(w.DMChannel("U4"))) != 1 {
		t.Errorf("nobody was called\n%s", w.Dump())
	}
	w.Mention("C1", "U1", "who knows that?")
	w.settled()
	w.Fail("conversations.open", slacktest.Fault{Error: "user_disabled", Times: -1})
	s.click("U1", "C1", "I need a human")
	w.settled()
	if last := w.Ephemerals("U1"); strings.Contains(last[len(last)-1].Shown, "I wrote to") {
		t.Errorf("told: %q", last[len(last)-1].Shown)
	}
}

// TestWhatPeopleTypeIsNotLogged types things that are refused with their words in
// the sentence, and brings files with telling names.
func TestWhatPeopleTypeIsNotLogged(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Extract = pretend{core.Errorf(core.KindInvalid, "walrus.pdf is no PDF")}
		o.Admin = refusing{o.Admin}
	})
	w.Slash("C1", "U1", "/footnote", "config agent walrus")
	w.Slash("C1", "U1", "/footnote", "link walrus")
	w.Say(slacktest.Say{Channel: "C1", User: "U1", Text: "<@" + slacktest.BotUser + "> walrus?",
		Files: []slacktest.FileData{{Name: "walrus.pdf", Type: "application/pdf", Data: []byte("x")}}})
	w.settled()
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, "walrus") {
			t.Errorf("logged: %s", line)
		}
	}
}

// refusing repeats in its errors what it was given.
type refusing struct{ Admin }

func (r refusing) Configure(_ context.Context, _ core.Place, _ Actor, key, value string) error {
	return core.Errorf(core.KindNotFound, "There is no %s %q.", key, value)
}

// TestRenewalsAreNotHammered has Slack end each connection as soon as it is up.
func TestRenewalsAreNotHammered(t *testing.T) {
	srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
	began := time.Now()
	s, _ := listen(t, srv, counting(new(atomic.Int32)))
	for len(srv.Calls("apps.connections.open")) < 20 {
		time.Sleep(time.Millisecond)
		for _, k := range srv.OpenSockets() {
			k.Disconnect("refresh_requested")
		}
	}
	// Between two of them are 10 ms, or a wait of 5 ms at least that grows.
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("20 connections were opened in %s", took)
	}
	srv.Eventually("a connection", func() bool { return s.State().Connected })
}
