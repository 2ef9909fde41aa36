package cli

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/store"
)

type countCall func(context.Context, core.ReadingCall)

// countedEmbeddings counts the calls of an embedding model.
type countedEmbeddings struct {
	*model.Client
	app   *app
	count countCall
}

// Embed counts a call, also one that failed.
func (m countedEmbeddings) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, used, err := m.EmbedUsage(ctx, texts)
	m.count(ctx, core.ReadingCall{
		Purpose: core.ForEmbeddings, Model: m.Name(), Failed: err != nil, Usage: used, Cost: m.app.callCost(m.Name(), used),
	})
	return vectors, err
}

const notCounted = "what embeddings used was not counted; usage and quotas count too little"

// countEmbedding counts a call for passages. Where it cannot, their vectors are kept
// all the same.
func (a *app) countEmbedding(ctx context.Context, c core.ReadingCall) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomePatience)
	defer cancel()
	if err := a.countReading(ctx, c); err != nil {
		a.log.Error(notCounted, "model", c.Model, "error", err)
	}
}

// noteSearched counts a call for a search, which does not wait for the ledger.
func (a *app) noteSearched(_ context.Context, c core.ReadingCall) {
	a.meterReading(c)
	a.embeddings.searched.add(c)
}

func (a *app) countSearched(used []store.ModelUsage) {
	ctx, cancel := context.WithTimeout(context.Background(), outcomePatience)
	defer cancel()
	if err := a.store.CountReading(ctx, core.ForEmbeddings, used...); err != nil {
		a.log.Error(notCounted, "error", err)
	}
}

// behind is how long calls are added up before they are written.
const behind = 5 * time.Second

// writeBehind adds calls up and writes them together, so that neither a search waits
// for the ledger nor the ledger is written at each search. A process that is killed
// loses the last ones.
type writeBehind struct {
	write func([]store.ModelUsage)
	stop  chan struct{}

	mu      sync.Mutex
	used    []store.ModelUsage // of a model one entry with a price, and one without
	closed  bool
	writing sync.WaitGroup
}

func newWriteBehind(write func([]store.ModelUsage)) *writeBehind {
	return &writeBehind{write: write, stop: make(chan struct{})}
}

func (w *writeBehind) add(c core.ReadingCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return // the ledger closes, too
	}
	i := slices.IndexFunc(w.used, func(u store.ModelUsage) bool { return u.Model == c.Model && (u.Unpriced == 0) == (c.Cost != nil) })
	if i < 0 {
		i = len(w.used)
		w.used = append(w.used, store.ModelUsage{Model: c.Model})
	}
	w.used[i].Add(c)
	if len(w.used) == 1 && w.used[0].Calls == 1 {
		w.writing.Go(w.later)
	}
}

func (w *writeBehind) later() {
	timer := time.NewTimer(behind)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.stop:
	}
	w.mu.Lock()
	used := w.used
	w.used = nil
	w.mu.Unlock()
	w.write(used)
}

// close writes what is left, and waits for that.
func (w *writeBehind) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	w.writing.Wait()
}
