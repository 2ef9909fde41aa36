package discordtest

import (
	"io"
	"net/http"
	"time"
)

// Fault is how a call of the REST API goes wrong. What is set happens in this
// order: wait, then cut the connection, or answer with Status, Code or Body. A
// Fault with only a Delay or Until makes the call slow and lets it work.
type Fault struct {
	Times      int // how many calls it hits; 0 is one, less than 0 all
	Skip       int // calls of the route that it lets pass before
	When       func(Call) bool
	After      bool          // the call takes effect, only its answer is lost
	Delay      time.Duration // on the server's clock; the caller's leaving ends it
	Until      chan struct{} // the call waits until this is closed; likewise
	Reset      bool          // the connection is cut
	Hang       bool          // no answer until the caller leaves
	Status     int           // HTTP status, such as 500, 502 or 429
	RetryAfter time.Duration // with Status 429: retry_after and the headers
	Scope      string        // with Status 429: "user" when empty, "global" or "shared"
	Code       int           // Discord's error code in the body
	Message    string        // beside Code
	Body       string        // sent as it is, such as JSON that is cut off
}

type activeFault struct {
	Fault
	route string
	left  int
	skip  int
	over  time.Time // of a call that it hit: when Delay has passed
}

// Fail makes the next calls of a route go wrong; "" stands for every route, and
// "GET /attachments/{channel}/{id}/{name}" for downloads. Faults of one route
// are used up in the order in which they were set. Routes lists the names.
func (s *Server) Fail(route string, f Fault) {
	defer s.lock()()
	if route != "" && s.routes[route] == nil {
		s.problem("Fail: this server has no route %q", route)
	}
	left := f.Times
	if left == 0 {
		left = 1
	}
	s.faults = append(s.faults, &activeFault{Fault: f, route: route, left: left, skip: f.Skip})
}

// Heal drops all faults that have not happened yet.
func (s *Server) Heal() {
	defer s.lock()()
	s.faults = nil
}

// takeFault finds the fault for a call.
func (s *Server) takeFault(c Call) *activeFault {
	for _, f := range s.faults {
		if f.left == 0 || f.route != "" && f.route != c.Route || f.When != nil && !f.When(c) {
			continue
		}
		if f.skip > 0 {
			f.skip--
			continue
		}
		f.left--
		hit := *f
		hit.over = s.clock.Now().Add(f.Delay)
		return &hit
	}
	return nil
}

// play does what a fault says and reports whether that was the answer. The
// mutex is not held.
func (s *Server) play(w http.ResponseWriter, r *http.Request, f *activeFault) bool {
	if f.Delay > 0 && !s.clock.Until(r.Context(), f.over) {
		return true
	}
	if f.Until != nil {
		select {
		case <-f.Until:
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	}
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
		return true
	case f.Reset:
		reset(w)
		return true
	case f.Status == http.StatusTooManyRequests && f.Body == "":
		l := &limited{after: f.RetryAfter, scope: or(f.Scope, "user"), global: f.Scope == "global"}
		w.Header().Set("X-RateLimit-Reset-After", seconds(f.RetryAfter))
		l.write(w)
		return true
	case f.Status == 0 && f.Code == 0 && f.Body == "":
		return false
	}
	status := f.Status
	if status == 0 && f.Code != 0 {
		status = http.StatusBadRequest
	} else if status == 0 {
		status = http.StatusOK
	}
	if f.Body != "" || f.Code == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, f.Body)
		return true
	}
	writeJSON(w, status, object{"code": f.Code, "message": f.Message})
	return true
}
