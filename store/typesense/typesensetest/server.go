// Package typesensetest is a Typesense of our own on loopback, for tests. It
// implements what package typesense uses: collections and their fields, aliases,
// imports, deletions by filter and multi_search with filters, groups, facets and
// vectors, with the limits of a real server. Every request and every response is
// held against the OpenAPI document that comes with the client's module: what that
// does not describe fails the test.
package typesensetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Key is the API key that the server takes.
const Key = "loopback-key"

// keyHeader is where a request carries its key.
const keyHeader = "X-TYPESENSE-API-KEY"

// Trouble answers a request in place of the server; a status of 0 lets it through. It
// may wait until the request's context ends.
type Trouble func(r *http.Request) (status int, message string)

// Server is one node. Its methods may be called from several goroutines.
type Server struct {
	URL string

	t    testing.TB
	http *httptest.Server
	mux  *http.ServeMux

	mu          sync.Mutex
	collections map[string]*collection
	aliases     map[string]string
	trouble     Trouble
	refused     string // why lines of imports are refused; "" takes them
	requests    []string
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{t: t, collections: map[string]*collection{}, aliases: map[string]string{}}
	s.mux = http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /health":                               s.health,
		"GET /collections":                          s.listCollections,
		"POST /collections":                         s.createCollection,
		"GET /collections/{name}":                   s.getCollection,
		"PATCH /collections/{name}":                 s.patchCollection,
		"DELETE /collections/{name}":                s.deleteCollection,
		"GET /aliases/{name}":                       s.getAlias,
		"DELETE /aliases/{name}":                    s.deleteAlias,
		"PUT /aliases/{name}":                       s.putAlias,
		"POST /collections/{name}/documents/import": s.importDocuments,
		"DELETE /collections/{name}/documents":      s.deleteDocuments,
		"GET /collections/{name}/documents/{id}":    s.getDocument,
		"POST /multi_search":                        s.multiSearch,
	} {
		s.mux.HandleFunc(pattern, s.guarded(h))
	}
	s.http = httptest.NewServer(s.checked(s.mux))
	s.URL = s.http.URL
	t.Cleanup(s.http.Close)
	return s
}

// handler gives a status and what to write as JSON, or raw bytes as they are. It runs
// while nothing else does.
type handler func(r *http.Request, body []byte) (int, any)

// raw is a body that is no JSON document.
type raw []byte

type message struct {
	Message string `json:"message"`
}

func (s *Server) guarded(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		s.mu.Lock()
		status, out := h(r, body)
		s.mu.Unlock()
		write(w, status, out)
	}
}

func write(w http.ResponseWriter, status int, out any) {
	if b, ok := out.(raw); ok {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.WriteHeader(status)
		w.Write(b) //nolint:errcheck // the client has left
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out) //nolint:errcheck // the client has left
}

// Disturb sets what answers in place of the server; nil ends it.
func (s *Server) Disturb(trouble Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble
}

// RefuseLines makes every line of an import fail with a reason, as a server does that
// has no room left; "" ends it.
func (s *Server) RefuseLines(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = reason
}

// Requests are the methods and paths of all requests so far.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// note writes a request down and tells what answers in its place.
func (s *Server) note(r *http.Request) Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	return s.trouble
}

func (s *Server) health(*http.Request, []byte) (int, any) {
	return http.StatusOK, map[string]bool{"ok": true}
}

// now is when collections count as made: the same for all, so that nothing depends on it.
func now() int64 { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC).Unix() }
