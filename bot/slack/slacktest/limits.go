package slacktest

import (
	"time"
)

// Limits are the rate limits. The zero value has none, so that tests are fast;
// SlackLimits gives those that Slack is known to have.
type Limits struct {
	Methods     bool           // the tier of each method, counted for each token
	PerMinute   map[string]int // other numbers for single methods
	PostEvery   time.Duration  // one new message a channel in this time
	Marketplace bool           // conversations.history and .replies once a minute, 15 messages a page
	// NoRetryAfter leaves the Retry-After header out, as Slack does when a
	// workspace has reached its own limit on messages.
	NoRetryAfter bool
}

// SlackLimits are the limits of an internal app: the tiers, and about one
// message a second in each channel.
func SlackLimits() Limits { return Limits{Methods: true, PostEvery: time.Second} }

// SetLimits changes the rate limits from now on.
func (s *Server) SetLimits(l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.limits = l
	clear(s.windows)
}

// limit counts a call and refuses the one that is too many.
func (s *Server) limit(c *call, m method) error {
	l := s.options.limits
	if n, ok := l.PerMinute[c.method]; ok {
		m.tier = n
	} else if l.Marketplace && (c.method == "conversations.history" || c.method == "conversations.replies") {
		m.tier = 1
	} else if !l.Methods {
		m.tier = 0
	}
	if m.tier > 0 {
		if err := s.count(c.method+" "+c.token.value, m.tier, time.Minute); err != nil {
			return err
		}
	}
	posts := c.method == "chat.postMessage" || c.method == "chat.startStream"
	if posts && l.PostEvery > 0 {
		return s.count("post "+c.str("channel"), 1, l.PostEvery)
	}
	return nil
}

// count allows n calls in any window of this length.
func (s *Server) count(key string, n int, window time.Duration) error {
	now := s.clock.Now()
	recent := s.windows[key]
	for len(recent) > 0 && now.Sub(recent[0]) >= window {
		recent = recent[1:]
	}
	if len(recent) >= n {
		s.windows[key] = recent
		wait := window - now.Sub(recent[len(recent)-n])
		return &refusal{code: "ratelimited", retry: int((wait + time.Second - 1) / time.Second)}
	}
	s.windows[key] = append(recent, now)
	return nil
}
