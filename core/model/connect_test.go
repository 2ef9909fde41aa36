package model_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// Why no connection comes about is said, not only that there is none.
func TestConnectionProblemsAreNamed(t *testing.T) {
	none := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	secure, open := httptest.NewTLSServer(none), httptest.NewServer(none)
	t.Cleanup(secure.Close)
	t.Cleanup(open.Close)
	for _, row := range []struct{ name, url, want string }{
		{"a certificate of nobody", secure.URL, "certificate"},
		{"TLS where there is none", strings.Replace(open.URL, "http:", "https:", 1), "answers without TLS"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := client(t, row.url, func(cfg *model.Config) { cfg.Retries = -1 })
			_, err := c.Stream(t.Context(), ask(), func(model.Delta) error { return nil })
			if core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
