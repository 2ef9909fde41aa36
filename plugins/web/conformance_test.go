package web

import (
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

// The connector is held against what the host expects of any, in real processes.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	server := handbook()
	server.Set("/guide.pdf", &webtest.Page{Type: "application/pdf", Text: "%PDF-1.4" + strings.Repeat(" nothing to see", 60_000)})
	address := server.Start(t)
	plugintest.Run(t, plugintest.Case{
		New: func() sdk.Source {
			return &Source{Site: "http://localhost/", Server: address, Rate: 5000, GoneAfter: 1, AllowPrivate: []string{"127.0.0.1"}, Authorization: "Bearer of-the-tests"}
		},
		Touch: func() error {
			server.Set("/coffee", &webtest.Page{Title: "Coffee", Text: text("cold coffee"), Links: []string{"/coffee/beans"}})
			return nil
		},
		Remove: func() error { server.Set("/coffee/beans", nil); return nil },
		Script: &plugintest.Script{Field: "server", Handler: handbook(), Item: "/coffee/beans"},
	})
}
