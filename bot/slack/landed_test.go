package slack

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

// standing are the messages of the bot in the channel that nobody took back.
func (w *world) standing(channel string) []slacktest.Message {
	var out []slacktest.Message
	for _, m := range w.FromApps(channel) {
		if !m.Deleted {
			out = append(out, m)
		}
	}
	return out
}

// TestPostsThatLandedUnseen loses the answer to calls that took effect. Nothing is
// posted twice for it, nothing is left that looks as if it went on, and nothing
// stays where the answer is taken back.
func TestPostsThatLandedUnseen(t *testing.T) {
	t.Parallel()
	everywhere := slacktest.NoStreamsIn(slacktest.Public)
	for _, row := range []struct {
		name   string
		fault  string
		opts   []slacktest.Option
		wider  bool // guests come in the middle
		script []step
	}{
		{name: "stream", fault: "chat.startStream", script: append(says("First part, long enough to be shown."), step{wait: "go"}, says(" The end.")[0])},
		{name: "draft", fault: "chat.postMessage", opts: []slacktest.Option{everywhere}, script: append(says("First part, long enough to be shown."), step{wait: "go"}, says(" The end.")[0])},
		{name: "stream, withdrawn", fault: "chat.startStream", wider: true, script: append(says("First part, long enough to be shown."), step{wait: "go"})},
		{name: "draft, withdrawn", fault: "chat.postMessage", opts: []slacktest.Option{everywhere}, wider: true, script: append(says("First part, long enough to be shown."), step{wait: "go"})},
		{name: "whole answer", fault: "chat.postMessage", opts: []slacktest.Option{everywhere}, script: append([]step{{wait: "go"}}, says("All of it. The end.")...)},
		{name: "end of a stream", fault: "chat.stopStream", script: append(says("First part, long enough to be shown."), step{wait: "go"}, says(" The end.")[0])},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, nil, row.opts...)
			w.script(row.script...)
			w.Fail(row.fault, slacktest.Fault{Status: 500, After: true})
			w.Mention("C1", "U1", "tell me")
			if row.name == "whole answer" {
				w.Eventually("a question", func() bool { return len(w.questions()) > 0 })
			} else {
				w.Eventually("a message", func() bool { return len(w.standing("C1")) > 0 })
			}
			if row.wider {
				w.script(says("For all.")...)
				w.JoinChannel("C1", "U3", "U1")
				w.Eventually("the answer for all", func() bool {
					m := w.standing("C1")
					return len(m) > 0 && strings.Contains(m[len(m)-1].Shown, "For all.")
				})
			} else {
				w.let("go")
			}
			w.settled()
			got := w.standing("C1")
			answers := 0
			for _, m := range got {
				if strings.Contains(m.Shown, "The end.") || strings.Contains(m.Shown, "For all.") {
					answers++
				}
				if m.Stream == "in_progress" || strings.Contains(m.Shown, "[Stop]") {
					t.Errorf("this looks as if it went on: %q", m.Shown)
				}
				if row.wider && strings.Contains(m.Shown, "First part") {
					t.Errorf("this was not taken back: %q", m.Shown)
				}
			}
			if answers != 1 || !row.wider && len(got) != 1 || len(w.FromApps(w.DMChannel("U1"))) > 0 {
				t.Errorf("%d answers in %d messages\n%s", answers, len(got), w.Dump())
			}
		})
	}
}
