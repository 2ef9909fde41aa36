package slacktest

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Fault is how a call of the Web API goes wrong. What is set happens in this
// order: wait, then cut the connection, or answer with Status, Error or Body.
// A Fault with only a Delay or Until makes the call slow and lets it work.
type Fault struct {
	Times      int // how many calls it hits; 0 is one, less than 0 all
	Skip       int // calls of the method that it lets pass before
	When       func(Call) bool
	After      bool          // the call takes effect, only its answer is lost
	Delay      time.Duration // on the server's clock; the caller's leaving ends it
	Until      chan struct{} // the call waits until this is closed; likewise
	Reset      bool          // the connection is cut
	Hang       bool          // no answer until the caller leaves
	Status     int           // HTTP status, such as 500 or 429
	RetryAfter int           // seconds, with Status 429; 0 sends no such header
	Error      string        // ok: false with this code
	Messages   []string      // response_metadata.messages beside Error
	Body       string        // sent as it is, such as JSON that is cut off
}

// otherFaults are what can fail beside the methods: the response_url, and the
// bytes of a file on their way down and up.
var otherFaults = []string{"response_url", "files.download", "files.upload"}

type activeFault struct {
	Fault
	method string
	left   int
	skip   int
	over   time.Time // of a call that it hit: when Delay has passed
}

// Fail makes the next calls of a method go wrong; "" stands for every method.
// Faults of one method are used up in the order in which they were set.
func (s *Server) Fail(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := methods()[method]; method != "" && !ok && !slices.Contains(otherFaults, method) {
		s.problem("Fail: this server has no method %q", method)
	}
	left := f.Times
	if left == 0 {
		left = 1
	}
	s.faults = append(s.faults, &activeFault{Fault: f, method: method, left: left, skip: f.Skip})
}

// Heal drops all faults that have not happened yet.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// takeFault finds the fault for a call. The mutex is not held.
func (s *Server) takeFault(method string, p params) *activeFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.left == 0 || f.method != "" && f.method != method {
			continue
		}
		if f.When != nil && !f.When(Call{Method: method, Params: p.clone(), At: s.clock.Now()}) {
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

// play acts the fault out and reports whether that was the answer. The mutex is
// not held.
func (s *Server) play(w http.ResponseWriter, r *http.Request, f *activeFault) bool {
	if f.Delay > 0 && !s.pause(r, f.over) {
		reset(w)
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
		reset(w)
	case f.Reset:
		reset(w)
	case f.Status != 0:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	case f.Error != "":
		o := (&refusal{code: f.Error, messages: f.Messages}).object()
		o["ok"] = false
		writeJSON(w, http.StatusOK, o)
	case f.Body != "":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, f.Body)
	default:
		return false
	}
	return true
}

// pause waits for a time on the server's clock (true) or until the caller or
// the server has gone.
func (s *Server) pause(r *http.Request, until time.Time) bool {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	return s.clock.Until(ctx, until)
}
