package web

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

// host keeps what a sync sends as Footnote does. What came after the last checkpoint
// is lost when it stops.
type host struct {
	docs, saved map[string]sdk.Document
	failed      map[string]error
	notes       []string
	cursor      sdk.Cursor
	events      int
	stopAt      int // after so many events; 0 for never
	sent        int
}

func newHost() *host {
	return &host{docs: map[string]sdk.Document{}, failed: map[string]error{}, saved: map[string]sdk.Document{}}
}

var errStopped = errors.New("the host stopped")

func (h *host) event() error {
	if h.events++; h.stopAt > 0 && h.events > h.stopAt {
		return errStopped
	}
	return nil
}

func (h *host) Document(d sdk.Document) error {
	delete(h.failed, d.ID)
	h.docs[d.ID] = d
	h.sent++
	return h.event()
}

func (h *host) Unread(d sdk.Document, err error) error {
	h.failed[d.ID] = err
	return h.event()
}

func (h *host) Note(text string) error {
	h.notes = append(h.notes, text)
	return h.event()
}

func (h *host) Checkpoint(c sdk.Cursor) error {
	if err := h.event(); err != nil {
		return err
	}
	h.cursor, h.saved = append(sdk.Cursor(nil), c...), maps.Clone(h.docs)
	return nil
}

// crash forgets what no checkpoint covers.
func (h *host) crash() { h.docs, h.events = maps.Clone(h.saved), 0 }

// clock is one that moves when somebody sleeps.
type clock struct {
	mu  sync.Mutex
	at  time.Time
	all time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	c.all += d
	return ctx.Err()
}

// site is a source with the usual settings, whose clock stands still.
func site(address string) *Source {
	c := &clock{at: time.Now()}
	return &Source{
		Site: address, Depth: 10, MaxPages: 10_000, MaxMB: 20, Rate: 2, GoneAfter: 2, Header: "Authorization",
		AllowPrivate: []string{"127.0.0.1"}, now: c.now, sleep: c.sleep,
	}
}

// start starts a source, in a process and a folder of its own as it were.
func start(t testing.TB, s *Source) *Source { return startIn(t, s, t.TempDir()) }

func startIn(t testing.TB, s *Source, dir string) *Source {
	t.Helper()
	if err := s.Start(t.Context(), &sdk.Env{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.web.http.CloseIdleConnections)
	return s
}

// synced is one sync that has to end well.
func synced(t testing.TB, s *Source, h *host) {
	t.Helper()
	if err := s.sync(t.Context(), h.cursor, h); err != nil {
		t.Fatal(err)
	}
}

// paths are what a host holds, without the site's address.
func paths[V any](s *Source, docs map[string]V) []string {
	out := []string{}
	for id := range docs {
		out = append(out, id[len(s.scope.starts[0].Scheme+"://"+s.scope.starts[0].Host):])
	}
	slices.Sort(out)
	return out
}

func listed(t testing.TB, s *Source) ([]string, error) {
	t.Helper()
	docs := map[string]bool{}
	err := s.list(t.Context(), func(id, _ string) error { docs[id] = true; return nil })
	return paths(s, docs), err
}

func text(words string) string {
	return "<h1>" + words + "</h1><p>" + words + " is what this page is about, and it says enough of it to be known again.</p>"
}

// handbook is a small site of one of each kind.
func handbook() *webtest.Site {
	s := webtest.New()
	s.Set("/robots.txt", &webtest.Page{Type: "text/plain", Text: "User-agent: *\nDisallow: /private/\n"})
	s.Set("/", &webtest.Page{Title: "Handbook", Text: text("the start"), Links: []string{"/coffee", "/travel/", "guide.pdf", "/private/plan", "https://elsewhere.example/"}})
	s.Set("/coffee", &webtest.Page{Title: "Coffee", Text: text("coffee"), Links: []string{"/", "coffee/beans?utm_source=x#top", "/gone"},
		Head: `<meta name="description" content="How coffee is made"><meta name="author" content="Ann"><meta property="article:modified_time" content="2026-03-01T10:00:00Z">`})
	s.Set("/coffee/beans", &webtest.Page{Title: "Beans", Text: text("beans")})
	s.Set("/travel/", &webtest.Page{Title: "Travel", Text: text("travel"), Links: []string{"/travel"}})
	s.Set("/guide.pdf", &webtest.Page{Type: "application/pdf", Text: "%PDF-1.4 not much of one"})
	s.Set("/private/plan", &webtest.Page{Title: "Plan", Text: text("secret plans")})
	return s
}
