package ingest

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// How much is kept of documents that could not be read, to be tried again when the
// source has told everything: a failure may be this machine's or the moment's.
const (
	againDocuments = 64
	againBytes     = 32 << 20
)

// again is what is left to be tried again. It belongs to the goroutine that works
// through the batches.
type again struct {
	jobs  map[string]*job // by external id
	bytes int64
}

// keep takes a document that failed for a reason that may pass.
func (a *again) keep(j *job) {
	size := textBytes(j.upsert.Document)
	if len(a.jobs) >= againDocuments || a.bytes+size > againBytes {
		return
	}
	if a.jobs == nil {
		a.jobs = map[string]*job{}
	}
	a.jobs[j.upsert.Document.ExternalID] = j
	a.bytes += size
}

// drop forgets documents of which the source told something newer, and all if
// folders went out of sight: nothing old may bring readers back.
func (a *again) drop(b *batch) {
	if len(b.closed) > 0 {
		a.jobs, a.bytes = nil, 0
		return
	}
	for _, id := range b.ids() {
		if j := a.jobs[id]; j != nil {
			a.bytes -= textBytes(j.upsert.Document)
			delete(a.jobs, id)
		}
	}
}

// tryAgain gives documents that could not be read two more tries, with a pause
// before each. What still fails then stays a failure of its own: it never fails the
// sync.
func (r *run) tryAgain(ctx context.Context) error {
	for _, pause := range r.syncer.AgainAfter {
		if len(r.again.jobs) == 0 {
			return nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-r.opts.Pause:
			timer.Stop()
			return errPaused
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		if err := r.readAgain(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) readAgain(ctx context.Context) error {
	old := r.again.jobs
	r.again = again{}
	ids := make([]string, 0, len(old))
	for id := range old {
		ids = append(ids, id)
	}
	known, err := r.syncer.Ledger.Known(ctx, r.source, ids)
	if err != nil {
		return err
	}
	var jobs []*job
	for id, j := range old {
		jobs = append(jobs, &job{upsert: j.upsert, known: known[id], entry: j.fresh()})
	}
	r.readAll(ctx, jobs)
	r.counts.Failed -= len(jobs) // they are counted anew
	return r.commitRead(ctx, newBatch(), jobs)
}

// fresh is the entry as it was before it was read.
func (j *job) fresh() core.Entry {
	e := j.entry
	e.Passages = nil
	return e
}
