package bot

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Why a turn is cancelled.
var (
	errStopped  = core.Errorf(core.KindCancelled, "The question was stopped before it was answered.")
	errReplaced = core.Errorf(core.KindCancelled, "A newer question of the thread took the place of this one.")
	errClosing  = core.Errorf(core.KindUnavailable, "Footnote is stopping; ask again in a minute.")
)

// serve brings one turn from its place in the queue to its end.
func (d *Desk) serve(ctx context.Context, r *Running, q core.Question, before *Running) {
	defer r.cancel(nil)
	defer d.beat(r)()
	if err := d.await(ctx, r, before); err != nil {
		r.end(err)
	} else {
		d.answer(ctx, r, q)
		d.places <- struct{}{}
	}
	close(r.settled)
	d.finish(r)
	if before != nil {
		<-before.released // also where this one was stopped while it waited
	}
	close(r.released)
	d.leave(r)
}

// await returns when the turns before it in the thread have ended and one of
// the places for running turns is taken.
func (d *Desk) await(ctx context.Context, r *Running, before *Running) error {
	gates := []<-chan struct{}{d.places}
	if before != nil {
		gates = []<-chan struct{}{before.released, d.places}
	}
	told := false
	for _, gate := range gates {
		select {
		case <-gate:
			continue
		default:
		}
		if !told {
			r.log.append(core.StatusChanged{Stage: "waiting"})
			told = true
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if ctx.Err() != nil { // stopped at the moment when its turn came
		d.places <- struct{}{}
		return context.Cause(ctx)
	}
	return nil
}

// finish moves the turn from the open ones to the finished ones.
func (d *Desk) finish(r *Running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.ended = d.opts.Now()
	d.open--
	d.kept += r.log.bytes()
	d.finished = append(d.finished, r)
	d.forget()
}

// leave forgets that the thread had a turn, if none came behind it.
func (d *Desk) leave(r *Running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tails[r.Thread] == r {
		delete(d.tails, r.Thread)
	}
}

// beat shows a sign of life after each silence until the returned function is
// called.
func (d *Desk) beat(r *Running) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(d.opts.Heartbeat)
		defer timer.Stop()
		for {
			select {
			case <-quit:
				return
			case <-timer.C:
				timer.Reset(r.log.beat(d.opts.Heartbeat))
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
