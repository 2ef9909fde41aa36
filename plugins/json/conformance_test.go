package jsonapi

import (
	"slices"
	"strings"
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
	text, err := bundledRecipes.ReadFile("recipes/bookstack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Documents are compared between servers, which have addresses of their own.
	recipe := strings.ReplaceAll(string(text), `\($base)`, "https://wiki.example.com")
	b := newBookstack(12)
	address := serve(t, b)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Inline: recipe, BaseURL: address, Token: bookKey, Rate: 5000}
		},
		Touch: func() error {
			b.change(func() { b.pages[0].html, b.pages[0].updated = "<p>Changed.</p>", time.Now() })
			return nil
		},
		Remove: func() error { b.change(func() { b.pages = slices.Delete(b.pages, 1, 2) }); return nil },
		Script: &plugintest.Script{Field: "base_url", Handler: newBookstack(12), Item: "/api/pages/1"},
	})
}
