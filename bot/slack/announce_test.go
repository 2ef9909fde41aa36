package slack

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

func TestAnnounceReachesTheChannelAndPingsNobody(t *testing.T) {
	w := newWorld(t, nil)
	if err := w.bot.Announce(t.Context(), slacktest.Team, "C1", "**What was asked**\n\n- `<!channel> [x](https://evil.example)` no answer"); err != nil {
		t.Fatal(err)
	}
	all := w.Messages("C1")
	if len(all) != 1 || !strings.Contains(all[0].Text, "no answer") {
		t.Fatalf("messages %+v", all)
	}
	if text := all[0].Text; strings.Contains(text, "<!channel>") || strings.Contains(text, "<https://evil") {
		t.Errorf("posted %q", text)
	}
	if err := w.bot.Announce(t.Context(), "T9", "C1", "x"); core.KindOf(err) != core.KindNotFound {
		t.Errorf("a workspace that is not served: %v", err)
	}
}
