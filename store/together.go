package store

import (
	"context"
	"slices"
	"sync"

	"github.com/footnote-bot/footnote/core"
)

// mostTogether bounds how many writes share a commit.
const mostTogether = 64

// queue is the short writes that wait for the connection. Whoever gets it does them
// all in one transaction: a commit waits for the disk, and takes longer than they do.
type queue struct {
	mu    sync.Mutex
	waits []*oneWrite
}

// oneWrite is a write until somebody did it, who closes done.
type oneWrite struct {
	ctx   context.Context
	do    func(*session) error
	own   error // its own end, before it is committed
	err   error
	fault any // what it panicked with
	done  chan struct{}
}

var errUnfinished = core.Errorf(core.KindInternal, "A write of the ledger was left before its end.")

// together runs f in a write transaction, with others that wait. As far as anybody can
// tell it was alone: what another does, or that it fails, changes nothing for it, and
// it has ended only when it is committed.
func (p *sessions) together(ctx context.Context, f func(*session) error) error {
	w := &oneWrite{ctx: ctx, do: f, err: errUnfinished, done: make(chan struct{})}
	p.queue.add(w)
	select {
	case x := <-p.idle:
		p.serve(x, w)
	case <-w.done:
	case <-ctx.Done():
		if p.queue.remove(w) {
			return ctx.Err()
		}
	case <-p.closed:
		if p.queue.remove(w) {
			return errClosed()
		}
	}
	<-w.done
	if w.fault != nil {
		panic(w.fault)
	}
	return w.err
}

func (q *queue) add(w *oneWrite) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits = append(q.waits, w)
}

// remove takes a write back that nobody has begun.
func (q *queue) remove(w *oneWrite) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waits, w)
	if i >= 0 {
		q.waits = slices.Delete(q.waits, i, i+1)
	}
	return i >= 0
}

// take gives those that waited longest.
func (q *queue) take() []*oneWrite {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waits), mostTogether)
	out := slices.Clone(q.waits[:n])
	q.waits = slices.Delete(q.waits, 0, n)
	return out
}

// serve does what waits until own is done, and gives the connection back: the others
// wait for it as well.
func (p *sessions) serve(x *session, own *oneWrite) {
	defer p.leave(x)
	for {
		select {
		case <-own.done: // perhaps by somebody else before
			return
		default:
			p.do(x, p.queue.take(), own)
		}
	}
}

// do does some writes. Nobody is told before what theirs may have changed is read
// again.
func (p *sessions) do(x *session, batch []*oneWrite, own *oneWrite) {
	defer func() {
		p.renew(x)
		for _, w := range batch {
			close(w.done)
		}
	}()
	if len(batch) == 1 && batch[0] == own {
		own.err = x.inTx(own.ctx, `BEGIN IMMEDIATE`, own.do)
	} else {
		x.inOne(batch)
	}
}

// inOne does the writes in one transaction.
func (x *session) inOne(batch []*oneWrite) {
	x.whole = true
	defer func() { x.whole = false }()
	err := x.inTx(context.WithoutCancel(batch[0].ctx), `BEGIN IMMEDIATE`, func(x *session) error {
		for _, w := range batch {
			if err := x.within(w); err != nil {
				return err
			}
		}
		return nil
	})
	for _, w := range batch {
		if w.err = w.own; w.err == nil {
			w.err = err
		}
	}
}

// within does one of several writes. What it did is taken back alone if it fails; an
// error tells that this was not possible, because its failure ended the transaction.
func (x *session) within(w *oneWrite) error {
	ctx := w.ctx
	if w.own = ctx.Err(); w.own != nil {
		return nil
	}
	if _, err := x.ExecContext(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	w.run(x)
	if w.own == nil {
		w.own = ctx.Err()
	}
	if w.own != nil {
		x.lost = nil // where it is, so is the savepoint
		if _, err := x.ExecContext(ctx, `ROLLBACK TO one`); err != nil {
			return w.own
		}
	}
	_, err := x.ExecContext(ctx, `RELEASE one`)
	return err
}

// run keeps a panic for whom it belongs to.
func (w *oneWrite) run(x *session) {
	defer func() {
		if fault := recover(); fault != nil {
			w.fault, w.own = fault, errUnfinished
		}
	}()
	w.own = w.do(x)
}
