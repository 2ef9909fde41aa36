package slack

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// host keeps what a sync sends as Footnote does. What came after the last
// checkpoint is lost when it stops.
type host struct {
	docs    map[string]sdk.Document
	failed  map[string]string
	removed []string
	closed  []string
	notes   []string
	cursor  sdk.Cursor
	saved   map[string]sdk.Document
	events  int
	stopAt  int // after so many events; 0 for never
	sent    int
}

func newHost() *host {
	return &host{docs: map[string]sdk.Document{}, failed: map[string]string{}, saved: map[string]sdk.Document{}}
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
	h.failed[d.ID] = err.Error()
	return h.event()
}

func (h *host) Removed(id string) error {
	delete(h.docs, id)
	h.removed = append(h.removed, id)
	return h.event()
}

func (h *host) FolderFailed(folder string, _ error) error {
	h.closed = append(h.closed, folder)
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

// readers keeps what Grants tells.
type readers struct {
	folders map[string]sdk.Access
	groups  map[string][]string
	whole   bool // all folders were told
	all     bool // all groups
}

func newReaders() *readers {
	return &readers{folders: map[string]sdk.Access{}, groups: map[string][]string{}}
}

func (r *readers) Folder(id string, a sdk.Access) error { r.folders[id] = a; return nil }
func (r *readers) AllFolders() error                    { r.whole = true; return nil }
func (r *readers) Group(g sdk.Group) error              { r.groups[g.Name] = g.Users; return nil }
func (r *readers) AllGroups()                           { r.all = true }

func grant(t *testing.T, src *Source) *readers {
	t.Helper()
	r := newReaders()
	if err := src.grants(t.Context(), r); err != nil || !r.whole || !r.all {
		t.Fatalf("%v, all folders %v, all groups %v", err, r.whole, r.all)
	}
	return r
}

// relay stands before a Slack: it adds the search, which that server lacks, counts,
// and makes requests go wrong by the chance of a seed.
type relay struct {
	next   http.Handler
	search func(query string) string // JSON of messages; nil for an empty answer

	mu     sync.Mutex
	counts map[string]int
	random *rand.Rand
	every  int // one request in so many goes wrong
	left   int
	struck int
	before func(method string) // called before each request
}

func newRelay(srv *slacktest.Server) *relay {
	u, err := url.Parse(strings.TrimSuffix(srv.URL(), "/api/"))
	if err != nil {
		panic(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	return &relay{next: proxy, counts: map[string]int{}}
}

func (r *relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	method := strings.TrimPrefix(req.URL.Path, "/api/")
	r.mu.Lock()
	r.counts[method]++
	before, search, bad := r.before, r.search, -1
	if r.left > 0 && r.random.IntN(r.every) == 0 {
		r.left--
		r.struck++
		bad = r.random.IntN(5)
	}
	r.mu.Unlock()
	if before != nil {
		before(method)
	}
	switch bad {
	case 0:
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case 1:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case 2:
		panic(http.ErrAbortHandler)
	case 3:
		_, _ = w.Write([]byte(`{"ok":false,"error":"internal_error"}`))
		return
	case 4:
		_, _ = w.Write([]byte(`{}`))
		return
	}
	if method == "search.messages" {
		_, _ = w.Write([]byte(search(req.FormValue("query"))))
		return
	}
	r.next.ServeHTTP(w, req)
}

// count is how often a method was called since the last time.
func (r *relay) count(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.counts[method]
	r.counts[method] = 0
	return n
}

func (r *relay) serve(t testing.TB) string {
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return s.URL
}

// trouble makes so many requests go wrong, one in every, by the chance of a seed.
func (r *relay) trouble(seed uint64, every, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.random, r.every, r.left = rand.New(rand.NewPCG(seed, 4)), every, times
}

// meanwhile is called before each request from now on; nil for nothing.
func (r *relay) meanwhile(f func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = f
}

// searches answers searches from now on.
func (r *relay) searches(f func(query string) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.search = f
}

func (r *relay) faults() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.struck
}

// start makes a source of a server, in a process of its own as it were. Requests
// are not tried again, so that nothing waits.
func start(t testing.TB, srv *slacktest.Server, address, dir string, src Source) *Source {
	t.Helper()
	src.Token, src.ApiURL, src.now = slacktest.BotToken, address, srv.Clock().Now
	idle := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(idle.CloseIdleConnections)
	src.bare = idle
	if err := src.Start(t.Context(), &sdk.Env{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return &src
}
