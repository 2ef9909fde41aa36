package githubtest

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// faults are what goes wrong, by chance of a seed.
type faults struct {
	random *rand.Rand
	every  int // one request in so many
	left   int // faults until all is well
	dear   int // faults that a client waits for: it tries again after a pause
	halve  bool
	struck int
}

// SetFaults makes about one request in every go wrong, at most limit of them, by
// the chance of a seed: answers that break off, that are empty, that are an error
// with status 200, calls for a long pause, and a few that a client tries again
// after half a second.
func (s *Server) SetFaults(seed uint64, every, limit, dear int) {
	s.Change(func(time.Time) {
		s.faults = &faults{random: rand.New(rand.NewPCG(seed, 1)), every: every, left: limit, dear: dear}
	})
}

// Struck counts what went wrong.
func (s *Server) Struck() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		return 0
	}
	return s.faults.struck
}

// strike tells whether the request has been answered by a fault.
func (f *faults) strike(c *call) bool {
	if f == nil || f.left == 0 || f.random.IntN(f.every) != 0 {
		return false
	}
	f.left--
	f.struck++
	switch kind := f.random.IntN(6); {
	case kind == 0 && f.dear > 0:
		f.dear--
		c.Header().Set("Content-Type", "text/html")
		c.WriteHeader(http.StatusBadGateway)
		_, _ = c.Write([]byte("<html>Unicorn!</html>"))
	case kind == 1 && f.dear > 0:
		f.dear--
		panic(http.ErrAbortHandler) // the connection breaks
	case kind == 2:
		c.json(map[string]any{"message": "Server Error"})
	case kind == 3:
		c.Header().Set("Content-Length", "0")
		c.WriteHeader(http.StatusOK)
	case kind == 4 && !strings.Contains(c.r.URL.Path, "graphql"):
		c.Header().Set("Retry-After", "120")
		c.send(http.StatusForbidden, map[string]any{
			"message":           "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
			"documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
		})
	default:
		f.halve = true // of the answer that is on its way
		return false
	}
	return true
}
