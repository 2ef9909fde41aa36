package embed

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/worker"
)

// sweepAtOnce is how many vectors are looked at after a while without a kick.
const sweepAtOnce = 512

// Run embeds until ctx ends: what is there, and what comes after each Kick. Where
// the model fails it rests, longer each time, and goes on where it was.
func (e *Embedder) Run(ctx context.Context) {
	e.work.Run(ctx, worker.Job{
		Work: func(ctx context.Context) error {
			return e.guarded(ctx, func(ctx context.Context) error { return e.CatchUp(ctx, nil) })
		},
		Rest: rest,
		Failed: func(err error, rest time.Duration) {
			e.Log.WarnContext(ctx, "embedding of passages rests", "kind", core.KindOf(err), "seconds", rest.Seconds(), "error", err)
		},
		Quiet: func(ctx context.Context) {
			if err := e.guarded(ctx, e.sweep); err != nil && ctx.Err() == nil {
				e.Log.WarnContext(ctx, "old vectors not swept", "error", err)
			}
		},
	})
}

func rest(err error, failures int) time.Duration {
	kind := core.KindOf(err)
	return worker.Rest(kind == core.KindAuth || kind == core.KindConfig || kind == core.KindInvalid, failures)
}

func (e *Embedder) sweep(ctx context.Context) error {
	release, err := e.work.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	e.swept, err = e.Sets.SweepVectors(ctx, e.swept, sweepAtOnce)
	return err
}

// guarded keeps a panic from ending more than the work that it came from.
func (e *Embedder) guarded(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = core.Wrap(core.KindInternal, fmt.Errorf("panic: %v", v), "The embedding of passages broke off; the log says more.")
			e.note(ctx, err)
		}
	}()
	return work(ctx)
}

// CatchUp embeds until no passage that the index holds waits, or something stops
// it. Afterwards the set is in use if it is complete. The progress, which may be
// nil, is told now and then how many passages were looked at.
func (e *Embedder) CatchUp(ctx context.Context, progress func(passages int)) error {
	if e.Model == nil {
		return nil
	}
	release, err := e.work.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if progress == nil {
		progress = func(int) {}
	}
	err = e.catchUp(ctx, progress)
	if ctx.Err() == nil {
		e.note(ctx, err)
	}
	return err
}

// catchUp goes through all passages behind those that are done. Where the model
// fails it goes on without it: what the ledger has vectors of gets them all the
// same, for instance a file that was moved.
func (e *Embedder) catchUp(ctx context.Context, progress func(int)) error {
	if err := e.regain(ctx); err != nil {
		return err
	}
	if err := e.resolve(ctx); err != nil {
		return err
	}
	have, err := e.compare(ctx, e.wanted)
	if err != nil {
		return err
	}
	var failed error
	seen := 0
	for at, more := e.from, true; more; {
		page, err := e.Ledger.NextPassages(ctx, e.wanted, at, pageSize)
		if err != nil {
			return err
		}
		if err := e.fill(ctx, e.wanted, have.lacks(page.Ready)); err != nil {
			return err
		}
		if failed == nil {
			failed = e.embed(ctx, page.Waiting)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if at, more = page.Last, page.More; failed == nil {
			e.from = at
		}
		seen += len(page.Ready) + len(page.Waiting)
		progress(seen)
	}
	if e.compared = failed == nil; failed != nil {
		return failed
	}
	return e.goLive(ctx)
}

// resolve finds out which set is wanted. The length of a model's vectors is known
// once it made one.
func (e *Embedder) resolve(ctx context.Context) error {
	if e.wanted != (core.VectorSet{}) {
		return nil
	}
	set := core.VectorSet{Model: e.Name, Dimensions: e.Dimensions}
	if set.Dimensions == 0 {
		sets, err := e.Sets.VectorSets(ctx)
		if err != nil {
			return err
		}
		for _, known := range sets.Known {
			if known.Model == e.Name && set.Dimensions == 0 {
				set.Dimensions = known.Dimensions
			}
		}
	}
	if set.Dimensions == 0 {
		if err := e.Held(ctx); err != nil {
			return err
		}
		vectors, err := e.Model.Embed(ctx, []string{e.Prefix + probe})
		if err != nil {
			return err
		}
		if len(vectors) != 1 || len(vectors[0]) == 0 {
			return core.Errorf(core.KindUnavailable, "The embedding model gave no vector for a short text.")
		}
		set.Dimensions = len(vectors[0])
	}
	e.wanted = set
	return nil
}

// probe is a text that every model takes.
const probe = "footnote"
