package embed

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	// lookAgain is how often it is looked without a kick, and a little is swept.
	lookAgain = time.Minute
	// sweepAtOnce is how many vectors are looked at then.
	sweepAtOnce = 512
)

// Run embeds until ctx ends: what is there, and what comes after each Kick. Where
// the model fails it rests, longer each time, and goes on where it was.
func (e *Embedder) Run(ctx context.Context) {
	for failures := 0; ; {
		err := e.guarded(ctx, func(ctx context.Context) error { return e.CatchUp(ctx, nil) })
		if ctx.Err() != nil {
			return
		}
		wait := lookAgain
		if err != nil {
			failures++
			wait = rest(core.KindOf(err), failures)
			e.Log.WarnContext(ctx, "embedding of passages rests", "kind", core.KindOf(err), "seconds", wait.Seconds(), "error", err)
		} else {
			failures = 0
		}
		if e.idle(ctx, wait, err == nil) != nil {
			return
		}
	}
}

// idle waits; a kick ends it unless the model failed.
func (e *Embedder) idle(ctx context.Context, wait time.Duration, kickable bool) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- e.Pause(waiting, wait) }()
	kick := e.kick
	if !kickable {
		kick = nil
	}
	select {
	case <-kick:
		cancel()
		<-done
		return ctx.Err()
	case err := <-done:
		if err == nil && kickable {
			err = e.guarded(ctx, e.sweep)
			if err != nil && ctx.Err() == nil {
				e.Log.WarnContext(ctx, "old vectors not swept", "error", err)
			}
		}
		return ctx.Err()
	}
}

// rest is how long nothing is tried after so many failures in a row. What only a
// person can mend is tried rarely.
func rest(kind core.Kind, failures int) time.Duration {
	longest := 5 * time.Minute
	wait := 5 * time.Second
	switch kind {
	case core.KindAuth, core.KindConfig, core.KindInvalid:
		wait, longest = time.Minute, 15*time.Minute
	}
	for range min(failures, 10) - 1 {
		wait *= 2
	}
	return min(wait, longest)
}

func (e *Embedder) sweep(ctx context.Context) error {
	release, err := e.take(ctx)
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
	release, err := e.take(ctx)
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
