package ingest

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
)

// maxNotes is how many sentences of one sync are kept for the owner.
const maxNotes = 50

// run is one sync in progress. Its fields are used by one goroutine at a time:
// the one that works through the batches, before and after it the one of Sync.
type run struct {
	syncer *Syncer
	source string
	conn   Connector
	opts   SyncOptions
	reason core.SyncReason
	state  core.SyncState

	started time.Time

	counts  core.SyncCounts
	notes   []string
	kick    func() // tells the index's follower that there is work
	track   *tracker
	again   again
	pushed  *pushes // where somebody wants to know of each document; else nil
	unseen  *idSet  // stored before and not sent yet; nil where nobody asks
	folders folders
	all     int // stored before
}

// stream works through all that the connector sends. What came before an error
// of the connector is kept.
func (r *run) stream(ctx context.Context) error {
	changes, batches := make(chan core.Change), make(chan *batch)
	g, ctx := errgroup.WithContext(ctx)
	var ended error // of the connector
	g.Go(func() error {
		defer close(changes)
		ended = r.conn.Sync(ctx, r.since(), r.reason, func(ch core.Change) error {
			if u, ok := ch.(core.Upsert); ok && u.Failed == nil {
				r.track.fetched()
			}
			select {
			case changes <- ch:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		return nil
	})
	g.Go(func() error { return collect(ctx, r.source, changes, batches) })
	g.Go(func() error {
		for b := range batches {
			if err := r.process(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return err
	}
	return ended
}

func (r *run) since() core.Cursor {
	if r.reason == core.SyncPoll {
		return r.state.Cursor
	}
	return nil
}

// process makes one batch true: first what takes rights or documents away, then
// the slow part.
func (r *run) process(ctx context.Context, b *batch) error {
	if len(b.closed) > 0 {
		if err := r.commit(ctx, core.Batch{Source: r.source, Closed: b.closed}); err != nil {
			return err
		}
	}
	known, err := r.syncer.Ledger.Known(ctx, r.source, b.ids())
	if err != nil {
		return err
	}
	r.again.drop(b)
	r.counts.Seen += b.seen
	r.note(b.notes...)
	r.unseen.removeAll(b.ids())
	first, jobs := r.sort(b, known)
	if len(first.Removed) > 0 || len(first.Facts) > 0 || len(first.Unsettled) > 0 {
		if err := r.commit(ctx, first); err != nil {
			return err
		}
	}
	r.readAll(ctx, jobs)
	return r.commitRead(ctx, b, jobs)
}

// sort decides what each document of the batch needs.
func (r *run) sort(b *batch, known map[string]core.Known) (core.Batch, []*job) {
	out := core.Batch{Source: r.source}
	for id := range b.removed {
		out.Removed = append(out.Removed, id)
		if known[id].Stored {
			r.counts.Removed++
			r.pushed.tell(id, core.PushDeleted)
		}
	}
	var jobs []*job
	for _, id := range b.order {
		u, ok := b.upserts[id]
		if !ok {
			continue // removed again
		}
		u = r.folders.hold(u)
		e := core.Entry{Document: u.Document, HostAccess: u.HostAccess, Content: contentHash(u.Document), Facts: factsHash(u)}
		e.Document.Body = ""
		do := decide(known[id], e.Content, e.Facts, r.opts.Full)
		if u.Failed != nil {
			do.content = false
		}
		if do.facts {
			out.Facts = append(out.Facts, e)
		}
		switch {
		case do.content:
			r.counts.Changed++
			jobs = append(jobs, &job{upsert: u, known: known[id], entry: e})
		case do.facts:
			r.counts.AccessChanged++
			r.pushed.tell(id, core.PushAccess)
		case u.Failed == nil:
			r.counts.Unchanged++
			r.pushed.tell(id, core.PushUnchanged)
		}
	}
	out.Unsettled = r.folders.takeNews()
	return out, jobs
}

// commitRead writes what was read, with the cursor unless a document ended the
// sync: then the next one starts before it.
func (r *run) commitRead(ctx context.Context, b *batch, jobs []*job) error {
	out := core.Batch{Source: r.source, Cursor: b.cursor}
	for id, f := range b.failures {
		_, told := b.upserts[id]
		out.Failures = append(out.Failures, core.FailedRead{Failure: f, Untold: !told})
	}
	var end error
	for _, j := range jobs {
		r.note(j.notes...)
		r.pushed.read(j)
		if j.written {
			out.Content = append(out.Content, j.entry)
		}
		if j.failed != nil {
			out.Failures = append(out.Failures, *j.failed)
			if j.passes && j.end == nil {
				r.again.keep(j)
			}
		}
		if j.end != nil {
			end, out.Cursor = j.end, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	r.counts.Extracted += len(out.Content)
	r.counts.Failed += len(out.Failures)
	if len(out.Content) > 0 || len(out.Failures) > 0 || out.Cursor != nil {
		if err := r.commit(ctx, out); err != nil {
			return err
		}
	}
	r.counts.Written += len(out.Content)
	r.report(b.seen, out.Cursor != nil)
	if end == nil && out.Cursor != nil && r.counts.Seen+r.counts.Removed > 0 && r.asked() {
		return errPaused
	}
	return end
}

// report tells those who watch how far the run got.
func (r *run) report(settled int, checkpoint bool) {
	p := r.track.did(r.counts, settled, checkpoint, time.Now())
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{p})
	}
}

// asked tells whether the run is to stop at its next checkpoint.
func (r *run) asked() bool {
	select {
	case <-r.opts.Pause:
		return true
	default:
		return false
	}
}

func (r *run) commit(ctx context.Context, b core.Batch) error {
	var err error
	if r.syncer.yield(func() { err = r.syncer.Ledger.Commit(ctx, b) }); err != nil {
		return err
	}
	r.kick()
	return nil
}

func (r *run) note(notes ...string) {
	room := max(0, maxNotes-len(r.notes))
	r.notes = append(r.notes, notes[:min(room, len(notes))]...)
}
