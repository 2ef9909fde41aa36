// Package webtest is a website on loopback, for tests of what reads websites.
package webtest

import (
	"crypto/sha256"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Page is what one address answers.
type Page struct {
	Title  string
	Head   string // more of the head, as HTML
	Text   string // HTML of the body
	Links  []string
	Type   string // text/html unless set; Text is the whole content then
	Status int    // 200 unless set
	Header map[string]string
	To     string // where a redirect leads; its status is 302 unless set
	Bare   bool   // without ETag
	Serve  http.HandlerFunc
}

// Site is a website. Its methods may be called from several goroutines.
type Site struct {
	mu     sync.Mutex
	pages  map[string]*Page // by path and query
	hits   map[string]int
	asked  int
	fresh  int // answers 304
	agents map[string]bool
	faults *faults
}

// New makes a site without pages.
func New() *Site {
	return &Site{pages: map[string]*Page{}, hits: map[string]int{}, agents: map[string]bool{}}
}

// Start serves the site until the test ends, and returns its address.
func (s *Site) Start(t testing.TB) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// Set makes an address answer with a page, or with 404 where it is nil.
func (s *Site) Set(path string, p *Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		delete(s.pages, path)
		return
	}
	s.pages[path] = p
}

// Hits tells how often an address was asked for.
func (s *Site) Hits(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

// Forget begins to count anew, and returns how many requests there were and how many
// of them were answered by "as it was".
func (s *Site) Forget() (requests, unchanged int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, unchanged = s.asked, s.fresh
	s.hits, s.asked, s.fresh = map[string]int{}, 0, 0
	return requests, unchanged
}

// Agents are the names under which somebody asked.
func (s *Site) Agents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.agents))
}

// faults are what goes wrong, by chance of a seed.
type faults struct {
	random      *rand.Rand
	every, left int
	struck      int
}

// SetFaults makes about one request in every go wrong, at most limit of them: errors
// of the server, calls for a pause, answers that break off and connections that break.
func (s *Site) SetFaults(seed uint64, every, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = &faults{random: rand.New(rand.NewPCG(seed, 1)), every: every, left: limit}
}

// Struck counts what went wrong.
func (s *Site) Struck() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		return 0
	}
	return s.faults.struck
}

// strike chooses a fault, 0 for none.
func (f *faults) strike() int {
	if f == nil || f.left == 0 || f.random.IntN(f.every) != 0 {
		return 0
	}
	f.left--
	f.struck++
	return 1 + f.random.IntN(5)
}

// ServeHTTP answers as the pages say.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.RequestURI()
	s.mu.Lock()
	s.hits[path]++
	s.asked++
	s.agents[r.UserAgent()] = true
	var page Page
	p, ok := s.pages[path]
	if ok {
		page = *p
	}
	fault := s.faults.strike()
	s.mu.Unlock()
	switch fault {
	case 1:
		w.WriteHeader(http.StatusBadGateway)
	case 2:
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusServiceUnavailable)
	case 3:
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	case 4:
		panic(http.ErrAbortHandler)
	default:
		s.answer(w, r, page, ok, fault == 5)
	}
}

func (s *Site) answer(w http.ResponseWriter, r *http.Request, page Page, ok, broken bool) {
	if !ok {
		http.NotFound(w, r)
		return
	}
	if page.Serve != nil {
		page.Serve(w, r)
		return
	}
	for name, value := range page.Header {
		w.Header().Set(name, value)
	}
	if page.To != "" {
		w.Header().Set("Location", page.To)
		w.WriteHeader(max(page.Status, http.StatusFound))
		return
	}
	text := page.content()
	w.Header().Set("Content-Type", page.Type)
	if page.Type == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	if w.Header().Get("Date") == "" {
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	if !page.Bare && page.Status == 0 {
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))[:18] + `"`
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			s.mu.Lock()
			s.fresh++
			s.mu.Unlock()
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if page.Status != 0 {
		w.WriteHeader(page.Status)
	}
	if broken {
		text = text[:len(text)/2]
	}
	_, _ = w.Write([]byte(text)) // a client that left is no matter of the site
	if broken {
		panic(http.ErrAbortHandler)
	}
}

func (p *Page) content() string {
	if p.Type != "" {
		return p.Text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=\"en\"><head><title>%s</title>%s</head><body><main>%s", html.EscapeString(p.Title), p.Head, p.Text)
	for _, link := range p.Links {
		fmt.Fprintf(&b, "\n<p><a href=\"%s\">on</a></p>", html.EscapeString(link))
	}
	return b.String() + "</main></body></html>"
}
