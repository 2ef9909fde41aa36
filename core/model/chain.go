package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// coolDown is how long a model that failed is asked last.
const coolDown = 30 * time.Second

// Chain is a model with others to ask when it does not answer. It may be used
// from several goroutines.
type Chain struct {
	clients []*Client
	now     func() time.Time

	mu   sync.Mutex
	skip []time.Time // until when the model at this place is asked last
}

// NewChain makes a model and its fallbacks. It does not connect. Errors are of
// kind config. Without fallbacks the chain behaves as the first model's Client.
func NewChain(first Config, rest []Config) (*Chain, error) {
	ch := &Chain{now: time.Now}
	for i, cfg := range append([]Config{first}, rest...) {
		if cfg.Section == "" && i > 0 {
			cfg.Section = fmt.Sprintf("model.fallback[%d]", i-1)
		}
		client, err := New(cfg)
		if err != nil {
			return nil, err
		}
		ch.clients = append(ch.clients, client)
	}
	ch.skip = make([]time.Time, len(ch.clients))
	return ch, nil
}

// Clients are the models in the order in which they are asked.
func (ch *Chain) Clients() []*Client { return slices.Clone(ch.clients) }

// First is the model that is asked first.
func (ch *Chain) First() *Client { return ch.clients[0] }

// Name is the first model's name.
func (ch *Chain) Name() string { return ch.First().Name() }

// Window is the smallest context window among the models whose window is known,
// in tokens, so that every one can take over; 0 if none is known.
func (ch *Chain) Window() int {
	smallest := 0
	for _, c := range ch.clients {
		if w := c.Window(); w > 0 && (smallest == 0 || w < smallest) {
			smallest = w
		}
	}
	return smallest
}

// MaxOutput is the first model's limit of a reply in tokens; 0 if there is none.
func (ch *Chain) MaxOutput() int { return ch.First().MaxOutput() }

// Counter counts as the first model does.
func (ch *Chain) Counter() *Counter { return ch.First().Counter() }

// Profile is the first model's, with what any of the others needs in the form
// of the context, so that one context suits all of them.
func (ch *Chain) Profile() Profile {
	p := ch.First().Profile()
	for _, c := range ch.clients[1:] {
		p.ReminderInResult = p.ReminderInResult || c.profile.ReminderInResult
		p.DropToolsAtEnd = p.DropToolsAtEnd || c.profile.DropToolsAtEnd
	}
	return p
}

// failure is how one model of the chain failed.
type failure struct {
	place  int
	client *Client
	err    error
}

// Stream is Client.Stream of the first model that answers. The next one is asked
// if a model fails before its first chunk in a way that another may not. A model
// that failed is asked last for a while. Reply.Model tells which one answered.
// If all fail, the error is the first one's with the others named.
func (ch *Chain) Stream(ctx context.Context, req Request, each func(Delta) error) (Reply, error) {
	var failures []failure
	var reply Reply
	for _, i := range ch.order() {
		c := ch.clients[i]
		r, err := c.call(ctx, req, each)
		if err == nil {
			ch.mark(i, time.Time{})
			return r.reply, nil
		}
		if ctx.Err() != nil || !passesOn(r, err) {
			return r.reply, err
		}
		ch.mark(i, ch.now().Add(coolDown))
		if len(failures) == 0 || i == 0 {
			reply = r.reply
		}
		failures = append(failures, failure{i, c, err})
		c.log.Warn("model did not answer", "model", c.cfg.Name, "kind", core.KindOf(err))
	}
	return reply, allFailed(failures)
}

// passesOn decides whether the next model is asked. A request that is too long
// or refused as it is would fail there too, and text that was shown cannot be
// taken back.
func passesOn(r result, err error) bool {
	if r.started || r.callback {
		return false
	}
	switch core.KindOf(err) {
	case core.KindUnavailable, core.KindBusy, core.KindTimeout, core.KindAuth, core.KindConfig:
		return true
	}
	return false
}

// order is the order in which the models are asked: those that have just failed
// come last, and so only if nothing else is left.
func (ch *Chain) order() []int {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	var fresh, failed []int
	for i, until := range ch.skip {
		if ch.now().Before(until) {
			failed = append(failed, i)
			continue
		}
		fresh = append(fresh, i)
	}
	return append(fresh, failed...)
}

func (ch *Chain) mark(i int, until time.Time) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.skip[i] = until
}

// allFailed is the first failure with the other models named.
func allFailed(failures []failure) error {
	slices.SortFunc(failures, func(a, b failure) int { return a.place - b.place })
	first := failures[0].err
	var e *core.Error
	if len(failures) == 1 || !errors.As(first, &e) {
		return first
	}
	var others []string
	for _, f := range failures[1:] {
		others = append(others, fmt.Sprintf("%s at %s (%s)", f.client.cfg.Name, f.client.where(), core.KindOf(f.err)))
	}
	return core.Wrap(e.Kind, errors.Join(causes(failures)...),
		e.Message+" The fallback did not answer either: "+strings.Join(others, ", ")+".")
}

func causes(failures []failure) []error {
	var out []error
	for _, f := range failures {
		cause := f.err
		if inner := errors.Unwrap(f.err); inner != nil {
			cause = inner
		}
		out = append(out, fmt.Errorf("%s: %w", f.client.cfg.Name, cause))
	}
	return out
}
