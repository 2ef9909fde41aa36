package bot

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/prompts"
)

const (
	// askEvery is how much of a stream may pass between two looks at who can read
	// it, unless somebody says that this has changed. What a look learns may be a
	// minute old in any case; it costs several reads of the ledger.
	askEvery = 250 * time.Millisecond
	// askAnyway is the longest time without a look, also where nothing is shown.
	askAnyway = time.Minute
	// askPatience is how long a look may take; after that it is not known.
	askPatience = 5 * time.Second
)

// audience is who can read a reply in the place now. What cannot be found out is
// the strictest class. It is asked also when the turn was stopped: what stays has
// readers too.
func (d *Desk) audience(ctx context.Context, place core.Place, viewer core.Viewer) core.Audience {
	if d.opts.Audience == nil {
		return AudienceOf(place, viewer)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askPatience)
	defer cancel()
	a, err := d.opts.Audience(ctx, place, viewer)
	if err != nil {
		d.opts.Log.Warn("the readers of a place are not known, taking the strictest class", "place", place.ID, "error", err)
		return AudienceOf(core.Place{ID: place.ID, Platform: place.Platform, Kind: core.PlaceUnknown}, viewer)
	}
	return a
}

// Recheck makes the running turns of the place look at once who can read it:
// something has changed there. Whoever answers Options.Audience must have
// forgotten what it knew before.
func (d *Desk) Recheck(place string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.turns {
		if r.Place == place && !r.Finished() {
			r.doubt()
		}
	}
}

// attempt is one go at answering a turn, for one audience.
type attempt struct {
	desk   *Desk
	r      *Running
	q      core.Question
	say    prompts.Sentences
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu        sync.Mutex // held while looking, so that nothing is shown meanwhile
	looked    time.Time
	written   bool // text was shown
	withdrawn bool
}

// attempt answers for the question's audience. It reports whether that had to be
// withdrawn; then the turn returned says only what the answer would have rested
// on.
func (d *Desk) attempt(ctx context.Context, r *Running, q core.Question, say prompts.Sentences) (core.Turn, bool) {
	a := &attempt{desk: d, r: r, q: q, say: say, looked: time.Now()}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	defer a.cancel(nil)
	defer a.watch()()
	t, err := d.opts.Answerer.Answer(a.ctx, q, a.emit)
	switch {
	case errors.Is(err, core.ErrWithdrawn):
		a.sourceClosed()
	case err != nil:
		a.emit(core.FailedOf(err, r.ID))
	default:
		a.emit(core.Done{Answer: t.Answer})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return t, a.withdrawn
}

// emit shows an event, unless meanwhile more people can read it than it was made
// for. After the last event it does nothing.
func (a *attempt) emit(e core.Event) {
	if _, again := e.(core.TurnStarted); again {
		return // it was told when the turn was taken
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.withdrawn || a.r.Finished() {
		return
	}
	_, text := e.(core.TextDelta)
	if carries(e) {
		a.look(isLast(e) || text && !a.written)
	}
	if a.withdrawn {
		return
	}
	a.written = a.written || text
	a.r.log.append(e)
}

// carries tells whether an event says something of documents or of what the
// model made of them.
func carries(e core.Event) bool {
	switch e.(type) {
	case core.TextDelta, core.DocumentsFound, core.Cited, core.ToolUsed, core.QueryRun, core.Done, core.Failed:
		return true
	}
	return false
}

// look asks who can read the place, if it is time or if it must, and withdraws the
// answer where it was made for fewer. The caller holds the lock.
func (a *attempt) look(must bool) {
	doubted := a.r.doubted.Swap(false)
	if !must && !doubted && time.Since(a.looked) < askEvery {
		return
	}
	now := a.desk.audience(a.ctx, a.q.Place, a.q.Viewer)
	a.looked = time.Now()
	if !access.Wider(a.q.Audience, now) {
		return
	}
	a.takeBack(a.say.Withdrawn)
	a.desk.opts.Log.Info("answer withdrawn: the place has more readers", "turn_id", a.r.ID, "made_for", a.q.Audience.Class, "now", now.Class)
}

// sourceClosed takes the answer back where the turn itself found that a source was
// closed to its readers.
func (a *attempt) sourceClosed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.withdrawn || a.r.Finished() {
		return
	}
	a.takeBack(a.say.Closed)
	a.desk.opts.Log.Info("answer withdrawn: a source was closed to its readers", "turn_id", a.r.ID)
}

// takeBack withdraws what was shown; sorry stands for it. The caller holds the lock.
func (a *attempt) takeBack(sorry string) {
	a.withdrawn = true
	a.r.log.withdraw(core.Withdrawn{Text: sorry})
	a.cancel(core.ErrWithdrawn)
}

// watch looks when it is told to, and now and then where nothing is shown, until
// the returned function is called.
func (a *attempt) watch() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(askAnyway)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-a.r.again:
			case <-tick.C:
			}
			a.mu.Lock()
			if !a.withdrawn && !a.r.Finished() {
				a.look(true)
			}
			a.mu.Unlock()
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
