package plugintest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Script is the system that a connector talks to, as an HTTP server whose
// answers are written down. The fault checks put faults between the two.
type Script struct {
	// Field is the configuration field that takes the server's address, such as
	// http://127.0.0.1:1234 without a slash at the end.
	Field string `json:"field"`
	// Routes are the answers when all is well; a request that none fits gets 404.
	// The text ${server} in an answer becomes the server's address.
	Routes []Route `json:"routes"`
	// Handler answers in place of Routes.
	Handler http.Handler `json:"-"`
	// Item is the path of a request for one item alone, which the system may refuse
	// while it gives out the others; empty skips that check.
	Item string `json:"item"`
}

// Route is one answer.
type Route struct {
	Method string            `json:"method"` // empty means GET
	Path   string            `json:"path"`   // with ?query, if that matters
	Status int               `json:"status"` // 200 if zero
	Header map[string]string `json:"header"` // Content-Type is application/json unless named
	Body   string            `json:"body"`
	// JSON is the body as it would be written in a file of JSON; it wins over Body.
	JSON any `json:"json"`
}

// exchange is one request on its way to the system, and the answer.
type exchange struct {
	server *server
	next   http.Handler // the system
	w      http.ResponseWriter
	r      *http.Request
	n      int // of this server's requests, from 1
}

func (x exchange) pass() { x.next.ServeHTTP(x.w, x.r) }

func (x exchange) refuse(status int) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	fmt.Fprintf(x.w, `{"message": %q}`, http.StatusText(status))
}

// fault stands between the connector and the system.
type fault func(exchange)

// server is a running Script with a fault in it.
type server struct {
	*httptest.Server
	fault fault

	mu    sync.Mutex
	times []time.Time
	left  chan struct{} // closed when a request that a fault held was given up
	once  sync.Once
}

func (s *Script) serve(f fault) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the scripted server cannot listen: %w", err)
	}
	out := &server{fault: f, left: make(chan struct{})}
	handler := s.Handler
	if handler == nil {
		handler = s.routes(out)
	}
	out.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out.fault(exchange{server: out, next: handler, w: w, r: r, n: out.note()})
	}))
	_ = out.Listener.Close() // of the one that httptest made
	out.Listener = listener
	out.Start()
	return out, nil
}

// stop ends what still runs and the server.
func (s *server) stop() {
	s.CloseClientConnections()
	s.Close()
}

func (s *server) note() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, time.Now())
	return len(s.times)
}

func (s *server) requests() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.times...)
}

func (s *Script) routes(out *server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range s.Routes {
			if route.fits(r) {
				route.answer(w, out.URL)
				return
			}
		}
		http.Error(w, `{"error": "the script has no answer to this"}`, http.StatusNotFound)
	})
}

func (r Route) fits(req *http.Request) bool {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	path, query, narrow := strings.Cut(r.Path, "?")
	return method == req.Method && path == req.URL.Path && (!narrow || query == req.URL.RawQuery)
}

func (r Route) answer(w http.ResponseWriter, address string) {
	body := r.Body
	if r.JSON != nil {
		data, err := json.Marshal(r.JSON)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body = string(data)
	}
	body = strings.ReplaceAll(body, "${server}", address)
	w.Header().Set("Content-Type", "application/json")
	for key, value := range r.Header {
		w.Header().Set(key, strings.ReplaceAll(value, "${server}", address))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	_, _ = w.Write([]byte(body)) // a client that left is no matter of the script
}

// trickle holds a request until the client gives it up, sending a byte now and
// then.
func (x exchange) trickle() {
	defer x.server.once.Do(func() { close(x.server.left) })
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", "1000000")
	rc := http.NewResponseController(x.w)
	for {
		if _, err := x.w.Write([]byte(" ")); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-x.r.Context().Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// waitFor tells whether something happens in time.
func waitFor(ctx context.Context, d time.Duration, happened <-chan struct{}) bool {
	select {
	case <-happened:
		return true
	case <-time.After(d):
	case <-ctx.Done():
	}
	return false
}
