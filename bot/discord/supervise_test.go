package discord

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/core"
)

// actor is a session that does what a test says.
type actor struct {
	h     hooks
	open  func(*actor) error
	shut  func() error
	acked func() time.Time
	drop  func()
}

func (a *actor) Open() error      { return a.open(a) }
func (a *actor) Close() error     { a.h.lost(); return a.shut() }
func (a *actor) Acked() time.Time { return a.acked() }
func (a *actor) Drop() {
	if a.drop != nil {
		a.drop()
	}
}

func ready(a *actor) error {
	a.h.event("READY", json.RawMessage(`{}`))
	return nil
}

// stageOf runs a gateway on sessions that behave as the list says; the last one goes
// on for ever.
func stageOf(t *testing.T, change func(*gateway), plays ...func(*actor)) (g *gateway, made func() int, end, stop func() error) {
	t.Helper()
	var mu sync.Mutex
	sessions := 0
	g = &gateway{take: func(string, json.RawMessage) {}, timing: quick, count: nothing{}, log: slog.New(slog.DiscardHandler), intents: discordgo.IntentGuilds | privileged}
	g.make = func(_ discordgo.Intent, h hooks) (session, error) {
		mu.Lock()
		defer mu.Unlock()
		a := &actor{h: h, open: ready, shut: func() error { return nil }, acked: time.Now}
		if sessions < len(plays) {
			plays[sessions](a)
		}
		sessions++
		return a, nil
	}
	if change != nil {
		change(g)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- g.run(ctx) }()
	t.Cleanup(cancel)
	end = func() error {
		select {
		case err := <-done:
			return err
		case <-time.After(2 * time.Minute):
			return errors.New("it does not end")
		}
	}
	return g, func() int { mu.Lock(); defer mu.Unlock(); return sessions }, end, func() error { cancel(); return end() }
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("waited for %s", what)
		}
	}
}

func TestSupervisor(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	short := func(g *gateway) { g.timing.open = 200 * time.Millisecond }
	for name, c := range map[string]struct {
		change   func(*gateway)
		play     func(*actor)
		sessions int // made at least, with the good one at the end
	}{
		"opening hangs for ever": {change: short, play: func(a *actor) { a.open = func(*actor) error { <-forever; return nil } }, sessions: 2},
		"opening panics":         {play: func(a *actor) { a.open = func(*actor) error { panic("a fault of the library") } }, sessions: 2},
		"opening fails":          {play: func(a *actor) { a.open = func(*actor) error { return errors.New("expecting Op 10") } }, sessions: 2},
		"the session is invalid": {play: func(a *actor) { a.open = func(*actor) error { return &websocket.CloseError{Code: 4007} } }, sessions: 2},
		"it is never ready":      {change: short, play: func(a *actor) { a.open = func(*actor) error { return nil } }, sessions: 2},
		"heartbeats go nowhere":  {play: func(a *actor) { a.acked = func() time.Time { return time.Now().Add(-time.Hour) } }, sessions: 1},
		"nor does closing": {change: short, play: func(a *actor) {
			a.acked = func() time.Time { return time.Now().Add(-time.Hour) }
			a.shut = func() error { <-forever; return nil }
		}, sessions: 2},
		"no event comes any more": {change: func(g *gateway) { g.event = 100 * time.Millisecond }, play: func(*actor) {}, sessions: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good := time.Now().Add(time.Minute)
			g, made, _, stop := stageOf(t, c.change, func(a *actor) {
				c.play(a)
				was, n := a.acked, 0
				a.acked = func() time.Time { // a resumed session is well
					if n++; n > 1 {
						return good
					}
					return was()
				}
			})
			again := c.sessions == 1
			eventually(t, "a good session", func() bool {
				s := g.State()
				return s.Connected && made() >= c.sessions && (!again || s.Sessions > 1)
			})
			if n := made(); again && n != 1 {
				t.Errorf("%d sessions were made", n)
			}
			if err := stop(); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		})
	}
	t.Cleanup(func() { close(forever) })
}

func TestSupervisorGivesUpWhatCannotWork(t *testing.T) {
	for code, kind := range map[int]core.Kind{4004: core.KindAuth, 4011: core.KindConfig, 4013: core.KindConfig} {
		refuse := func(a *actor) { a.open = func(*actor) error { return &websocket.CloseError{Code: code} } }
		g, made, end, _ := stageOf(t, func(g *gateway) { g.intents &^= privileged }, refuse)
		if err := end(); core.KindOf(err) != kind || made() != 1 || g.State().Connected {
			t.Errorf("%d: ended with %v after %d sessions", code, err, made())
		}
	}
}

// What a session that was given up still says does not count.
func TestGivenUpSessionsAreNotHeard(t *testing.T) {
	var heard sync.Map
	var old *actor
	g, made, _, stop := stageOf(t, func(g *gateway) {
		g.take = func(name string, _ json.RawMessage) { heard.Store(name, true) }
	}, func(a *actor) {
		old = a
		a.open = func(*actor) error { return errors.New("no") }
	})
	eventually(t, "another session", func() bool { return made() == 2 && g.State().Connected })
	old.h.event("MESSAGE_CREATE", nil)
	old.h.lost()
	time.Sleep(30 * time.Millisecond)
	if _, ok := heard.Load("MESSAGE_CREATE"); ok || !g.State().Connected || made() != 2 {
		t.Error("it was heard")
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
