package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

// listen runs a socket against the server, which waits for no sign of life.
func listen(t *testing.T, srv *slacktest.Server, take func(envelope) (any, bool)) (*socket, <-chan error) {
	t.Helper()
	return listenFor(t, srv, time.Hour, take)
}

// listenFor gives a connection up that is silent for so long.
func listenFor(t *testing.T, srv *slacktest.Server, grace time.Duration, take func(envelope) (any, bool)) (*socket, <-chan error) {
	t.Helper()
	a, _ := newTestAPI(t, srv)
	s := &socket{
		open: a.openSocket, take: take, count: nothing{}, log: slog.New(slog.DiscardHandler), dialer: &websocket.Dialer{},
		probe:  func(ctx context.Context) error { _, err := a.authTest(ctx); return err },
		timing: timing{grace: grace, look: 30 * time.Millisecond, renew: time.Hour, first: 10 * time.Millisecond, most: 50 * time.Millisecond},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	t.Cleanup(cancel)
	return s, ended
}

func counting(n *atomic.Int32) func(envelope) (any, bool) {
	return func(envelope) (any, bool) { n.Add(1); return nil, true }
}

func TestASocketComesBack(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*slacktest.Server, *slacktest.Socket){
		"cut":       func(_ *slacktest.Server, k *slacktest.Socket) { k.Drop() },
		"closed":    func(_ *slacktest.Server, k *slacktest.Socket) { k.Close(1000, "bye") },
		"refreshed": func(_ *slacktest.Server, k *slacktest.Socket) { k.Disconnect("refresh_requested") },
		"silent":    func(_ *slacktest.Server, k *slacktest.Socket) { k.Mute(true) },
		"refused": func(srv *slacktest.Server, k *slacktest.Socket) {
			srv.PlanSockets(slacktest.SocketPlan{Refuse: 503})
			k.Drop()
		},
		"then silent": func(srv *slacktest.Server, k *slacktest.Socket) {
			srv.PlanSockets(slacktest.SocketPlan{Refuse: 503}, slacktest.SocketPlan{Mute: true})
			k.Drop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
			var got atomic.Int32
			grace, silent := time.Hour, strings.Contains(name, "silent")
			if silent {
				grace = 2 * time.Second // a busy machine may be silent for so long, too
			}
			s, _ := listenFor(t, srv, grace, counting(&got))
			srv.Eventually("a connection", func() bool { return s.State().Connected })
			srv.Eventually("its end", func() bool {
				up := srv.OpenSockets()
				if len(up) > 0 {
					breaks(srv, up[0])
				}
				return len(up) > 0
			})
			srv.Eventually("a new connection", func() bool { return s.State().Connected && s.State().Sessions >= 2 })
			srv.Message("C1", "U1", "hello")
			srv.Eventually("the event", func() bool { return got.Load() > 0 })
			srv.Eventually("one connection", func() bool { return silent || len(srv.OpenSockets()) == 1 })
			if n := s.State().Sessions; n != 2 && !silent {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

func TestADeadTokenEndsTheSocket(t *testing.T) {
	srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
	s, ended := listen(t, srv, counting(new(atomic.Int32)))
	srv.Eventually("a connection", func() bool { return s.State().Connected })
	srv.KillToken(slacktest.AppToken, "invalid_auth")
	srv.OpenSockets()[0].Drop()
	select {
	case err := <-ended:
		if !dead(err) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it goes on with a token that is refused")
	}
}

func TestSocketModeSwitchedOffIsSaid(t *testing.T) {
	srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
	srv.PlanSockets(slacktest.SocketPlan{LinkOff: true})
	_, ended := listen(t, srv, counting(new(atomic.Int32)))
	select {
	case err := <-ended:
		if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), "Socket Mode is switched off") {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it goes on although Socket Mode is off")
	}
}

func TestOtherSocketsAreNoticed(t *testing.T) {
	srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
	first, _ := listen(t, srv, counting(new(atomic.Int32)))
	srv.Eventually("a connection", func() bool { return first.State().Connected })
	second, _ := listen(t, srv, counting(new(atomic.Int32)))
	srv.Eventually("two connections", func() bool { return second.State().Sockets == 2 })
	if c := socketCheck(second.State()); !strings.Contains(c.Detail, "1 other") {
		t.Errorf("the doctor says %q", c.Detail)
	}
}

func TestWhatCannotBeTakenComesAgain(t *testing.T) {
	srv := channelServer(t, slacktest.AckTimeout(100*time.Millisecond), slacktest.RetryDelays(0, 0, 0))
	var tries atomic.Int32
	var last atomic.Int32
	s, _ := listen(t, srv, func(e envelope) (any, bool) {
		last.Store(int32(e.retry))
		return nil, tries.Add(1) > 1
	})
	srv.Eventually("a connection", func() bool { return s.State().Connected })
	srv.Message("C1", "U1", "hello")
	srv.Eventually("a second try", func() bool { return tries.Load() >= 2 })
	if last.Load() == 0 {
		t.Error("the second try does not say that it is one")
	}
}

func TestOddFramesAreSurvived(t *testing.T) {
	srv := channelServer(t, slacktest.PingEvery(50*time.Millisecond))
	var got atomic.Int32
	s, _ := listen(t, srv, counting(&got))
	srv.Eventually("a connection", func() bool { return s.State().Connected })
	for _, raw := range []string{`{`, `[]`, `{"type":"new_thing"}`, `{"type":"events_api","envelope_id":"x","payload":"text"}`} {
		if err := srv.OpenSockets()[0].Raw(raw); err != nil {
			t.Fatal(err)
		}
	}
	srv.Message("C1", "U1", "hello")
	srv.Eventually("the event", func() bool { return got.Load() >= 2 })
	if s.State().Sessions != 1 {
		t.Errorf("%d connections", s.State().Sessions)
	}
}

// TestEventsAreAcknowledgedAtOnce floods the app while every answer waits: the
// acknowledgements must not.
func TestEventsAreAcknowledgedAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.script(step{wait: "end"}, says("Answer.")[0]) // no answer ends before all are acknowledged
	for i := range 40 {
		w.AddChannel(slacktest.Channel{ID: fmt.Sprintf("CF%d", i), Name: fmt.Sprintf("flood-%d", i), Members: []string{"U1", slacktest.BotUser}})
	}
	for i := range 80 {
		w.Mention(fmt.Sprintf("CF%d", i%40), "U1", fmt.Sprintf("question %d?", i))
	}
	w.arrived()
	for _, d := range w.Deliveries("app_mention") {
		if n := len(d.Attempts); n != 1 || !d.Acked {
			t.Fatalf("%d tries, acknowledged %v", n, d.Acked)
		}
	}
	w.let("end")
	w.settled()
	for i := range 40 {
		if n := len(w.FromApps(fmt.Sprintf("CF%d", i))); n != 2 {
			t.Errorf("channel %d has %d answers, want 2", i, n)
		}
	}
}

func TestAnEventThatCannotBeReadEndsNothing(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	for _, raw := range []string{`[]`, `{}`, `{"type":"event_callback","event":null}`, `{"event":{"type":"message","channel":7,"user":[]}}`,
		`{"event":{"type":"message","channel":"C1","subtype":"message_changed"}}`, `{"event":{"type":"assistant_thread_started"}}`} {
		if _, ok := a.take(envelope{kind: "events_api", payload: json.RawMessage(raw)}); !ok {
			t.Errorf("%s is asked for again", raw)
		}
	}
	for _, kind := range []string{"slash_commands", "interactive", "hologram"} {
		a.take(envelope{kind: kind, payload: json.RawMessage(`"x"`)})
	}
	w.Mention("C1", "U1", "still there?")
	w.Eventually("an answer", func() bool { return len(w.FromApps("C1")) == 1 })
}

func TestPanicsStayInTheirEvent(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	a.queue.Offer("C1", "boom", func(context.Context) { panic(errors.New("boom")) })
	w.Mention("C1", "U1", "still there?")
	w.Eventually("an answer", func() bool { return len(w.FromApps("C1")) == 1 })
}

func TestNothingIsTakenAfterTheEnd(t *testing.T) {
	w := newWorld(t, nil)
	w.stop()
	raw := json.RawMessage(`{"team_id":"T1","event":{"type":"app_mention","channel":"C1","user":"U1","ts":"1.1","text":"<@UBOT> hi"}}`)
	if _, ok := w.bot.apps[0].take(envelope{kind: "events_api", payload: raw}); ok {
		t.Error("an event was acknowledged that nobody handles")
	}
}
