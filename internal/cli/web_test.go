package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

func newSite(t *testing.T) (*webtest.Site, string) {
	s := webtest.New()
	s.Set("/robots.txt", &webtest.Page{Type: "text/plain", Text: "User-agent: *\nDisallow: /secret\n"})
	s.Set("/", &webtest.Page{Title: "Handbook", Text: "<h1>Handbook</h1><p>Everything that newcomers ask.</p>", Links: []string{"/coffee", "/secret"}})
	s.Set("/coffee", &webtest.Page{Title: "Coffee", Text: "<h1>Coffee</h1><p>The espresso machine is descaled every Friday by the facilities team.</p>"})
	s.Set("/secret", &webtest.Page{Title: "Secret", Text: "<p>The espresso machine will be sold in spring.</p>"})
	return s, s.Start(t)
}

func TestPluginTestHoldsWeb(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes")
	}
	_, address := newSite(t)
	u, dir := newUser(t), t.TempDir()
	config, err := json.Marshal(map[string]any{"site": address, "rate": 5000, "allow_private": []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, filepath.Join(dir, "config.json"), string(config), 0o600)
	got := u.run("plugin", "test", "web", "--config", filepath.Join(dir, "config.json"), "--only", "config.secrets,sync.first,sync.resume,list.equal", "--json")
	results := testResults(t, got.out)
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, id := range []string{"sync.first", "sync.resume", "list.equal"} {
		if results[id].State != plugintest.Pass {
			t.Errorf("%+v", results[id])
		}
	}
}

// Added, synced and searched by commands; an address that is not public has to be
// allowed.
func TestWebByCommand(t *testing.T) {
	t.Parallel()
	server, address := newSite(t)
	u := newUser(t)
	if o := u.run("source", "add", "web", address); o.code != exitConfig || !strings.Contains(o.err, "allow_private") {
		t.Fatalf("%+v", o)
	}
	u.must("source", "add", "web", address, "--name", "site", "--set", "allow_private=127.0.0.1", "--set", "rate=5000")
	u.must("sync", "site")
	if found := u.must("search", "who descales the espresso machine", "--json"); !strings.Contains(found, address+"/coffee") || strings.Contains(found, "sold in spring") {
		t.Errorf("%s", found)
	}
	server.Set("/coffee", &webtest.Page{Title: "Coffee", Text: "<p>The espresso machine went to the museum of Trieste.</p>"})
	u.must("sync", "site")
	if found := u.must("search", "museum of Trieste", "--json"); !strings.Contains(found, "museum of Trieste") {
		t.Errorf("%s", found)
	}
	if n := server.Hits("/secret"); n != 0 {
		t.Errorf("what robots.txt forbids was asked for %d times", n)
	}
}
