package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// SyncOptions change one sync.
type SyncOptions struct {
	Full          bool           // start from the beginning, and try failed documents again
	AcceptDeletes bool           // let deletions through however many they are
	NoList        bool           // leave it to List to find out what is gone, in a poll
	Progress      func(Progress) // called after each batch, from one goroutine at a time; may be nil
	// Pause, once closed, stops the sync at its next checkpoint; see Paused.
	Pause <-chan struct{}
}

// Progress is how far a running sync got.
type Progress struct{ core.SyncProgress }

var errPaused = core.Errorf(core.KindCancelled, "The sync stopped at a checkpoint; the next one goes on from there.")

// Paused tells whether a sync ended because it was asked to stop at a checkpoint.
func Paused(err error) bool { return errors.Is(err, errPaused) }

// Report is what a sync did. It is complete up to the error where there was one.
type Report struct {
	core.SyncCounts
	Reason core.SyncReason
	Notes  []string // sentences for the owner
	Took   time.Duration
}

// Sync takes in what changed in the source, which the ledger must know: access
// that the host decides is always read from the ledger's own row. On return all
// that was committed is in the index too, unless the error says otherwise. On
// any error, and after a crash, the next sync goes on from the last checkpoint.
func (s *Syncer) Sync(ctx context.Context, src core.Source, conn Connector, opts SyncOptions) (Report, error) {
	track, release, err := s.claim(src.Name)
	if err != nil {
		return Report{}, err
	}
	defer release()
	state, err := s.Ledger.SyncState(ctx, src.Name)
	if err != nil {
		return Report{}, err
	}
	r := &run{syncer: s, source: src.Name, conn: conn, opts: opts, state: state, reason: reasonFor(state, opts.Full), track: track}
	record := core.SyncRun{Source: src.Name, Reason: r.reason, Started: time.Now()}
	r.started = s.Now()
	track.begin(src.Name, r.reason, record.Started)
	if record.ID, err = s.Ledger.SaveRun(ctx, record); err != nil {
		return Report{}, err
	}
	err = r.do(ctx)
	record.Finished = time.Now()
	err = s.finish(ctx, record, r, err)
	s.RenewFacts(ctx)
	return Report{SyncCounts: r.counts, Reason: r.reason, Notes: r.notes, Took: record.Finished.Sub(record.Started)}, err
}

// do streams, prunes and sees to it that the index keeps up. A sync that gets
// through has told who may read each document: everything in one from the
// beginning, in a poll every change, of which readers are one. It counts from
// its start. Single documents of which the connector could not tell are marked
// for themselves; where many are missing and held, nobody knows who may read
// them, and access goes on to age. So it does where the connector tells readers
// apart from its documents and that failed: the documents are read all the same.
func (r *run) do(ctx context.Context) error {
	follower, ctx := r.syncer.follow(ctx)
	r.kick = follower.kick
	r.kick() // for what an earlier run left behind
	untold := r.grants(ctx)
	err := r.loadFolders(ctx)
	if err == nil {
		err = r.watch(ctx)
	}
	if err == nil {
		err = r.stream(ctx)
	}
	if err == nil {
		err = context.Cause(ctx) // whatever the connector made of it
	}
	if err == nil {
		err = r.tryAgain(ctx)
	}
	if err == nil {
		err = r.prune(ctx)
	}
	if err == nil && r.counts.Held == 0 && untold == nil && !r.pushed.partial() {
		err = r.commit(ctx, core.Batch{Source: r.source, AccessChecked: &r.started})
	}
	if indexErr := follower.stop(); indexErr != nil && (err == nil || core.KindOf(err) == core.KindCancelled) {
		return indexErr
	}
	if err == nil {
		return untold
	}
	return err
}

// finish records the run even where the context has ended.
func (s *Syncer) finish(ctx context.Context, record core.SyncRun, r *run, err error) error {
	record.Counts, record.Notes = r.counts, r.notes
	if err != nil {
		record.ErrorKind, record.Error = core.KindOf(err), err.Error()
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, saveErr := s.Ledger.SaveRun(saving, record)
	s.Log.InfoContext(ctx, "sync ended", "source", record.Source, "reason", record.Reason, "counts", record.Counts,
		"took", record.Finished.Sub(record.Started), "error_kind", record.ErrorKind)
	if saveErr != nil {
		s.Log.ErrorContext(ctx, "sync run not recorded", "source", record.Source, "error", saveErr)
		if err == nil {
			return saveErr
		}
	}
	return err
}
