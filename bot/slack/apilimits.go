package slack

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gates are the limits that Slack told us of: until when a method must not be
// called for a channel.
type gates struct {
	mu    sync.Mutex
	until map[gate]time.Time
}

type gate struct{ method, channel string }

func newGates() *gates { return &gates{until: map[gate]time.Time{}} }

func (g *gates) close(c call, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for k, t := range g.until {
		if t.Before(now) {
			delete(g.until, k)
		}
	}
	key := gate{c.method, c.channel}
	if t := now.Add(d); t.After(g.until[key]) {
		g.until[key] = t
	}
}

func (g *gates) left(c call) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until[gate{c.method, c.channel}])
}

// wait returns when the method may be called again, or errDropped at once.
func (g *gates) wait(ctx context.Context, c call, sleep func(context.Context, time.Duration) error) error {
	d := g.left(c)
	switch {
	case d <= 0:
		return ctx.Err()
	case c.drop:
		return errDropped
	}
	return sleep(ctx, d)
}

// The pace that we keep by ourselves: about one post a second in a channel, and
// less than Slack's 50 edits and 180 appends a minute over all channels.
const (
	postsEvery  = time.Second
	editsEvery  = 1300 * time.Millisecond
	appendEvery = 400 * time.Millisecond
	mostPaced   = 4096 // channels remembered
)

// pace spreads calls before Slack has to ask for it.
type pace struct {
	mu    sync.Mutex
	posts map[string]*rate.Limiter // by channel
	edits *rate.Limiter
	adds  *rate.Limiter
}

func newPace() *pace {
	return &pace{
		posts: map[string]*rate.Limiter{},
		edits: rate.NewLimiter(rate.Every(editsEvery), 10),
		adds:  rate.NewLimiter(rate.Every(appendEvery), 20),
	}
}

func (p *pace) wait(ctx context.Context, c call) error {
	l := p.limiter(c)
	switch {
	case l == nil:
		return nil
	case !c.drop:
		return l.Wait(ctx)
	case !l.Allow():
		return errDropped
	}
	return nil
}

func (p *pace) limiter(c call) *rate.Limiter {
	switch c.method {
	case "chat.update":
		return p.edits
	case "chat.appendStream":
		return p.adds
	case "chat.postMessage", "chat.startStream":
		return p.of(c.channel)
	}
	return nil
}

func (p *pace) of(channel string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.posts[channel]
	if l == nil {
		if len(p.posts) >= mostPaced {
			p.posts = map[string]*rate.Limiter{} // costs a second of pace at worst
		}
		l = rate.NewLimiter(rate.Every(postsEvery), 3)
		p.posts[channel] = l
	}
	return l
}
