package discordtest

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

const maxBody = 30 << 20 // bytes of one request

// Call is one call of the REST API.
type Call struct {
	Route  string // such as "POST /channels/{channel}/messages"
	Path   string // as it was asked for, without version and query
	Query  string
	Body   json.RawMessage // the JSON part; files are not in it
	Files  int
	Status int // of the answer; 0 while it is being worked on or when a fault ate it
	Code   int // Discord's error code
	At     time.Time
}

// call is a call while it is worked on.
type call struct {
	*http.Request
	body  json.RawMessage
	files []upload
}

// route is one route of the API.
type route struct {
	name        string
	bucket      string // shared with other routes of this name
	rate        Rate
	open        bool // needs no Authorization
	interaction bool // not under the global limit
	handle      func(s *Server, c *call) (any, error)
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes() {
		s.routes[r.name] = r
		method, path, _ := strings.Cut(r.name, " ")
		mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, r) })
	}
	mux.HandleFunc("/", s.serveUnknown)
	const download = "GET /attachments/{channel}/{id}/{name}"
	s.routes[download] = &route{name: download}
	outer := http.NewServeMux()
	outer.HandleFunc(download, func(w http.ResponseWriter, req *http.Request) { s.serveAttachment(w, req, download) })
	outer.HandleFunc("GET /ws/", s.serveGateway)
	outer.HandleFunc("GET /ws", s.serveGateway)
	for _, version := range []string{"/api", "/api/v9", "/api/v10"} {
		outer.Handle(version+"/", http.StripPrefix(version, mux))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			http.Error(w, "the server is closing", http.StatusServiceUnavailable)
			return
		}
		defer s.wg.Done()
		outer.ServeHTTP(w, r)
	})
}

// Routes lists the names of all routes, for Fail and Limits.
func (s *Server) Routes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.routes))
}

// Calls returns the calls of a route, all of them for "".
func (s *Server) Calls(route string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if route != "" && s.routes[route] == nil {
		s.problem("Calls: this server has no route %q", route)
	}
	return slices.DeleteFunc(slices.Clone(s.calls), func(c Call) bool { return route != "" && c.Route != route })
}

// serveUnknown is a call of a route that this server does not have. The mutex
// is not held.
func (s *Server) serveUnknown(w http.ResponseWriter, r *http.Request) {
	defer s.lock()()
	s.problem("%s %s: this server has no such route", r.Method, r.URL.Path)
	writeJSON(w, http.StatusNotFound, object{"message": "404: Not Found", "code": 0})
}

// serve is one call of the API. The mutex is not held.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, rt *route) {
	c, err := readCall(w, r)
	index, fault := s.note(rt, c)
	if fault != nil && !fault.After && s.play(w, r, fault) {
		return
	}
	answer := s.answer(rt, c, err, index)
	if fault != nil && fault.After && s.play(w, r, fault) {
		return
	}
	maps.Copy(w.Header(), answer.header)
	if answer.limit != nil {
		answer.limit.write(w)
		return
	}
	if answer.body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeJSON(w, answer.status, answer.body)
}

// note writes a call down and finds its fault. The mutex is not held.
func (s *Server) note(rt *route, c *call) (int, *activeFault) {
	defer s.lock()()
	seen := Call{Route: rt.name, Path: c.URL.Path, Query: c.URL.RawQuery, Body: c.body, Files: len(c.files), At: s.clock.Now()}
	s.calls = append(s.calls, seen)
	return len(s.calls) - 1, s.takeFault(seen)
}

type answer struct {
	status int
	header http.Header
	body   any
	limit  *limited
}

// answer works a call out. The mutex is not held.
func (s *Server) answer(rt *route, c *call, err error, index int) answer {
	defer s.lock()()
	out := answer{status: http.StatusOK, header: http.Header{}}
	now := s.clock.Now()
	if !rt.open && c.Header.Get("Authorization") != "Bot "+s.token {
		err = unauthorized()
	} else if b, l := s.take(rt, c.major()); l != nil {
		err = &refusal{status: http.StatusTooManyRequests, limit: l}
		if b != nil {
			b.headers(out.header, now)
		}
	} else if b != nil {
		b.headers(out.header, now)
	}
	if err == nil {
		out.body, err = rt.handle(s, c)
	}
	var no *refusal
	if errors.As(err, &no) {
		out.status, out.limit, out.body = no.status, no.limit, no.body()
		s.calls[index].Code = no.code
	} else if err != nil {
		out.status, out.body = http.StatusInternalServerError, object{"message": err.Error(), "code": 0}
	} else if out.body == nil {
		out.status = http.StatusNoContent
	} else {
		// Marshalled while the mutex is held: what is behind it goes on changing.
		raw, err := json.Marshal(out.body)
		if err != nil {
			s.problem("%s: %v", rt.name, err)
		}
		out.body = json.RawMessage(raw)
	}
	s.calls[index].Status = out.status
	return out
}

// major is what has a bucket of its own in each route.
func (c *call) major() string {
	for _, name := range []string{"channel", "guild", "token"} {
		if v := c.PathValue(name); v != "" {
			return v
		}
	}
	return ""
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// reset cuts the connection of a request so that the client sees a reset and
// no answer.
func reset(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// readBody reads up to limit bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fail(http.StatusRequestEntityTooLarge, 40005, "Request entity too large")
	}
	return raw, nil
}
