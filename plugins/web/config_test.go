package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

// What cannot be right is refused without the network, by the name of its field.
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Source)
		field  string
	}{
		"nothing wrong":    {func(*Source) {}, ""},
		"no address":       {func(s *Source) { s.Site = "docs.example.com" }, "site"},
		"a file":           {func(s *Source) { s.Site = "file:///etc/passwd" }, "site"},
		"a password":       {func(s *Source) { s.Site = "https://ann:secret@example.com/" }, "site"},
		"also":             {func(s *Source) { s.Also = []string{"x"} }, "also"},
		"sitemap":          {func(s *Source) { s.Sitemaps = []string{"/sitemap.xml"} }, "sitemaps"},
		"no sitemaps":      {func(s *Source) { s.Sitemaps = []string{"none"} }, ""},
		"glob":             {func(s *Source) { s.Include = []string{"[a"} }, "include"},
		"exclude":          {func(s *Source) { s.Exclude = []string{""} }, "exclude"},
		"depth":            {func(s *Source) { s.Depth = -1 }, "depth"},
		"pages":            {func(s *Source) { s.MaxPages = 0 }, "max_pages"},
		"megabytes":        {func(s *Source) { s.MaxMB = 5000 }, "max_mb"},
		"gone after":       {func(s *Source) { s.GoneAfter = 0 }, "gone_after"},
		"rate":             {func(s *Source) { s.Rate = 0 }, "rate"},
		"in the clear":     {func(s *Source) { s.Site, s.Authorization = "http://example.com/", "Bearer x" }, "site"},
		"two lines":        {func(s *Source) { s.Authorization = "Bearer x\r\nHost: y" }, "authorization"},
		"private":          {func(s *Source) { s.AllowPrivate = []string{"10.0.0.0/99"} }, "allow_private"},
		"server":           {func(s *Source) { s.Server = "http://10.0.0.1" }, "server"},
		"reader":           {func(s *Source) { s.Access = map[string][]string{"/a": {"everybody"}} }, "access"},
		"nobody and other": {func(s *Source) { s.Access = map[string][]string{"/a": {"nobody", "public"}} }, "access"},
		"group of whom":    {func(s *Source) { s.Access = map[string][]string{"/a": {"group:eng"}} }, "access"},
	} {
		s := site("https://docs.example.com/")
		c.change(s)
		err := s.Start(t.Context(), &sdk.Env{Dir: t.TempDir()})
		if c.field == "" && err != nil || c.field != "" && (sdk.KindOf(err) != "config" || !strings.HasPrefix(err.Error(), c.field+": ")) {
			t.Errorf("%s: want %q, got %v", name, c.field, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error holds the password", name)
		}
	}
}

func TestAccess(t *testing.T) {
	rules, err := parseAccess(map[string][]string{
		"/": {"public"}, "/internal/**": {"workspace"}, "internal/board": {"user:ann@example.com", "group:wiki/board"}, "**/*.pdf": {"nobody"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]sdk.Access{
		"/": {Public: true}, "/a/b": {Public: true}, "/internal/a": {Workspace: true}, "/internal": {Workspace: true},
		"/internal/board/minutes": {Users: []string{"ann@example.com"}, Principals: []string{"group:wiki/board"}},
	} {
		if diff := cmp.Diff(want, accessOf(rules, path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if got := accessOf(nil, "/a"); !got.Host {
		t.Errorf("%+v", got)
	}
}

// A page that is closed, too large or cannot be read for the moment keeps its content,
// its place in a listing and its readers.
func TestUnread(t *testing.T) {
	server := handbook()
	s := site(server.Start(t))
	s.Access = map[string][]string{"/coffee": {"workspace"}}
	h := newHost()
	synced(t, start(t, s), h)
	before, err := listed(t, s)
	if err != nil {
		t.Fatal(err)
	}
	for status, kind := range map[int]string{401: "denied", 403: "denied", 451: "denied", 400: "invalid", 500: "", 204: "invalid"} {
		server.Set("/coffee", &webtest.Page{Status: status})
		synced(t, s, h)
		if err := h.failed[s.Site+"/coffee"]; err == nil || sdk.KindOf(err) != kind {
			t.Errorf("%d: want %q, got %v", status, kind, err)
		}
		if got, err := listed(t, s); err != nil || cmp.Diff(before, got) != "" {
			t.Errorf("%d: %v, %v", status, got, err)
		}
	}
	if got := h.docs[s.Site+"/coffee"].Access; !got.Workspace || got.Host {
		t.Errorf("%+v", got)
	}
	_, err = s.Fetch(t.Context(), "x https://elsewhere.example/a.pdf")
	if sdk.KindOf(err) != "denied" {
		t.Error(err)
	}
	server.Set("/guide.pdf", nil)
	if _, err = s.Fetch(t.Context(), h.docs[s.Site+"/guide.pdf"].Files[0].Ref); sdk.KindOf(err) != "gone" {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		page       *webtest.Page
		robots     string
		kind, text string
	}{
		"fine":     {linking("/a"), "", "", ""},
		"alone":    {linking(), "", "", "links to no other page"},
		"script":   {&webtest.Page{Text: "<div></div><script></script>", Links: nil}, "", "", "JavaScript"},
		"moved":    {&webtest.Page{To: "https://www.example.com/"}, "", "config", "write that address"},
		"missing":  {nil, "", "config", "leads nowhere"},
		"robots":   {linking("/a"), "User-agent: *\nDisallow: /", "config", "FootnoteBot"},
		"password": {&webtest.Page{Status: 401}, "", "auth", "401"},
	} {
		server := webtest.New()
		server.Set("/robots.txt", &webtest.Page{Type: "text/plain", Text: c.robots})
		server.Set("/", c.page)
		err := start(t, site(server.Start(t))).Check(t.Context())
		if c.text == "" && err != nil || c.text != "" && (err == nil || sdk.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
