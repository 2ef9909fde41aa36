package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// Where the owner listed who may ask, by role and by id, others hear so alone.
func TestListedMayAsk(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{Allow: []string{"@Support", "gone", w.ann}})
	w.Mention(w.general, w.ann, "may I?")
	w.question(1)
	w.Mention(w.general, w.hal, "and I?")
	w.question(2)
	w.Mention(w.general, w.bob, "and I?")
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "privately then?"})
	dm := w.OpenDM(w.bob)
	w.Eventually("bob to be told", func() bool {
		return strings.Contains(strings.Join(w.answers(dm), ""), "is limited") && strings.Contains(strings.Join(w.whispers(w.bob), ""), "is limited")
	})
	w.settled()
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
	none(t, w.answers(w.general), "is limited")
}

func TestUnresolvedEntries(t *testing.T) {
	w := newWorld(t, nil)
	missing, known, err := w.bot.Unresolved(t.Context(), placeID(discordtest.Guild, w.general),
		[]string{"support", "<@&" + w.staff + ">", w.ann, "ann@example.com", "nobody", "123456789012345678"})
	if err != nil || !known || strings.Join(missing, " ") != "nobody 123456789012345678" {
		t.Errorf("%q, %v, %v", missing, known, err)
	}
	if _, known, err := w.bot.Unresolved(t.Context(), "discord:77/88", []string{"x"}); known || err != nil {
		t.Errorf("another server: %v, %v", known, err)
	}
}
