// Package embed gives passages their vectors: it takes what the ledger says has
// none, asks the embedding model, keeps the vectors in the ledger and puts them
// into the index. What was paid for is kept before anything else happens to it, so
// that a crash costs the requests that were running and nothing more.
//
// A set of vectors belongs to one model. A new model's set is built beside the one
// that searches use and takes its place when it is complete.
package embed

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/worker"
)

// Ledger keeps the vectors.
type Ledger interface {
	NextPassages(ctx context.Context, set core.VectorSet, after core.PassageID, limit int) (core.EmbeddingPage, error)
	PassageVectors(ctx context.Context, set core.VectorSet, ids []core.PassageID) ([]core.PassageVector, error)
	PutVectors(ctx context.Context, set core.VectorSet, vectors []core.TextVector) error
	VectorCounts(ctx context.Context, set core.VectorSet, source string) (core.VectorCounts, error)
}

// Sets is the ledger's account of the sets.
type Sets interface {
	VectorSets(ctx context.Context) (core.VectorSets, error)
	UseVectors(ctx context.Context, set core.VectorSet) error
	SweepVectors(ctx context.Context, after int64, limit int) (next int64, err error)
}

// Index is the part of core.VectorIndex that takes vectors in.
type Index interface {
	PutVectors(ctx context.Context, set core.VectorSet, vectors []core.PassageVector) error
	Embedded(ctx context.Context, set core.VectorSet) ([]core.PassageID, error)
	UseVectors(ctx context.Context, use core.VectorSet, keep ...core.VectorSet) error
}

// Model makes vectors of texts, one for each, in order.
type Model interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Options are the parts of an Embedder. Ledger and Sets are sides of the same store.
type Options struct {
	Ledger Ledger
	Sets   Sets
	Index  Index
	Model  Model // nil: nothing is embedded and searches go by words
	// Name tells the model's vectors from all others.
	Name string
	// Dimensions is the length of its vectors; 0 asks the ledger, and then the model.
	Dimensions int
	Prefix     string // that the model wants before each passage
	Batch      int    // texts in a request; 0 means 32
	Requests   int    // at the same time; 0 means 2
	// Held tells why the model may not be asked at the moment; nil, or no error, lets it.
	Held func(ctx context.Context) error
	// Pause waits; nil means by the clock. It returns early with the context's error.
	Pause func(context.Context, time.Duration) error
	// Trouble is told what stops the embedding of passages, and nil once it goes on.
	Trouble func(ctx context.Context, err error)
	Log     *slog.Logger // nil discards
}

// Embedder embeds passages. Its methods may be called from several goroutines;
// work waits for other work.
type Embedder struct {
	Options

	live atomic.Pointer[core.VectorSet] // nil while none is in use
	lost atomic.Bool                    // the index told that it lost vectors
	work *worker.Worker

	// Guarded by taking the work.
	wanted   core.VectorSet
	from     core.PassageID // up to here all passages of the wanted set are done
	compared bool           // the index was compared with the ledger
	swept    int64

	mu      sync.Mutex
	trouble error
}

// New makes an Embedder. Call Restore before the first search.
func New(o Options) *Embedder {
	if o.Batch <= 0 {
		o.Batch = 32
	}
	if o.Requests <= 0 {
		o.Requests = 2
	}
	if o.Held == nil {
		o.Held = func(context.Context) error { return nil }
	}
	if o.Trouble == nil {
		o.Trouble = func(context.Context, error) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Embedder{Options: o, work: worker.New(o.Pause)}
}

// Live is the set that searches use; false while there is none.
func (e *Embedder) Live() (core.VectorSet, bool) {
	if set := e.live.Load(); set != nil {
		return *set, true
	}
	return core.VectorSet{}, false
}

// Stopped is what stops the embedding of passages at the moment, nil if nothing does.
func (e *Embedder) Stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trouble
}

// Kick says that there may be passages without a vector. It does not wait.
func (e *Embedder) Kick() { e.work.Kick() }

// Wake says that what stopped it may be mended, so that it does not rest any longer.
func (e *Embedder) Wake() { e.work.Wake() }

// Lost says that the index lost vectors while it is open: they come again from the
// ledger. It does not wait, and may be called from inside of a call of the index.
func (e *Embedder) Lost() {
	e.lost.Store(true)
	e.Kick()
}

func (e *Embedder) note(ctx context.Context, err error) {
	e.mu.Lock()
	changed := (err == nil) != (e.trouble == nil) || err != nil && err.Error() != e.trouble.Error()
	e.trouble = err
	e.mu.Unlock()
	if changed {
		e.Trouble(ctx, err)
	}
}
