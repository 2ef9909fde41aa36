package bot

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// Running is a turn that runs, waits or has ended. It may be used from several
// goroutines.
type Running struct {
	ID     string
	Thread string
	Place  string // id
	Asker  string // e-mail, "" if none
	Agent  core.Agent

	account  string
	log      *eventLog
	cancel   context.CancelCauseFunc
	settled  chan struct{} // closed when it is known what the answer rests on
	released chan struct{} // closed when the next turn of the thread may start
	ended    time.Time     // guarded by the desk's lock
	doubted  atomic.Bool   // the audience has to be asked again before anything is shown
	again    chan struct{} // wakes whoever does so at once

	mu    sync.Mutex
	class string
	scope []core.Principal
	used  []string // ids of the documents that the answer rests on, once it is there
}

func newRunning(q core.Question, limit int, cancel context.CancelCauseFunc) *Running {
	r := &Running{
		ID: q.TurnID, Thread: q.Place.Thread, Place: q.Place.ID, Asker: q.Viewer.Email, Agent: q.Agent,
		account: q.Viewer.Account, log: newEventLog(limit), cancel: cancel,
		settled: make(chan struct{}), released: make(chan struct{}), again: make(chan struct{}, 1),
	}
	r.madeFor(q.Audience)
	r.log.append(core.TurnStarted{TurnID: r.ID, ThreadID: r.Thread})
	return r
}

// fromLedger is a turn that ended before the memory of this process.
func fromLedger(t core.Turn) *Running {
	r := &Running{
		ID: t.ID, Thread: t.Thread, Place: t.Place, Asker: t.Asker,
		account: t.Account, class: t.Class, scope: t.Scope, log: newEventLog(1), cancel: func(error) {},
		settled: make(chan struct{}),
	}
	close(r.settled)
	r.used, _ = access.Documents(t)
	r.log.append(core.TurnStarted{TurnID: t.ID, ThreadID: t.Thread})
	if t.Answer.Text == "" && !t.Answer.Stopped {
		r.end(core.Errorf(core.KindUnavailable, "The question was not answered; ask it again."))
	} else {
		r.log.append(core.Done{Answer: t.Answer})
	}
	return r
}

// KnownTo tells whether a reply in the place may show the turn to the viewer:
// every reader there could have read it where it was made, and what was made
// for one asker alone is shown to nobody else.
func (r *Running) KnownTo(place core.Place, viewer core.Viewer) bool {
	r.mu.Lock()
	t := core.Turn{Class: r.class, Scope: r.scope, Asker: r.Asker, Account: r.account}
	r.mu.Unlock()
	return access.CanKnow(access.Audience(place, viewer), t, viewer)
}

// madeFor notes whom the turn is answered for.
func (r *Running) madeFor(a core.Audience) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.class, r.scope = a.Class, a.Scope() // as in the ledger
}

// Settled waits until it is known what a finished turn rests on, which is a moment
// after its last event. The error is the context's, if that ended first.
func (r *Running) Settled(ctx context.Context) error {
	select {
	case <-r.settled:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Documents are the ids of the documents that the turn's events have named so
// far, and of those that its answer rests on: what its text cites and, once it is
// settled, all that its model was given.
func (r *Running) Documents() (found, under []string) {
	found, under = r.log.documents()
	r.mu.Lock()
	defer r.mu.Unlock()
	return found, distinct(append(under, r.used...))
}

// Notices are what the turn has told its reader so far beside the answer.
func (r *Running) Notices() []core.Noticed { return r.log.noticed() }

// doubt makes the turn ask at once who can read its place.
func (r *Running) doubt() {
	r.doubted.Store(true)
	select {
	case r.again <- struct{}{}:
	default: // it was told already
	}
}

// Finished tells whether the last event has come.
func (r *Running) Finished() bool { return r.log.finished() }

// Subscribe gives the events from the number from on (0 is the first), first
// those that have come and then the others as they come, until the last one or
// the end of ctx. Numbers count every event, so a reader that has seen n of them
// goes on with n. The last event, core.Done or core.Failed, always comes, even
// if from lies behind it. A slow reader does not delay the turn.
//
// Where a turn says more than the memory for it holds, the oldest events are
// left out; a notice of kind skipped stands in their place.
func (r *Running) Subscribe(ctx context.Context, from int) iter.Seq[core.Event] {
	return func(yield func(core.Event) bool) {
		for at := max(0, from); ctx.Err() == nil; {
			e, next, more := r.log.at(at, true)
			if more != nil {
				select {
				case <-more:
				case <-ctx.Done():
				}
				continue
			}
			if !yield(e) || isLast(e) {
				return
			}
			at = next
		}
	}
}

// Reader takes the events of a turn one after the other, without a goroutine of its
// own. It is for one goroutine.
type Reader struct {
	log *eventLog
	at  int
}

// Reader begins with the first event.
func (r *Running) Reader() *Reader { return &Reader{log: r.log} }

// Next is the next event, in the way of Subscribe; the last one comes again and again.
// Where it has not come yet, more is closed when it has. Who shows text now and then
// only says so: then more waits for an event that is not text, while text can be taken
// at any time.
func (r *Reader) Next(text bool) (e core.Event, more <-chan struct{}) {
	e, r.at, more = r.log.at(r.at, text)
	return e, more
}

// Wait returns the last event, which is core.Done or core.Failed. The error is
// the context's, if that ended first.
func (r *Running) Wait(ctx context.Context) (core.Event, error) {
	for {
		last, more := r.log.last()
		if more == nil {
			return last, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// end is the last event where there is no answer; it does nothing if the turn
// has ended.
func (r *Running) end(err error) { r.log.append(core.FailedOf(err, r.ID)) }

func isLast(e core.Event) bool {
	switch e.(type) {
	case core.Done, core.Failed:
		return true
	}
	return false
}
