package ingest

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// removeAtOnce bounds how many deletions go into one transaction.
const removeAtOnce = 1000

// idSet is what is left of a source's documents while a listing is crossed off.
// A nil set takes everything and holds nothing.
type idSet struct {
	stored, failed map[string]struct{}
	listed         int
}

func (s *idSet) removeAll(ids []string) {
	if s == nil {
		return
	}
	for _, id := range ids {
		s.listed++
		delete(s.stored, id)
		delete(s.failed, id)
	}
}

// localIDs must be called before a listing starts, so that what arrives while
// it runs is not taken for missing.
func (r *run) localIDs(ctx context.Context) (*idSet, error) {
	stored, failed, err := r.syncer.Ledger.SyncedIDs(ctx, r.source)
	if err != nil {
		return nil, err
	}
	r.all = len(stored)
	set := &idSet{stored: make(map[string]struct{}, len(stored)), failed: map[string]struct{}{}}
	for _, id := range stored {
		set.stored[id] = struct{}{}
	}
	for _, id := range failed {
		set.failed[id] = struct{}{}
	}
	return set, nil
}

// watch starts to cross off documents where a rebuild has to serve as listing.
func (r *run) watch(ctx context.Context) (err error) {
	if r.reason == core.SyncRebuild && !r.conn.CanList() {
		r.unseen, err = r.localIDs(ctx)
	}
	return err
}

// List finds out what the source has no longer, and reads no documents. It stands
// among the source's syncs as core.SyncList. The error is of kind invalid if the
// connector cannot list.
func (s *Syncer) List(ctx context.Context, src core.Source, conn Connector, opts SyncOptions) (Report, error) {
	if !conn.CanList() {
		return Report{}, core.Errorf(core.KindInvalid,
			"The connector %q of source %q cannot list what there is; what is gone comes with a plain sync, or with --full.", src.Connector, src.Name)
	}
	track, release, err := s.claim(src.Name)
	if err != nil {
		return Report{}, err
	}
	defer release()
	state, err := s.Ledger.SyncState(ctx, src.Name)
	if err != nil {
		return Report{}, err
	}
	r := &run{syncer: s, source: src.Name, conn: conn, opts: opts, state: state, reason: core.SyncList, track: track}
	return s.only(ctx, r, r.prune)
}

// prune removes what the source has no longer. It is called only after the
// connector said that it sent everything.
func (r *run) prune(ctx context.Context) error {
	if r.opts.NoList && r.reason == core.SyncPoll {
		r.counts.Held = r.state.Held // as it was: nobody looked
		return nil
	}
	missing := r.unseen
	if r.conn.CanList() {
		var err error
		if missing, err = r.localIDs(ctx); err != nil {
			return err
		}
		if err := r.conn.List(ctx, func(id, _ string) error {
			missing.removeAll([]string{id})
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	if missing == nil {
		return nil
	}
	if hold(r.all, len(missing.stored), missing.listed, r.opts.AcceptDeletes) {
		return r.hold(ctx, len(missing.stored))
	}
	if err := r.removeMissing(ctx, missing); err != nil {
		return err
	}
	return r.hold(ctx, 0)
}

// hold notes how many deletions wait, where that is news.
func (r *run) hold(ctx context.Context, n int) error {
	r.counts.Held = n
	if n == r.state.Held {
		return nil
	}
	return r.commit(ctx, core.Batch{Source: r.source, Held: &n})
}

// removeMissing also forgets failures of documents that are gone.
func (r *run) removeMissing(ctx context.Context, missing *idSet) error {
	var chunk []string
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		err := r.commit(ctx, core.Batch{Source: r.source, Removed: chunk})
		chunk = nil
		return err
	}
	for _, set := range []map[string]struct{}{missing.stored, missing.failed} {
		for id := range set {
			if chunk = append(chunk, id); len(chunk) == removeAtOnce {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	r.counts.Removed += len(missing.stored)
	return nil
}
