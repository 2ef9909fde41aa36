package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
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

// answer runs the turn. Whatever the Answerer does, the turn has an end.
func (d *Desk) answer(ctx context.Context, r *Running, q core.Question) {
	defer func() {
		if fault := recover(); fault != nil {
			d.opts.Log.Error("a turn panicked", "turn_id", r.ID, "fault", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			r.end(core.Errorf(core.KindInternal, "the turn failed"))
		}
	}()
	history, err := d.history(ctx, q)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			d.opts.Log.Warn("a thread cannot be read", "turn_id", r.ID, "error", err)
		}
		r.end(err)
		return
	}
	q.History = history
	t, err := d.opts.Answerer.Answer(ctx, q, func(e core.Event) {
		if _, again := e.(core.TurnStarted); !again { // it was told when the turn was taken
			r.log.append(e)
		}
	})
	if err != nil {
		r.end(err)
		return
	}
	r.log.append(core.Done{Answer: t.Answer}) // nothing where it was told already
}

// history is the branch that the question continues, as far as its audience may
// know it. It is not nil, so that nobody looks again.
func (d *Desk) history(ctx context.Context, q core.Question) ([]core.Turn, error) {
	known := []core.Turn{}
	if q.History != nil || q.Place.Thread == "" {
		return append(known, q.History...), nil
	}
	parent := q.Parent
	if parent == "" {
		turns, err := d.opts.Turns.Thread(ctx, q.Place.Thread)
		if err != nil || len(turns) == 0 {
			return known, err
		}
		parent = turns[len(turns)-1].ID
	}
	branch, err := d.opts.Turns.Branch(ctx, parent)
	if err != nil {
		return nil, err
	}
	for _, t := range branch {
		if t.Thread == q.Place.Thread && access.CanKnow(q.Audience, t, q.Viewer) {
			known = append(known, t)
		}
	}
	return known, nil
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
