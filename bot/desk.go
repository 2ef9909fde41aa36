package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// Desk takes questions, runs one turn at a time in each thread and keeps what
// the turns say for whoever wants to read it. It may be used from several
// goroutines.
type Desk struct {
	opts   Options
	places chan struct{} // one for each turn that may still start to run
	work   sync.WaitGroup
	quit   chan struct{} // closed by Close

	mu       sync.Mutex
	closed   bool
	open     int                 // turns that have not ended
	turns    map[string]*Running // by id: open ones, and finished ones while they are kept
	tails    map[string]*Running // the newest turn of each thread that has open ones
	finished []*Running          // in the order in which they ended
	kept     int                 // bytes of the finished ones
}

// NewDesk makes a desk. It panics if a required option is missing.
func NewDesk(o Options) *Desk {
	if o.Answerer == nil || o.Turns == nil || o.NewID == nil {
		panic("bot: Answerer, Turns and NewID are required")
	}
	o = o.withDefaults()
	d := &Desk{
		opts: o, places: make(chan struct{}, o.Running), quit: make(chan struct{}),
		turns: map[string]*Running{}, tails: map[string]*Running{},
	}
	for range o.Running {
		d.places <- struct{}{}
	}
	d.work.Go(d.tidy)
	return d
}

// AudienceOf is who can read a reply in the place. Platforms ask here, so that
// there is one answer.
func AudienceOf(place core.Place, viewer core.Viewer) core.Audience {
	return access.Audience(place, viewer)
}

// Wider tells whether what was made for the one audience may not be shown to the
// other. Platforms ask before each message that had to wait.
func Wider(made, now core.Audience) bool { return access.Wider(made, now) }

// Ask starts a turn, or queues it behind the others of its thread, and returns
// at once. The turn goes on when ctx ends; Stop ends it. Its audience is looked up
// when its turn comes, whatever the question says, and its history is read from
// the ledger then, where it is nil: a list without turns starts a thread anew.
//
// Where more people can read the place than the answer was made for, all that was
// shown is withdrawn and the question is answered anew. In a place where no answer
// may be given the turn fails with kind denied.
//
// Errors: busy where too many turns are open, unavailable after Close.
func (d *Desk) Ask(ctx context.Context, q core.Question, policy Policy) (*Running, error) {
	if q.TurnID == "" {
		q.TurnID = d.opts.NewID()
	}
	if q.Asked.IsZero() {
		q.Asked = d.opts.Now()
	}
	q.Audience = AudienceOf(q.Place, q.Viewer) // until the turn runs
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := newRunning(q, d.opts.TurnBytes, cancel)
	before, err := d.admit(r, policy)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	go func() {
		defer d.work.Done()
		d.serve(own, r, q, before)
	}()
	return r, nil
}

// admit enters the turn into the books and returns the one it has to wait for.
func (d *Desk) admit(r *Running, policy Policy) (before *Running, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosing
	}
	d.forget()
	var others []*Running
	for _, other := range d.turns {
		if r.Thread != "" && other.Thread == r.Thread && !other.Finished() {
			others = append(others, other)
		}
	}
	switch {
	case d.open >= d.opts.Open:
		return nil, core.Errorf(core.KindBusy, "Too many questions are being answered at the moment; ask again in a minute.")
	case policy == Wait && len(others) >= d.opts.PerThread:
		return nil, core.Errorf(core.KindBusy, "%d questions of this thread are not answered yet; wait for an answer, or stop one.", len(others))
	}
	if policy == Replace {
		for _, other := range others {
			other.cancel(errReplaced)
		}
	}
	d.open++
	d.work.Add(1)
	d.turns[r.ID] = r
	if r.Thread != "" {
		before, d.tails[r.Thread] = d.tails[r.Thread], r
	}
	return before, nil
}

// Stop ends a turn, whether it runs or waits. What it had said stays. Stopping
// a turn that has ended changes nothing; the error is of kind not_found if the
// desk has no such turn at hand.
func (d *Desk) Stop(id string) error {
	d.mu.Lock()
	r := d.turns[id]
	d.mu.Unlock()
	if r == nil {
		return core.Errorf(core.KindNotFound, "There is no running turn %q.", id)
	}
	r.cancel(errStopped)
	return nil
}

// Find returns a turn that runs, waits or has ended. One that ended long ago is
// made of what the ledger keeps: its start and its end. It does not ask who
// wants to know; see Running.KnownTo. The error is of kind not_found if there
// is no such turn.
func (d *Desk) Find(ctx context.Context, id string) (*Running, error) {
	d.mu.Lock()
	d.forget()
	r := d.turns[id]
	d.mu.Unlock()
	if r != nil {
		return r, nil
	}
	t, err := d.opts.Turns.Turn(ctx, id)
	if err != nil {
		return nil, err
	}
	return fromLedger(t), nil
}

// First returns a turn of the thread, the oldest at hand, for questions of who
// started it. The error is of kind not_found if there is no such thread.
func (d *Desk) First(ctx context.Context, thread string) (*Running, error) {
	turns, err := d.opts.Turns.Thread(ctx, thread)
	if err != nil {
		return nil, err
	}
	if len(turns) > 0 {
		return fromLedger(turns[0]), nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.turns {
		if r.Thread == thread && thread != "" {
			return r, nil
		}
	}
	return nil, core.Errorf(core.KindNotFound, "There is no thread %q.", thread)
}

// Close takes no more questions, stops all turns and waits until they are
// stored. The error is of kind timeout if that takes longer than ctx allows.
func (d *Desk) Close(ctx context.Context) error {
	d.shut()
	d.mu.Lock()
	for _, r := range d.turns {
		r.cancel(errClosing)
	}
	d.mu.Unlock()
	select {
	case <-d.ended():
		return nil
	case <-ctx.Done():
		return core.Errorf(core.KindTimeout, "Some answers did not stop in time; what they had said may be lost.")
	}
}

// tidy gives memory back when nobody asks.
func (d *Desk) tidy() {
	tick := time.NewTicker(max(time.Second, d.opts.Keep/10))
	defer tick.Stop()
	for {
		select {
		case <-d.quit:
			return
		case <-tick.C:
			d.mu.Lock()
			d.forget()
			d.mu.Unlock()
		}
	}
}

// forget drops finished turns that are too old or take too much room. The
// caller holds the lock.
func (d *Desk) forget() {
	now := d.opts.Now()
	n := 0
	for ; n < len(d.finished); n++ {
		r := d.finished[n]
		if now.Sub(r.ended) < d.opts.Keep && d.kept <= d.opts.KeptBytes {
			break
		}
		d.kept -= r.log.bytes()
		delete(d.turns, r.ID)
	}
	d.finished = slices.Delete(d.finished, 0, n)
}
