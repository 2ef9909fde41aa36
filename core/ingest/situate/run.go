package situate

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

const (
	lookAgain   = time.Minute // how often it is looked without a kick
	listAtOnce  = 256         // documents in a look at the ledger
	placeAtOnce = 16          // documents that go into the index together
	longestRest = time.Hour
)

// Run works until ctx ends: on what is there, and on what comes after each Kick. Where
// the model fails it rests, longer each time, and goes on where it was.
func (s *Situator) Run(ctx context.Context) {
	for failures := 0; ; {
		err := s.CatchUp(ctx, nil)
		if ctx.Err() != nil {
			return
		}
		wait := lookAgain
		if err != nil {
			failures++
			wait = rest(err, failures)
			s.Log.WarnContext(ctx, "contexts of passages rest", "kind", core.KindOf(err), "seconds", wait.Seconds(), "error", err)
		} else {
			failures = 0
		}
		if s.idle(ctx, wait, err == nil) != nil {
			return
		}
	}
}

// idle waits; a kick ends it unless the model failed.
func (s *Situator) idle(ctx context.Context, wait time.Duration, kickable bool) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Pause(waiting, wait)
	}()
	kick := s.kick
	if !kickable {
		kick = nil
	}
	select {
	case <-kick:
	case <-done:
	}
	cancel()
	<-done
	return ctx.Err()
}

// rest is how long nothing is tried after so many failures in a row: at least what the
// server asked for. What only a person can mend is tried rarely.
func rest(err error, failures int) time.Duration {
	longest := 5 * time.Minute
	wait := 5 * time.Second
	switch core.KindOf(err) {
	case core.KindAuth, core.KindConfig, core.KindInvalid, core.KindTooLarge:
		wait, longest = time.Minute, 15*time.Minute
	}
	for range min(failures, 10) - 1 {
		wait *= 2
	}
	return min(max(min(wait, longest), model.RetryAfter(err)), longestRest)
}

// CatchUp works until no passage lacks its context, or something stops it. The
// progress, which may be nil, is told now and then how many documents were looked at.
func (s *Situator) CatchUp(ctx context.Context, progress func(documents int)) (err error) {
	if s.Model == nil {
		return nil
	}
	release, err := s.take(ctx)
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
			return first(err, left)
		}
		after = list[len(list)-1]
		b := &batch{Situator: s, recipe: recipe}
		for _, u := range list {
			if err = b.document(ctx, u); err != nil && !isAlone(err) {
				break
			}
			left = first(left, err)
			err = nil
			seen++
			progress(seen)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// What is complete goes into the index also where the model stopped the rest.
		if err = first(err, b.flush(ctx)); err != nil {
			return err
		}
	}
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
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
