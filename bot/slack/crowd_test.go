package slack

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

func TestUnresolvedEntries(t *testing.T) {
	w := newWorld(t, nil)
	missing, known, err := w.bot.Unresolved(t.Context(), placeID(slacktest.Team, "C1"),
		[]string{"@support", "S1", "Support", "U1", "<@U2>", "slack:T1/U1", "ann@example.com", "U77", "@gone", "#x"})
	if err != nil || !known || strings.Join(missing, " ") != "U77 @gone #x" {
		t.Errorf("%q, %v, %v", missing, known, err)
	}
	if _, known, err := w.bot.Unresolved(t.Context(), "slack:T9/C1", []string{"x"}); known || err != nil {
		t.Errorf("another workspace: %v, %v", known, err)
	}
}
