package discord

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func (w *world) works() {
	w.t.Helper()
	before, asked := len(w.FromBot(w.general)), -1
	w.Eventually("an answer", func() bool {
		if s := w.gateway(); s.Connected && s.Sessions != asked { // with a session that is given up its events are lost
			asked = s.Sessions
			w.Mention(w.general, w.ann, "how many days of leave?")
		}
		return len(w.FromBot(w.general)) > before
	})
	w.settled()
}

func (w *world) gateway() GatewayState { return w.bot.States()[0].Gateway }

// reconnected waits until another session than the nth is up.
func (w *world) reconnected(n int) {
	w.t.Helper()
	w.until("another session", func() bool { s := w.gateway(); return s.Connected && s.Sessions > n })
}

// Pain 43: what the gateway does to bots, and none of it is for long.
func TestGatewayTroublePasses(t *testing.T) {
	t.Parallel()
	hangs := []string{"op 7 first when it returns", "silence when it returns", "no ready when it returns"}
	for name, do := range map[string]func(*world, *discordtest.Connection){
		"op 7":               func(_ *world, c *discordtest.Connection) { c.Reconnect() },
		"op 9, resumable":    func(_ *world, c *discordtest.Connection) { c.Invalidate(true) },
		"op 9":               func(_ *world, c *discordtest.Connection) { c.Invalidate(false) },
		"a cut":              func(_ *world, c *discordtest.Connection) { c.Drop() },
		"4000":               func(_ *world, c *discordtest.Connection) { c.CloseWith(4000) },
		"4009":               func(_ *world, c *discordtest.Connection) { c.CloseWith(4009) },
		"forgotten sessions": func(w *world, c *discordtest.Connection) { w.ForgetSessions(); c.Drop() },
		"nonsense": func(_ *world, c *discordtest.Connection) {
			c.Raw("{")
			c.Raw(`{"op":99}`)
			c.Raw(`{"op":0,"t":"NEW_THING","s":null,"d":[]}`)
			c.Drop()
		},
		"op 7 first when it returns": func(w *world, c *discordtest.Connection) {
			w.Plan(discordtest.ConnectionPlan{Reconnect: true})
			c.Drop()
		},
		"silence when it returns":  func(w *world, c *discordtest.Connection) { w.Plan(discordtest.ConnectionPlan{Silent: true}); c.Drop() },
		"no ready when it returns": func(w *world, c *discordtest.Connection) { w.Plan(discordtest.ConnectionPlan{NoReady: true}); c.Drop() },
		"op 9 when it returns":     func(w *world, c *discordtest.Connection) { w.Plan(discordtest.ConnectionPlan{Invalid: true}); c.Drop() },
		"4007 when it returns":     func(w *world, c *discordtest.Connection) { w.Plan(discordtest.ConnectionPlan{Close: 4007}); c.Drop() },
		"refused when it returns": func(w *world, c *discordtest.Connection) {
			w.Plan(discordtest.ConnectionPlan{Refuse: 503}, discordtest.ConnectionPlan{Refuse: 503})
			c.Drop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) {
				if slices.Contains(hangs, name) {
					o.timing.open = 3 * time.Second
				}
			})
			before := w.gateway().Sessions
			list := w.Connections()
			do(w, list[len(list)-1])
			w.reconnected(before)
			w.works()
		})
	}
}

// Pain 43: op 7 as the very first packet hangs the library for ever.
func TestOpSevenFirst(t *testing.T) {
	w := stillWorld(t)
	w.Plan(discordtest.ConnectionPlan{Reconnect: true}, discordtest.ConnectionPlan{Silent: true})
	w.start(func(o *Options) { o.timing.open = 3 * time.Second })
	w.works()
	if s := w.gateway(); s.Hung < 2 {
		t.Errorf("state %+v", s)
	}
}

