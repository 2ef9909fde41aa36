package web

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

func TestCrawl(t *testing.T) {
	server := handbook()
	s, h := start(t, site(server.Start(t))), newHost()
	synced(t, s, h)
	if diff := cmp.Diff([]string{"/", "/coffee", "/coffee/beans", "/guide.pdf", "/travel"}, paths(s, h.docs)); diff != "" {
		t.Fatal(diff)
	}
	root := s.Site
	d := h.docs[root+"/coffee"]
	if d.Title != "Coffee" || d.Author != "Ann" || d.Meta["description"] != "How coffee is made" || d.Meta["language"] != "en" ||
		!d.Updated.Equal(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)) || d.URL != root+"/coffee" || !d.Access.Host || d.MediaType != "text/html" {
		t.Errorf("%+v", d)
	}
	for _, want := range []string{"<h1>coffee</h1>", `href="` + root + `/coffee/beans?utm_source=x#top"`} {
		if !strings.Contains(d.Body, want) {
			t.Errorf("%q is not in %s", want, d.Body)
		}
	}
	if server.Hits("/private/plan") != 0 || len(h.failed) != 0 {
		t.Errorf("private %d, failed %v", server.Hits("/private/plan"), h.failed)
	}
	if got := server.Agents(); len(got) != 1 || !strings.HasPrefix(got[0], "FootnoteBot/") {
		t.Errorf("it calls itself %q", got)
	}
	if server.Hits("/travel") != 0 || h.docs[root+"/travel"].URL != root+"/travel/" {
		t.Errorf("%+v", h.docs[root+"/travel"])
	}
	file, err := s.Fetch(t.Context(), h.docs[root+"/guide.pdf"].Files[0].Ref)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(file.Content); err != nil || string(content) != "%PDF-1.4 not much of one" || file.MediaType != "application/pdf" {
		t.Errorf("%q, %+v, %v", content, file, err)
	}
	file.Content.Close()
}

// A site that is as it was costs one request a page, without content, and nothing is
// sent. What changed comes again.
func TestIncremental(t *testing.T) {
	server := handbook()
	s, h := start(t, site(server.Start(t))), newHost()
	synced(t, s, h)
	first, _ := server.Forget()
	h.sent = 0
	synced(t, s, h)
	requests, unchanged := server.Forget()
	if h.sent != 0 || requests != first || unchanged != 5 { // robots.txt and a dead link are asked for as well
		t.Errorf("%d sent, %d requests after %d, %d unchanged", h.sent, requests, first, unchanged)
	}
	server.Set("/coffee", &webtest.Page{Title: "Coffee", Text: text("tea"), Links: []string{"/new"}})
	server.Set("/new", &webtest.Page{Title: "New", Text: text("new")})
	synced(t, s, h)
	if h.sent != 2 || !strings.Contains(h.docs[s.Site+"/coffee"].Body, "tea") || h.docs[s.Site+"/new"].Title != "New" {
		t.Errorf("%d sent: %v", h.sent, paths(s, h.docs))
	}
}

// A page is gone when it was missing in two complete crawls; a listing that follows a
// sync asks nothing.
func TestDeletion(t *testing.T) {
	server := handbook()
	s, h := start(t, site(server.Start(t))), newHost()
	synced(t, s, h)
	all, err := listed(t, s)
	if err != nil || len(all) != 5 {
		t.Fatalf("%v, %v", all, err)
	}
	server.Set("/coffee/beans", nil)
	synced(t, s, h)
	server.Forget()
	if got, err := listed(t, s); err != nil || cmp.Diff(all, got) != "" {
		t.Errorf("after one crawl: %v, %v", got, err)
	}
	if requests, _ := server.Forget(); requests != 0 {
		t.Errorf("the listing after a sync took %d requests", requests)
	}
	if got, err := listed(t, s); err != nil || len(got) != 4 {
		t.Errorf("after two crawls: %v, %v", got, err)
	}
	if requests, _ := server.Forget(); requests == 0 {
		t.Error("the second listing asked nothing")
	}
	server.Set("/coffee/beans", &webtest.Page{Title: "Beans", Text: text("beans")})
	h.sent = 0
	synced(t, s, h)
	if h.sent != 1 {
		t.Errorf("%d sent when the page was back", h.sent)
	}
	if got, err := listed(t, s); err != nil || len(got) != 5 {
		t.Errorf("back: %v, %v", got, err)
	}
}

// A site that is down, closed, shows the same page for all or asks for a login has
// lost nothing.
func TestNothingIsEmptied(t *testing.T) {
	same := &webtest.Page{Title: "Sorry", Text: text("we are rebuilding")}
	login := &webtest.Page{To: "/login"}
	for _, c := range []struct {
		name  string
		page  *webtest.Page
		fails string
	}{
		{"down", &webtest.Page{Status: 500}, "500"},
		{"closed", &webtest.Page{Status: 401}, "401"},
		{"forbidden", &webtest.Page{Status: 403}, "403"},
		{"missing", &webtest.Page{Status: 404}, "leads nowhere"},
		{"elsewhere", &webtest.Page{To: "https://login.example/"}, "login.example"},
		{"private", &webtest.Page{To: "http://169.254.169.254/latest/meta-data/"}, "outside"},
		{"same", same, ""},
		{"login", login, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := handbook()
			s, h := start(t, site(server.Start(t))), newHost()
			synced(t, s, h)
			before, err := listed(t, s)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"/", "/coffee", "/coffee/beans", "/travel/", "/guide.pdf", "/travel"} {
				server.Set(path, c.page)
			}
			server.Set("/login", &webtest.Page{Title: "Login", Text: text("who are you")})
			for range 4 {
				err := s.sync(t.Context(), h.cursor, h)
				if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Fatalf("want %q, got %v", c.fails, err)
				}
				got, err := listed(t, s)
				if err == nil && !contains(got, before) {
					t.Fatalf("a listing of %v", got)
				}
				if c.fails != "" && err == nil {
					t.Error("a listing without an error")
				}
			}
		})
	}
}

func contains(all, some []string) bool {
	have := map[string]bool{}
	for _, one := range all {
		have[one] = true
	}
	for _, one := range some {
		if !have[one] {
			return false
		}
	}
	return true
}

func TestKinds(t *testing.T) {
	for kind, page := range map[string]*webtest.Page{
		"auth": {Status: 401}, "denied": {Status: 403}, "": {Status: 502}, "busy": {Status: 429, Header: map[string]string{"Retry-After": "900"}},
	} {
		server := handbook()
		server.Set("/", page)
		s := start(t, site(server.Start(t)))
		if err := s.sync(t.Context(), nil, newHost()); err == nil || sdk.KindOf(err) != kind {
			t.Errorf("%q: %v", kind, err)
		}
	}
	server := handbook()
	s := site(server.Start(t))
	s.AllowPrivate = nil
	start(t, s)
	for what, err := range map[string]error{"sync": s.sync(t.Context(), nil, newHost()), "check": s.Check(t.Context())} {
		if sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), "allow_private: 127.0.0.1 is not a public address") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if requests, _ := server.Forget(); requests != 0 {
		t.Errorf("%d requests went to a private address", requests)
	}
}
