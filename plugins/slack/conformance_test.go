package slack

import (
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The connector is held against what the host expects of any, in real processes.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	build := func() (*world, string, string) {
		w := newWorld(t)
		var last string
		for _, text := range []string{"Where is the coffee?", "Who has the key?", "When is lunch?", "What is new?"} {
			last = w.say("C1", "U1", text)
			w.srv.Reply("C1", last, "U2", "I do not know.")
		}
		alone := w.say("C1", "U1", "Good morning")
		return w, last, alone
	}
	w, thread, alone := build()
	other, _, _ := build()
	other.search.Store(oneHit)
	w.search.Store(oneHit)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Token: slacktest.BotToken, SearchToken: "xoxp-of-ann", Private: []string{"plans"}, ApiURL: w.url, PerMinute: 300_000}
		},
		Touch:  func() error { w.srv.Reply("C1", thread, "U1", "Much."); return nil },
		Remove: func() error { w.srv.Delete("C1", alone); return nil },
		Script: &plugintest.Script{Field: "api_url", Handler: other.relay, Item: "/api/conversations.replies"},
		Query:  "coffee", Viewer: "ann@example.com",
	})
}

func oneHit(string) string {
	return `{"ok":true,"messages":{"total":1,"matches":[{"channel":{"id":"C1"},"user":"U1","ts":"1700000002.000100","text":"coffee"}]}}`
}
