package bot

import (
	"context"
	"iter"
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

	class  string
	scope  []core.Principal
	bypass bool

	log      *eventLog
	cancel   context.CancelCauseFunc
	released chan struct{} // closed when the next turn of the thread may start
	ended    time.Time     // guarded by the desk's lock
}

func newRunning(q core.Question, limit int, cancel context.CancelCauseFunc) *Running {
	r := &Running{
		ID: q.TurnID, Thread: q.Place.Thread, Place: q.Place.ID, Asker: q.Viewer.Email, Agent: q.Agent,
		class: q.Audience.Class, scope: q.Audience.Principals, bypass: q.Audience.Bypass,
		log: newEventLog(limit), cancel: cancel, released: make(chan struct{}),
	}
	r.log.append(core.TurnStarted{TurnID: r.ID, ThreadID: r.Thread})
	return r
}

// fromLedger is a turn that ended before the memory of this process.
func fromLedger(t core.Turn) *Running {
	r := &Running{
		ID: t.ID, Thread: t.Thread, Place: t.Place, Asker: t.Asker,
		class: t.Class, scope: t.Scope, log: newEventLog(1), cancel: func(error) {},
	}
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
	scope := r.scope
	if r.bypass {
		scope = append([]core.Principal{"bypass"}, scope...)
	}
	return access.CanKnow(access.Audience(place, viewer), core.Turn{Class: r.class, Scope: scope, Asker: r.Asker}, viewer)
}

// Documents are the ids of the documents that the turn's events have named so
// far: those found for it, and those that its text cites.
func (r *Running) Documents() (found, cited []string) { return r.log.documents() }

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
			e, next, more := r.log.at(at)
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
