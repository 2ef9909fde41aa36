// Package situate asks a model where passages stand in their documents. What it says,
// the context of a passage, is indexed and embedded with the passage and shown nowhere.
//
// Each answer is in the ledger before anything else happens to it, under the hash of
// all that the model was asked: a crash costs the calls that were running, and the same
// document read again costs nothing. A document takes its contexts when it has them all.
// The model is shown one document at a time and nothing else, so that what somebody
// wrote into one has no part in the contexts of another.
package situate

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/worker"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// Ledger knows which documents lack their contexts.
type Ledger interface {
	WantContexts(ctx context.Context, recipe string) (int64, error)
	NextWithoutContexts(ctx context.Context, recipe int64, after core.UnplacedDocument, limit int) ([]core.UnplacedDocument, error)
	ContextDocument(ctx context.Context, row int64) (core.ContextDocument, error)
	SetContexts(ctx context.Context, recipe int64, documents []core.PlacedDocument) error
}

// Answers keeps what the model said, and counts its calls.
type Answers interface {
	Contexts(ctx context.Context, keys []core.Hash) (map[core.Hash]core.PassageContext, error)
	PutContext(ctx context.Context, row int64, c core.PassageContext) error
	CountReadingCall(ctx context.Context, c core.ReadingCall) error
	ContextCalls(ctx context.Context) (today int, err error)
}

// Model is a chat model. *model.Client implements it.
type Model interface {
	Name() string
	Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error)
}

// Options are the parts of a Situator. Ledger and Answers are sides of the same store.
type Options struct {
	Ledger  Ledger
	Answers Answers
	Model   Model // nil: nothing is asked
	// Settle brings the index up to the ledger.
	Settle   func(context.Context) error
	Room     int           // tokens of a document that the model is shown; 0 means 6000
	PerDay   int           // calls in a day, in UTC; 0 means without limit
	Requests int           // at the same time; 0 means 2
	Patience time.Duration // for one call; 0 means a minute
	// Held tells why the model may not be asked at the moment; nil, or no error, lets it.
	Held func(ctx context.Context) error
	// Cost tells what a call costs; nil, or a nil price, where that is not known.
	Cost func(model string, u core.Usage) *float64
	// Pause waits; nil means by the clock. It returns early with the context's error.
	Pause func(context.Context, time.Duration) error
	// Trouble is told what stops the work, and nil once it goes on.
	Trouble func(ctx context.Context, err error)
	Log     *slog.Logger // nil discards
}

// Situator gives passages their contexts. Its methods may be called from several
// goroutines; work waits for other work.
type Situator struct {
	Options

	work *worker.Worker

	tries map[core.Hash]int // of passages that failed alone; guarded by mu

	mu      sync.Mutex
	running int // calls, and those that could not be counted
	noted   bool
	trouble error
}

// New makes a Situator.
func New(o Options) *Situator {
	if o.Room <= 0 {
		o.Room = 6000
	}
	if o.Requests <= 0 {
		o.Requests = 2
	}
	if o.Patience <= 0 {
		o.Patience = time.Minute
	}
	if o.Settle == nil {
		o.Settle = func(context.Context) error { return nil }
	}
	if o.Held == nil {
		o.Held = func(context.Context) error { return nil }
	}
	if o.Cost == nil {
		o.Cost = func(string, core.Usage) *float64 { return nil }
	}
	if o.Trouble == nil {
		o.Trouble = func(context.Context, error) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Situator{Options: o, work: worker.New(o.Pause), tries: map[core.Hash]int{}}
}

// Recipe names what contexts are made with.
func (s *Situator) Recipe() string {
	return fmt.Sprintf("%s, prompt %d", s.Model.Name(), prompts.ContextVersion)
}

// Kick says that there may be passages without their context. It does not wait.
func (s *Situator) Kick() { s.work.Kick() }

// Wake says that what stopped it may be mended, so that it does not rest any longer.
func (s *Situator) Wake() { s.work.Wake() }

func (s *Situator) note(ctx context.Context, err error) {
	s.mu.Lock()
	// What an earlier process noted is not known, so the first word always counts.
	changed := !s.noted || (err == nil) != (s.trouble == nil) || err != nil && err.Error() != s.trouble.Error()
	s.trouble, s.noted = err, true
	s.mu.Unlock()
	if changed {
		s.Trouble(ctx, err)
	}
}
