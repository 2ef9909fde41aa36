package githubtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is a GitHub. It is a handler; Start gives it an address.
type Server struct {
	mu      sync.Mutex
	mux     *http.ServeMux
	now     time.Time // its clock, which Change moves on by a second
	repos   []*Repository
	users   map[string]*User
	orgs    map[string]*Org
	tokens  map[string]*Token
	app     *App
	faults  *faults
	left    int // requests until the allowance is spent; negative: no end
	reset   time.Time
	counted map[string]int
	before  func(*http.Request) // called before each request is answered, with the lock held
}

// New makes an empty GitHub whose clock stands at an hour ago.
func New() *Server {
	s := &Server{
		now: time.Now().UTC().Add(-time.Hour).Truncate(time.Second), users: map[string]*User{}, orgs: map[string]*Org{},
		tokens: map[string]*Token{}, counted: map[string]int{}, left: -1,
	}
	s.routes()
	return s
}

// Start serves on loopback until the test ends, and returns the address.
func (s *Server) Start(t testing.TB) string {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL
}

// Change changes what is there. The clock moves on by a second.
func (s *Server) Change(f func(now time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Second)
	f(s.now)
}

// SetClock sets the clock.
func (s *Server) SetClock(now time.Time) { s.Change(func(time.Time) { s.now = now.UTC() }) }

// AddRepository adds a repository; its id is its place unless it has one.
func (s *Server) AddRepository(r *Repository) *Repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ID = cmp.Or(r.ID, int64(1000+len(s.repos)))
	if r.Files == nil {
		r.Files = map[string]string{}
	}
	s.repos = append(s.repos, r)
	return r
}

// AddUsers adds accounts.
func (s *Server) AddUsers(list ...User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range list {
		s.users[strings.ToLower(u.Login)] = &u
	}
}

// AddOrg adds an organisation.
func (s *Server) AddOrg(o *Org) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orgs[strings.ToLower(o.Login)] = o
}

// AddToken makes a token that works.
func (s *Server) AddToken(secret string, t *Token) *Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[secret] = t
	return t
}

// Before is called before each request is answered. It may change what is there,
// without Change.
func (s *Server) Before(f func(*http.Request)) { s.Change(func(time.Time) { s.before = f }) }

// Allow sets how many requests are answered until the reset, a time of the
// server's clock.
func (s *Server) Allow(requests int, reset time.Duration) {
	s.Change(func(now time.Time) { s.left, s.reset = requests, now.Add(reset) })
}

// Requests counts the requests to a route so far, such as "blob" or "comments";
// see routes.
func (s *Server) Requests(route string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted[route]
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil {
		s.before(r)
	}
	c := &call{Server: s, w: w, r: r}
	w.Header().Set("Date", s.now.Format(http.TimeFormat))
	if !c.known() || !c.allowed() || s.faults.strike(c) {
		return
	}
	s.mux.ServeHTTP(c, r)
}

// call is one request. It is the ResponseWriter of the handlers as well.
type call struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	token *Token // nil for somebody unknown
}

func (c *call) Header() http.Header         { return c.w.Header() }
func (c *call) Write(p []byte) (int, error) { return c.w.Write(p) }
func (c *call) WriteHeader(status int)      { c.w.WriteHeader(status) }

// known looks at who asks.
func (c *call) known() bool {
	secret, ok := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	if !ok || strings.HasPrefix(c.r.URL.Path, "/api/v3/app/") || strings.HasSuffix(c.r.URL.Path, "/installation") {
		return true
	}
	if c.token = c.tokens[secret]; c.token == nil || c.token.Revoked {
		c.refuse(http.StatusUnauthorized, "Bad credentials")
		return false
	}
	if c.token.Scopes != "" {
		c.Header().Set("X-OAuth-Scopes", c.token.Scopes)
	}
	return true
}

// allowed counts the allowance down.
func (c *call) allowed() bool {
	left, reset := 5000, c.now.Add(time.Hour)
	if c.left >= 0 {
		left, reset = c.left, c.reset
		if !c.now.Before(c.reset) {
			c.left, left = -1, 5000
		}
	}
	h := c.Header()
	h.Set("X-RateLimit-Limit", "5000")
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, left-1)))
	h.Set("X-RateLimit-Used", strconv.Itoa(5000-left))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
	if left == 0 {
		c.refuse(http.StatusForbidden, "API rate limit exceeded for user ID 1.")
		return false
	}
	if c.left > 0 {
		c.left--
	}
	return true
}

func (c *call) lacks(kind string) bool { return c.token != nil && slices.Contains(c.token.Lacks, kind) }

// refuse answers with an error as GitHub words it.
func (c *call) refuse(status int, message string) {
	c.send(status, map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

// json answers with a value, or with 304 where the client has it.
func (c *call) json(v any) { c.send(http.StatusOK, v) }

func (c *call) send(status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of this package come here
	}
	c.Header().Set("Content-Type", "application/json; charset=utf-8")
	if status == http.StatusOK {
		tag := fmt.Sprintf("%q", hash("etag", string(data)))
		c.Header().Set("ETag", tag)
		if c.r.Header.Get("If-None-Match") == tag {
			c.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if status == http.StatusOK && c.faults != nil && c.faults.halve {
		c.faults.halve = false
		c.Header().Set("Content-Length", strconv.Itoa(len(data)))
		data = data[:len(data)/2]
	}
	c.WriteHeader(status)
	_, _ = bytes.NewReader(data).WriteTo(c.w) // a client that left is no matter of the server
}
