package situate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/worker"
	"github.com/footnote-bot/footnote/core/model"
)

const (
	listAtOnce  = 256 // documents in a look at the ledger
	placeAtOnce = 16  // documents that go into the index together
	longestRest = time.Hour
)

// Run works until ctx ends: on what is there, and on what comes after each Kick. Where
// the model fails it rests, longer each time, and goes on where it was.
func (s *Situator) Run(ctx context.Context) {
	s.work.Run(ctx, worker.Job{
		Work: func(ctx context.Context) error { return s.CatchUp(ctx, nil) },
		Rest: rest,
		Failed: func(err error, rest time.Duration) {
			s.Log.WarnContext(ctx, "contexts of passages rest", "kind", core.KindOf(err), "seconds", rest.Seconds(), "error", err)
		},
	})
}

// rest is at least what the server asked for.
func rest(err error, failures int) time.Duration {
	kind := core.KindOf(err)
	wait := worker.Rest(kind == core.KindAuth || kind == core.KindConfig || kind == core.KindInvalid || kind == core.KindTooLarge, failures)
	return min(max(wait, model.RetryAfter(err)), longestRest)
}

// CatchUp works until no passage lacks its context, or something stops it. The
// progress, which may be nil, is told now and then how many documents were looked at.
func (s *Situator) CatchUp(ctx context.Context, progress func(documents int)) (err error) {
	if s.Model == nil {
		return nil
	}
	release, err := s.work.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer func() {
		if v := recover(); v != nil {
			err = core.Wrap(core.KindInternal, fmt.Errorf("panic: %v", v), "The work on contexts of passages broke off; the log says more.")
		}
		if ctx.Err() == nil {
			s.note(ctx, err)
		}
	}()
	if progress == nil {
		progress = func(int) {}
	}
	recipe, err := s.Ledger.WantContexts(ctx, s.Recipe())
	if err != nil {
		return err
	}
	return s.catchUp(ctx, recipe, progress)
}

// catchUp goes through all documents that lack their contexts. One whose passages the
// model does not take waits for the next look, and the others go on.
func (s *Situator) catchUp(ctx context.Context, recipe int64, progress func(int)) error {
	var left error
	seen := 0
	for after := (core.UnplacedDocument{}); ; {
		list, err := s.Ledger.NextWithoutContexts(ctx, recipe, after, listAtOnce)
		if err != nil || len(list) == 0 {
			return cmp.Or(err, left)
		}
		after = list[len(list)-1]
		b := &batch{Situator: s, recipe: recipe}
		for _, u := range list {
			if err = b.document(ctx, u); err != nil && !isAlone(err) {
				break
			}
			left = cmp.Or(left, err)
			err = nil
			seen++
			progress(seen)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// What is complete goes into the index also where the model stopped the rest.
		if err = cmp.Or(err, b.flush(ctx)); err != nil {
			return err
		}
	}
}

// batch is documents that have their contexts and go into the ledger and the index
// together.
type batch struct {
	*Situator
	recipe  int64
	placed  []core.PlacedDocument
	several int
}

func (b *batch) document(ctx context.Context, u core.UnplacedDocument) error {
	if !u.Several {
		b.placed = append(b.placed, core.PlacedDocument{Row: u.Row, Generation: u.Generation})
		return nil
	}
	p, err := b.place(ctx, u.Row)
	if core.KindOf(err) == core.KindNotFound && ctx.Err() == nil {
		return nil // it is gone
	}
	if err != nil {
		return err
	}
	b.placed = append(b.placed, p)
	if b.several++; b.several < placeAtOnce {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch) flush(ctx context.Context) error {
	if len(b.placed) == 0 {
		return nil
	}
	if err := b.Ledger.SetContexts(ctx, b.recipe, b.placed); err != nil {
		return err
	}
	several := b.several
	b.placed, b.several = nil, 0
	if several == 0 {
		return nil
	}
	return b.Settle(ctx)
}
