package discordtest

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Limits are the rate limits, counted on the server's clock. The zero value has
// none and sends no headers, so that tests are fast.
type Limits struct {
	Routes bool // a bucket for each route and channel, guild or webhook
	Global int  // requests a second over all routes but those of interactions; 0 is no limit
	// Buckets replaces the numbers of single routes, by the name that Routes
	// lists, such as "PATCH /channels/{channel}/messages/{message}".
	Buckets map[string]Rate
}

// Rate is a number of requests in a window.
type Rate struct {
	Requests int
	Per      time.Duration
}

// DiscordLimits are the limits that Discord is known to have: 5 sends and 5
// edits in 5 seconds a channel, 50 requests a second over all.
func DiscordLimits() Limits { return Limits{Routes: true, Global: 50} }

// SetLimits changes the rate limits from now on and forgets what was counted.
func (s *Server) SetLimits(l Limits) {
	defer s.lock()()
	s.options.limits = l
	clear(s.buckets)
	s.global = nil
}

// bucket counts the requests in one window.
type bucket struct {
	id    string
	rate  Rate
	used  int
	reset time.Time
}

// limited is a request that came too early.
type limited struct {
	after  time.Duration
	global bool
	scope  string // user, global or shared
}

// rateOf is the limit of a route; ok is false if it has none.
func (s *Server) rateOf(r *route) (Rate, bool) {
	l := s.options.limits
	if rate, ok := l.Buckets[r.name]; ok {
		return rate, true
	}
	if !l.Routes {
		return Rate{}, false
	}
	if r.rate.Requests > 0 {
		return r.rate, true
	}
	return Rate{50, time.Second}, true
}

// take counts a request and refuses the one that is too many. It returns the
// bucket for the headers.
func (s *Server) take(r *route, major string) (*bucket, *limited) {
	now := s.clock.Now()
	if n := s.options.limits.Global; n > 0 && !r.interaction {
		for len(s.global) > 0 && now.Sub(s.global[0]) >= time.Second {
			s.global = s.global[1:]
		}
		if len(s.global) >= n {
			return nil, &limited{after: time.Second - now.Sub(s.global[0]), global: true, scope: "global"}
		}
		s.global = append(s.global, now)
	}
	rate, ok := s.rateOf(r)
	if !ok {
		return nil, nil
	}
	key := or(r.bucket, r.name) + " " + major
	b := s.buckets[key]
	if b == nil || b.rate != rate {
		sum := sha256.Sum256([]byte(or(r.bucket, r.name)))
		b = &bucket{id: hex.EncodeToString(sum[:])[:16], rate: rate}
		s.buckets[key] = b
	}
	if !now.Before(b.reset) {
		b.used, b.reset = 0, now.Add(rate.Per)
	}
	if b.used >= rate.Requests {
		return b, &limited{after: b.reset.Sub(now), scope: "user"}
	}
	b.used++
	return b, nil
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', 3, 64)
}

// headers tells the client where a bucket stands.
func (b *bucket) headers(h http.Header, now time.Time) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.rate.Requests))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.rate.Requests-b.used))
	h.Set("X-RateLimit-Reset", seconds(time.Duration(b.reset.UnixMilli())*time.Millisecond))
	h.Set("X-RateLimit-Reset-After", seconds(max(0, b.reset.Sub(now))))
	h.Set("X-RateLimit-Bucket", b.id)
}

// write answers 429.
func (l *limited) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("X-RateLimit-Scope", l.scope)
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(l.after.Seconds()))))
	if l.global {
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Reset-After", seconds(l.after))
	}
	writeJSON(w, http.StatusTooManyRequests, object{"message": "You are being rate limited.",
		"retry_after": float64(l.after.Milliseconds()) / 1000, "global": l.global})
}
