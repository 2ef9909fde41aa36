package httpapi

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits bounds how often each of many clients may ask.
type limits struct {
	each  rate.Limit
	burst int

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// mostClients is how many clients are remembered before those are forgotten
// that have their whole burst again: forgetting them changes nothing.
const mostClients = 4096

func newLimits(perSecond float64, burst int) *limits {
	return &limits{each: rate.Limit(perSecond), burst: burst, clients: map[string]*rate.Limiter{}}
}

// take counts one request of the client and returns 0, or how long the client
// has to wait before the next one.
func (l *limits) take(client string) time.Duration {
	now := time.Now()
	r := l.of(client, now).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (l *limits) of(client string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, ok := l.clients[client]; ok {
		return one
	}
	if len(l.clients) >= mostClients {
		for name, one := range l.clients {
			if one.TokensAt(now) >= float64(l.burst) {
				delete(l.clients, name)
			}
		}
	}
	one := rate.NewLimiter(l.each, l.burst)
	l.clients[client] = one
	return one
}
