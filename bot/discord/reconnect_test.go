package discord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// way is how a connection may end.
type way struct {
	name string
	do   func(*world, *discordtest.Connection)
	kept bool // the session is resumed, so that nothing is lost in between
}

// TestTenReconnects breaks the connection ten times while people ask and answers are
// being written.
func TestTenReconnects(t *testing.T) {
	w := newWorld(t, nil)
	drop := func(_ *world, c *discordtest.Connection) { c.Drop() }
	plan := func(p discordtest.ConnectionPlan) func(*world, *discordtest.Connection) {
		return func(w *world, c *discordtest.Connection) { w.Plan(p); c.Drop() }
	}
	w.survives([]way{
		{"op 7", func(_ *world, c *discordtest.Connection) { c.Reconnect() }, true},
		{"op 9, resumable", func(_ *world, c *discordtest.Connection) { c.Invalidate(true) }, false}, // the library begins anew
		{"op 9", func(_ *world, c *discordtest.Connection) { c.Invalidate(false) }, false},
		{"a cut", drop, true},
		{"4000", func(_ *world, c *discordtest.Connection) { c.CloseWith(4000) }, true},
		{"4009", func(_ *world, c *discordtest.Connection) { c.CloseWith(4009) }, false},
		{"refused once", plan(discordtest.ConnectionPlan{Refuse: 503}), true},
		{"a forgotten session", func(w *world, c *discordtest.Connection) { w.ForgetSessions(); c.Drop() }, false},
		{"invalid when it returns", plan(discordtest.ConnectionPlan{Invalid: true}), false},
		{"another cut", drop, true},
	})
	if s := w.gateway(); s.Sessions != 11 {
		t.Errorf("state %+v", s)
	}
}

// Pain 59: a connection whose heartbeats are not answered is given up. What was asked
// meanwhile is answered where the session could be resumed, which a machine that
// stands still for some seconds prevents.
func TestSilentConnections(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.timing.ack = 2400 * time.Millisecond }, discordtest.HeartbeatEvery(time.Second))
	for name, silence := range map[string]func(*discordtest.Connection){
		"no acks":      func(c *discordtest.Connection) { c.WithholdAcks(true) },
		"a black hole": (*discordtest.Connection).BlackHole,
	} {
		w.works()
		before, list := w.gateway(), w.Connections()
		silence(list[len(list)-1])
		w.Mention(w.general, w.ann, name)
		w.reconnected(before.Sessions)
		w.works()
		n := 0
		for _, q := range w.questions() {
			if q.Text == name {
				n++
			}
		}
		resumed := w.gateway().Sessions == before.Sessions+1 && w.gateway().Resumed == before.Resumed+1
		if n > 1 || n == 0 && resumed {
			t.Errorf("%s: the question in the gap was asked %d times", name, n)
		}
	}
}

// survives breaks the connection in each way, with an answer that is being written
// and a question in the gap. What Discord keeps for a session that is resumed is
// answered, once; what is asked on a connection that stands is, too; answers that
// were begun are finished.
func (w *world) survives(ways []way) {
	w.t.Helper()
	w.mem.mu.Lock()
	w.mem.script = func(q core.Question) []step {
		return append(append(say("To ", q.Text), step{wait: "go " + q.Text}), say(": fourteen days.")...)
	}
	w.mem.mu.Unlock()
	var asked []string
	ask := func(text string) {
		asked = append(asked, text)
		w.Mention(w.general, w.ann, text)
	}
	for n, way := range ways {
		before := fmt.Sprintf("before %d", n)
		ask(before)
		w.Eventually("a draft", func() bool { return strings.Contains(strings.Join(w.answers(w.general), "\n"), "To "+before) })
		sessions := w.gateway().Sessions
		list := w.Connections()
		way.do(w, list[len(list)-1])
		gap := fmt.Sprintf("in gap %d", n)
		if way.kept {
			ask(gap)
		}
		w.let("go " + before)
		w.reconnected(sessions)
		if way.kept {
			w.let("go " + gap)
		}
		after := fmt.Sprintf("after %d", n)
		ask(after)
		w.let("go " + after)
		w.until("its answer after "+way.name, func() bool {
			return strings.Contains(strings.Join(w.answers(w.general), "\n"), "To "+after+": fourteen")
		})
	}
	w.settled()
	all := w.answers(w.general)
	for _, text := range asked {
		n := 0
		for _, a := range all {
			if strings.Contains(a, "To "+text+": fourteen days.") {
				n++
			}
		}
		if n != 1 {
			w.t.Errorf("%q has %d answers", text, n)
		}
	}
	if len(all) != len(asked) || len(w.questions()) != len(asked) {
		w.t.Errorf("%d questions became %d turns and %d messages", len(asked), len(w.questions()), len(all))
	}
}

// An event that a resumed session brings again is not answered again.
func TestEventsThatComeTwice(t *testing.T) {
	w := newWorld(t, nil)
	w.Disturb(discordtest.Disturbance{Event: "MESSAGE_CREATE", Repeat: 2})
	w.Disturb(discordtest.Disturbance{Event: "INTERACTION_CREATE", Repeat: 2})
	w.Mention(w.general, w.ann, "how many?")
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "and for me?"})
	w.Eventually("answers", func() bool { return len(w.answers(w.general)) == 1 && len(w.whispers(w.bob)) == 1 })
	w.settled()
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
}
