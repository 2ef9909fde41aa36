package hosttest

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Relay stands before a server: it counts, and makes requests go wrong by the chance
// of a seed.
type Relay struct {
	Answer func(w http.ResponseWriter, r *http.Request, name string) bool // nil, or false: the server answers
	Proxy  *httputil.ReverseProxy

	prefix string // of paths, which is no part of a name
	faults []http.HandlerFunc

	mu     sync.Mutex
	counts map[string]int
	random *rand.Rand
	every  int // one request in so many goes wrong
	left   int
	struck int
	before func(name string) // called before each request
}

// NewRelay goes to the server at an address. Each fault is a way to go wrong, beside
// an answer of status 500 and a connection that ends.
func NewRelay(t testing.TB, address, prefix string, faults ...http.HandlerFunc) *Relay {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{Proxy: httputil.NewSingleHostReverseProxy(u), prefix: prefix, counts: map[string]int{}}
	r.faults = append([]http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}, faults...)
	r.Proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	r.Proxy.ErrorLog = log.New(io.Discard, "", 0)
	return r
}

// Fault is an answer.
func Fault(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for n := 0; n < len(header); n += 2 {
			w.Header().Set(header[n], header[n+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// ServeHTTP implements http.Handler.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name := strings.TrimPrefix(req.URL.Path, r.prefix)
	answer := r.Proxy.ServeHTTP
	r.mu.Lock()
	r.counts[name]++
	before, bad := r.before, false
	if r.left > 0 && r.random.IntN(r.every) == 0 {
		r.left--
		r.struck++
		bad, answer = true, r.faults[r.random.IntN(len(r.faults))]
	}
	r.mu.Unlock()
	if before != nil {
		before(name)
	}
	if !bad && r.Answer != nil && r.Answer(w, req, name) {
		return
	}
	answer(w, req)
}

// Serve starts the relay and returns its address.
func (r *Relay) Serve(t testing.TB) string {
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return s.URL
}

// Count is how often names that end so were asked for since the last time.
func (r *Relay) Count(suffix string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for name, times := range r.counts {
		if strings.HasSuffix(name, suffix) {
			n += times
			delete(r.counts, name)
		}
	}
	return n
}

// Trouble makes so many requests go wrong, one in every, by the chance of a seed.
func (r *Relay) Trouble(seed uint64, every, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.random, r.every, r.left = rand.New(rand.NewPCG(seed, 4)), every, times
}

// Meanwhile is called before each request from now on; nil for nothing.
func (r *Relay) Meanwhile(f func(name string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = f
}

// Struck is how many requests went wrong.
func (r *Relay) Struck() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.struck
}
