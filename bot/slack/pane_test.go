package slack

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

// TestAgentPane walks through the pane: questions to start with, a title, Slack's
// own button to stop.
func TestAgentPane(t *testing.T) {
	var asked string
	w := newWorld(t, func(o *Options) {
		o.Starters = func(_ context.Context, place string) []string {
			asked = place
			return []string{"What is new?", "How do I travel?"}
		}
	})
	w.script(says("First part, long enough to be shown.")[0], step{wait: "never"})
	channel, _ := w.OpenPane("U1", "C1")
	w.Eventually("questions to start with", func() bool { return len(w.Thread(channel, "").Prompts) == 2 })
	if asked != "slack:T1/C1" {
		t.Errorf("the questions are those of %q, want those of the channel that is looked at", asked)
	}
	root := w.Message(channel, "U1", "What is   new?")
	w.Eventually("a draft", func() bool { return len(w.FromApps(channel)) == 1 })
	if got := w.Thread(channel, root).Title; got != "What is new?" {
		t.Errorf("title %q", got)
	}
	w.PressStop("U1", channel, root)
	w.settled()
	if m := w.FromApps(channel)[0]; !strings.Contains(m.Shown, "Stopped here") {
		t.Errorf("shown %q", m.Shown)
	}
}

func TestAStatusIsShownAgainBeforeItGoes(t *testing.T) {
	w := newWorld(t, nil)
	n := &answer{app: w.bot.apps[0], req: request{channel: w.DMChannel("U1"), root: "1.0", ts: "1.0", direct: true}}
	_, root := w.DM("U1", "hello")
	w.settled()
	n.req.root, n.req.ts = root, root
	before := len(w.Statuses())
	s := newSign(n)
	s.show(t.Context())
	s.refresh(t.Context())
	if got := len(w.Statuses()) - before; got != 1 {
		t.Errorf("shown %d times at once", got)
	}
	s.shown = time.Now().Add(-statusAge)
	s.refresh(t.Context())
	s.posted() // a message takes the status away
	s.refresh(t.Context())
	if got := len(w.Statuses()) - before; got != 3 {
		t.Errorf("shown %d times after its time, want 3", got)
	}
	s.clear(t.Context())
}

// TestTwoWorkspaces has one process serve two: each answers its own people only.
func TestTwoWorkspaces(t *testing.T) {
	w := newWorld(t, nil, slacktest.AckTimeout(3*time.Second)) // what was on its way comes again
	w.stop()
	w.AddWorkspace(slacktest.Workspace{ID: "T2", Name: "second", Domain: "second"})
	w.AddApp(slacktest.App{ID: "A2", Name: "footnote", Team: "T2", BotUser: "UBOT2", BotID: "B2", BotToken: "xoxb-2-x", AppToken: "xapp-1-A2-x"})
	w.AddUser(slacktest.User{ID: "U20", Team: "T2", Name: "zoe"})
	w.AddChannel(slacktest.Channel{ID: "C20", Team: "T2", Name: "second", Members: []string{"U20", "UBOT2"}})
	w.start(func(o *Options) {
		o.Workspaces = append(o.Workspaces, Workspace{Name: "second", BotToken: "xoxb-2-x", AppToken: "xapp-1-A2-x", APIURL: w.URL()})
	})
	w.Eventually("a second socket", func() bool { return w.bot.States()[1].Socket.Connected && w.bot.apps[1].roster.fresh() })
	w.Say(slacktest.Say{Channel: "C20", User: "U20", Text: "<@UBOT2> hello?"})
	w.Mention("C1", "U1", "hello?")
	w.Eventually("both answers", func() bool { return len(w.FromApps("C20")) == 1 && len(w.FromApps("C1")) == 1 })
	for _, q := range w.questions() {
		home := q.Place.ID == "slack:T1/C1"
		if !home && q.Place.ID != "slack:T2/C20" || q.Place.Home != home || q.Viewer.Class != "member" {
			t.Errorf("asked in %+v by %+v", q.Place, q.Viewer)
		}
	}
	if w.bot.byTeam("T2") != w.bot.apps[1] || w.bot.byTeam("T9") != nil {
		t.Error("workspaces are not told apart")
	}
}
