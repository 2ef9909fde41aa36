package web

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

func canonical(to, words string, links ...string) *webtest.Page {
	return &webtest.Page{Title: words, Text: text(words), Links: links, Head: `<link rel="canonical" href="` + to + `">`}
}

// One page at several addresses is one document, and none is lost by a mistake of the
// site.
func TestOnePageOneDocument(t *testing.T) {
	for name, c := range map[string]struct {
		pages map[string]*webtest.Page
		want  []string
	}{
		"canonical": {map[string]*webtest.Page{
			"/": linking("/print/a", "/a?view=1"), "/print/a": canonical("/a", "a"), "/a?view=1": canonical("/a", "a"), "/a": canonical("/a", "a"),
		}, []string{"/", "/a"}},
		"canonical elsewhere": {map[string]*webtest.Page{"/": linking("/a"), "/a": canonical("https://elsewhere.example/a", "a")}, []string{"/", "/a"}},
		"canonical nowhere":   {map[string]*webtest.Page{"/": linking("/a"), "/a": canonical("/none", "a")}, []string{"/", "/a"}},
		"canonical root":      {map[string]*webtest.Page{"/": linking("/a", "/b"), "/a": canonical("/", "a"), "/b": canonical("/", "b")}, []string{"/", "/a", "/b"}},
		"canonical circle":    {map[string]*webtest.Page{"/": linking("/a"), "/a": canonical("/b", "a"), "/b": canonical("/a", "b")}, []string{"/", "/b"}},
		"canonical redirect":  {map[string]*webtest.Page{"/": linking("/a"), "/a": canonical("/b", "a"), "/b": {To: "/a"}}, []string{"/", "/a"}},
		"redirect":            {map[string]*webtest.Page{"/": linking("/old"), "/old": {To: "/new", Status: 301}, "/new": {Title: "New", Text: text("new")}}, []string{"/", "/new"}},
		"slash":               {map[string]*webtest.Page{"/": linking("/a", "/b/"), "/a": {To: "/a/"}, "/a/": {Title: "A", Text: text("a")}, "/b/": {To: "/b"}, "/b": {Title: "B", Text: text("b")}}, []string{"/", "/a", "/b"}},
		"same text":           {map[string]*webtest.Page{"/": linking("/a", "/b"), "/a": {Title: "A", Text: text(strings.Repeat("long ", 50))}, "/b": {Title: "B", Text: text(strings.Repeat("long ", 50))}}, []string{"/", "/a"}},
		"short text":          {map[string]*webtest.Page{"/": linking("/a", "/b"), "/a": {Title: "A", Text: "x"}, "/b": {Title: "B", Text: "x"}}, []string{"/", "/a", "/b"}},
		"no text":             {map[string]*webtest.Page{"/": linking("/a"), "/a": {Title: "A", Text: `<div id="root"></div><script>draw()</script>`}}, []string{"/"}},
		"noindex":             {map[string]*webtest.Page{"/": linking("/a"), "/a": {Text: text("a"), Head: `<meta name="robots" content="noindex">`, Links: []string{"/b"}}, "/b": {Title: "B", Text: text("b")}}, []string{"/", "/b"}},
		"nofollow":            {map[string]*webtest.Page{"/": linking("/a"), "/a": {Title: "A", Text: text("a"), Header: map[string]string{"X-Robots-Tag": "nofollow"}, Links: []string{"/b"}}, "/b": {Title: "B", Text: text("b")}}, []string{"/", "/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := webtest.New()
			for path, p := range c.pages {
				server.Set(path, p)
			}
			s, h := start(t, site(server.Start(t))), newHost()
			for range 3 { // it stays like that
				synced(t, s, h)
				if diff := cmp.Diff(c.want, paths(s, h.docs)); diff != "" {
					t.Fatal(diff)
				}
				if got, err := listed(t, s); err != nil || cmp.Diff(c.want, got) != "" {
					t.Fatalf("listed %v, %v", got, err)
				}
			}
			if h.sent != len(c.want) {
				t.Errorf("%d sent for %d documents", h.sent, len(c.want))
			}
		})
	}
}

// What stood for another page and is gone leaves that page to itself.
func TestTheOtherPageIsGone(t *testing.T) {
	server := webtest.New()
	same := text(strings.Repeat("long ", 50))
	server.Set("/", linking("/a", "/copy"))
	server.Set("/a", &webtest.Page{Title: "A", Text: same})
	server.Set("/copy", &webtest.Page{Title: "Copy", Text: same})
	s, h := start(t, site(server.Start(t))), newHost()
	synced(t, s, h)
	server.Set("/a", nil)
	synced(t, s, h)
	synced(t, s, h)
	if got, err := listed(t, s); err != nil || cmp.Diff([]string{"/", "/copy"}, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
}

// The pace is that of the configuration, robots.txt and Retry-After; nobody waits for
// more than a minute.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		robots, after string
		want          time.Duration
		kind          string
	}{
		{"", "", 5 * 500 * time.Millisecond, ""},
		{"User-agent: *\nCrawl-delay: 4", "", 4 * 4 * time.Second, ""},
		{"User-agent: *\nCrawl-delay: 86400", "", 4 * longestDelay, ""},
		{"", "20", 20*time.Second + 5*500*time.Millisecond, ""},
		{"", "3600", 0, "busy"},
	} {
		server := webtest.New()
		server.Set("/robots.txt", &webtest.Page{Type: "text/plain", Text: c.robots})
		server.Set("/", linking("/a", "/b", "/c"))
		for _, path := range []string{"/b", "/c", "/d"} {
			server.Set(path, &webtest.Page{Title: path, Text: text(path)})
		}
		server.Set("/a", &webtest.Page{Title: "/a", Text: text("a"), Links: []string{"/d"}})
		if c.after != "" {
			server.Set("/a", &webtest.Page{Status: 503, Header: map[string]string{"Retry-After": c.after}})
		}
		s := site(server.Start(t))
		moment := &clock{at: s.now()}
		s.now, s.sleep = moment.now, moment.sleep
		err := start(t, s).sync(t.Context(), nil, newHost())
		if sdk.KindOf(err) != c.kind || (err == nil) != (c.kind == "") {
			t.Errorf("%+v: %v", c, err)
		}
		if c.kind == "" && moment.all < c.want {
			t.Errorf("%+v: all was over after %v", c, moment.all)
		}
	}
}

func TestRobotsOutOfReach(t *testing.T) {
	server := handbook()
	server.Set("/robots.txt", &webtest.Page{Status: 500})
	s := start(t, site(server.Start(t)))
	if err := s.sync(t.Context(), nil, newHost()); err == nil || !strings.Contains(err.Error(), "without its robots.txt") {
		t.Error(err)
	}
	if server.Hits("/") != 0 {
		t.Error("the site was read without it")
	}
}
