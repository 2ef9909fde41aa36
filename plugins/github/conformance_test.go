package github

import (
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The connector is held against what the host expects of any, in real processes.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	server, open, _ := acme(t)
	address := server.Start(t)
	handler, _, _ := acme(t)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Repositories: []string{"acme/*"}, Token: secret, Public: "public", BaseURL: address, Rate: 5000, People: map[string]string{"joe": "joe@example.com"}}
		},
		Touch: func() error {
			server.Change(func(now time.Time) {
				open.Items[0].Body, open.Items[0].Updated = "Cold again.", now
				open.Files["README.md"] = "# Handbook\n\nRead me twice."
			})
			return nil
		},
		Remove: func() error { server.Change(func(time.Time) { open.Delete(2) }); return nil },
		Script: &plugintest.Script{Field: "base_url", Handler: handler, Item: "/api/v3/repos/acme/handbook/issues/1/comments"},
		Query:  "coffee", Viewer: "ann@example.com",
	})
}
