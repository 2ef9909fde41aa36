package discord

import (
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The connector is held against what the host expects of any, in real processes.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	build := func() (w *world, post, alone string) {
		w = newWorld(t)
		for _, title := range []string{"Where is the coffee?", "Who has the key?", "When is lunch?", "What is new?"} {
			post = w.srv.Post(w.forum, w.ann, title, "I do not know.")
		}
		return w, post, w.srv.Say(w.open, w.ann, "Good morning")
	}
	w, post, alone := build()
	other, item, _ := build()
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Token: discordtest.Token, People: w.people(), ApiURL: w.url, Rate: 5000}
		},
		Touch:  func() error { w.srv.Say(post, w.bob, "Much."); return nil },
		Remove: func() error { w.srv.Delete(alone); return nil },
		Script: &plugintest.Script{Field: "api_url", Handler: other.relay, Item: "/api/v9/channels/" + item + "/messages"},
	})
}
