package agent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

const (
	// offerPatience is how long the last event waits for it to be known whether
	// there is more for the asker.
	offerPatience = time.Second
	mostBeyond    = 8 // searches of one turn
	offerPrivate  = "private"
)

// complement looks, beside the model's calls, whether the asker alone could be
// told more than the place. What it finds goes nowhere but into that one fact. A
// nil one knows of nothing.
type complement struct {
	turn   *turn
	filter core.Filter
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	asked []string // searched for or being searched for
	work  sync.WaitGroup
	yes   atomic.Bool
}

// lookBeyond begins to look, with the question. It is nil where the asker holds
// nothing that the place's readers do not, and in all places where a private
// answer cannot follow.
func (t *turn) lookBeyond(ctx context.Context) *complement {
	if !mayHoldMore(t.q) {
		return nil
	}
	place := t.q.Place
	place.Kind = core.PlaceDirect
	own := access.Audience(place, t.q.Viewer)
	c := &complement{turn: t, filter: narrowed(own, t.persona, t.q)}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.look(t.q.Text)
	return c
}

// mayHoldMore is the cheap test: what the asker holds by themselves.
func mayHoldMore(q core.Question) bool {
	switch {
	case q.Audience.AskerOnly, q.Audience.Silent, q.Audience.Bypass, q.Place.Kind == core.PlaceAskedByMachine:
		return false
	case q.Viewer.Class == core.AccountBot, q.Viewer.Class == core.AccountDeactivated:
		return false
	}
	return slices.ContainsFunc(q.Viewer.Principals, func(p core.Principal) bool {
		return p != core.Public && !slices.Contains(q.Audience.Principals, p)
	})
}

// look searches for texts that were not searched for yet, each on a goroutine
// that end waits for.
func (c *complement) look(texts ...string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		if c.yes.Load() || len(c.asked) >= mostBeyond || slices.Contains(c.asked, text) {
			continue
		}
		c.asked = append(c.asked, text)
		c.work.Go(func() {
			if c.holds(text) {
				c.yes.Store(true)
			}
		})
	}
}

// holds tells whether among what is worth quoting for the text there is a
// document that the place's readers may not read.
func (c *complement) holds(text string) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false // the searcher's fault shows in the turn's own searches
		}
	}()
	t := c.turn
	found, err := t.opts.Searcher.Search(c.ctx, Query{
		Queries: []string{text}, Filter: c.filter, Limit: quoteCandidates, Viewer: &t.q.Viewer,
	})
	if err != nil {
		return false
	}
	return slices.ContainsFunc(t.opts.Quoting.Answers(text, found), func(r core.Result) bool {
		return !t.filter.Readable(r.Document.Facts())
	})
}

// found waits for what is being looked for, a second at most.
func (c *complement) found(ctx context.Context) bool {
	if c == nil {
		return false
	}
	done := make(chan struct{})
	go func() {
		c.work.Wait()
		close(done)
	}()
	timer := time.NewTimer(offerPatience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	c.cancel()
	return c.yes.Load() && ctx.Err() == nil
}

// end gives up on what is still being looked for. The agent waits for it when it
// is closed; the turn does not.
func (c *complement) end() {
	if c == nil {
		return
	}
	c.cancel()
	c.turn.agent.after(c.work.Wait)
}
