package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func TestAnnounceReachesTheChannelAndPingsNobody(t *testing.T) {
	w := newWorld(t, nil)
	if err := w.bot.Announce(t.Context(), discordtest.Guild, w.general, "**What was asked**\n\n- `@everyone [x](https://evil.example)` no answer"); err != nil {
		t.Fatal(err)
	}
	one(t, w.answers(w.general), "no answer")
	if text := w.answers(w.general)[0]; !strings.Contains(text, "`@everyone [x](https://evil.example)`") {
		t.Errorf("posted %q", text)
	}
	if err := w.bot.Announce(t.Context(), "999", w.general, "x"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("a server that is not served: %v", err)
	}
}