func TestEventsOfAGapAreNotLost(t *testing.T) {
	w := newWorld(t, nil)
	before := w.gateway()
	list := w.Connections()
	list[len(list)-1].Drop()
	w.Mention(w.general, w.ann, "asked in the gap?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.general)) == 1 })
	w.settled()
	if s := w.gateway(); s.Resumed != before.Resumed+1 {
		t.Errorf("state %+v", s)
	}
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions", n)
	}
}

func TestUnknownFieldsAndEventsBreakNothing(t *testing.T) {
	w := newWorld(t, nil, discordtest.Future())
	w.Emit("SOMETHING_NEW", map[string]any{"id": "1"})
	w.Emit("MESSAGE_CREATE", map[string]any{"id": "5", "channel_id": w.general, "guild_id": discordtest.Guild, "content": "x", "type": 77,
		"components": []any{map[string]any{"type": 999}}, "author": nil})
	w.Emit("MESSAGE_CREATE", []any{})
	w.Emit("INTERACTION_CREATE", map[string]any{"id": "6", "token": "", "type": 99})
	w.Emit("GUILD_ROLE_UPDATE", "nonsense")
	w.works()
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many?"})
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	w.settled()
}

func TestWrongTokenEndsTheApplication(t *testing.T) {
	w := newWorld(t, nil)
	list := w.Connections()
	w.SetToken("another")
	w.ForgetSessions()
	list[len(list)-1].Drop()
	w.until("the end", func() bool { return strings.Contains(w.logged(), "is not served any more") })
}

// A question that was being answered when the program ended is finished at the next
// start, and its buttons work.
func TestKillAndResume(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("It begins. "), step{wait: "never"})...)
	w.Mention(w.general, w.ann, "take your time")
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "a private one?"})
	w.Eventually("drafts", func() bool {
		return len(w.FromBot(w.general)) == 1 && len(w.whispers(w.bob)) == 1 && strings.Contains(w.whispers(w.bob)[0], "begins")
	})
	w.until("notes of where they stand", func() bool {
		w.mem.mu.Lock()
		defer w.mem.mu.Unlock()
		n := 0
		for _, p := range w.mem.posted {
			n += len(p.Refs)
		}
		return n == 2
	})
	w.mem.mu.Lock() // as a crash leaves it
	left := map[string]core.Posted{}
	for id, p := range w.mem.posted {
		left[id] = p
	}
	w.mem.mu.Unlock()
	w.stop()
	draft := w.FromBot(w.general)[0]
	w.mem.mu.Lock()
	w.mem.posted = left
	w.mem.turns = nil
	w.mem.mu.Unlock()
	w.script(say("Fourteen days.")...)
	w.start(nil)
	w.Eventually("mended answers", func() bool {
		return strings.Contains(strings.Join(w.answers(w.general), ""), "interrupted") && strings.Contains(strings.Join(w.whispers(w.bob), ""), "interrupted")
	})
	w.settled()
	if got := w.FromBot(w.general); len(got) != 1 || got[0].ID != draft.ID {
		t.Errorf("got %+v", got)
	}
	w.mem.mu.Lock()
	for _, p := range w.mem.posted {
		var s standing
		if err := json.Unmarshal(p.Extra, &s); err != nil || p.Open || s.Token != "" {
			t.Errorf("still open: %+v", p)
		}
	}
	w.mem.mu.Unlock()
	w.Click(w.ann, draft.ID, "Ask again")
	w.Eventually("an answer", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "Fourteen") })
	w.settled()
}

// Pain 58: that a thread is ours follows from Discord, also for a new process.
func TestThreadsStayOursAfterARestart(t *testing.T) {
	change := func(o *Options) { o.Apps[0].Content, o.Apps[0].Threads = true, true }
	w := newWorld(t, change, discordtest.WithPrivileged(discordtest.MessageContent))
	thread := w.Mention(w.general, w.ann, "how many days of leave?")
	w.Eventually("an answer", func() bool { return len(w.answers(thread)) == 1 })
	w.settled()
	w.stop()
	w.start(change)
	w.Say(thread, w.ann, "and for part-time?")
	w.Eventually("a second answer", func() bool { return len(w.answers(thread)) == 2 })
	w.settled()
}
