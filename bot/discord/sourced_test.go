package discord

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// Where only answers with a source are wanted, one without is told to its asker
// alone, and nothing of it is shown meanwhile.
func TestUnsourcedAnswerIsKeptBack(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{OnlySourced: true})
	w.script(append(say("I think it is "), step{wait: "go"}, step{event: core.TextDelta{Delta: "fourteen."}})...)
	w.Mention(w.general, w.ann, "how many days?")
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "how many?", "show": true})
	w.question(2)
	time.Sleep(400 * time.Millisecond)
	none(t, w.answers(w.general), "I think")
	w.let("go")
	dm := w.OpenDM(w.ann)
	w.Eventually("both to be told", func() bool {
		return strings.Contains(strings.Join(w.answers(dm), ""), "nothing in the sources") &&
			strings.Contains(strings.Join(w.whispers(w.bob), ""), "nothing in the sources")
	})
	w.settled()
	if got := w.answers(w.general); len(got) != 0 {
		t.Errorf("in the channel: %q", got)
	}
}

func TestSourcedAnswerIsShown(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{OnlySourced: true})
	w.script(step{event: core.TextDelta{Delta: "The policy says "}}, step{event: core.Cited{Number: 1, URL: "https://wiki.example/1"}},
		step{event: core.TextDelta{Delta: "fourteen [[1]](https://wiki.example/1)."}})
	w.Mention(w.general, w.ann, "how many days?")
	w.Eventually("the answer", func() bool {
		return strings.Contains(strings.Join(w.answers(w.general), ""), "The policy says fourteen")
	})
	w.settled()
	// What the asker was told alone is not shared where it shows no source.
	w.script(say("Fourteen, I think.")...)
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "and now?"})
	w.Eventually("a private answer", func() bool { return strings.Contains(strings.Join(w.whispers(w.bob), ""), "I think") })
	w.settled()
	for _, m := range w.Ephemerals(w.bob) {
		for _, b := range m.Buttons {
			if b.Label == "Share here" {
				w.Click(w.bob, m.ID, b.CustomID)
			}
		}
	}
	w.Eventually("a refusal", func() bool { return strings.Contains(strings.Join(w.whispers(w.bob), ""), "show a source") })
	w.settled()
	none(t, w.answers(w.general), "I think")
}
