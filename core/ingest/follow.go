package ingest

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// How much goes into the index at once. Each step makes a piece that is merged later:
// 256 documents at a time take half as much processor time again as 1,000. While
// people search the steps are small all the same, because nothing can be waited for
// in the middle of some of the work.
const (
	putDocuments = 1024
	putSearched  = 128
	putBytes     = 32 << 20
)

// factsKeeper is an index that keeps facts beside the text and need not be told them
// again at every start.
type factsKeeper interface{ KeepsFacts() bool }

// Reconcile makes the index agree with the ledger. It is called at start, before
// the first search: it loads the facts of all documents and then does what a
// crash or an empty index left to do.
func (s *Syncer) Reconcile(ctx context.Context) error {
	if s.isFresh() {
		if err := s.Outbox.Unconfirm(ctx); err != nil {
			return err
		}
		s.setFresh(false)
	}
	if k, ok := s.Index.(factsKeeper); !ok || !k.KeepsFacts() {
		if err := s.loadFacts(ctx); err != nil {
			return err
		}
	}
	return s.Settle(ctx)
}

// RenewFacts makes the next start fast after many documents changed. What goes wrong
// is logged: without it the next start takes longer and is the same.
func (s *Syncer) RenewFacts(ctx context.Context) {
	if err := s.Outbox.RenewFacts(ctx); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "facts are not kept ready for the next start", "kind", core.KindOf(err), "error", err)
	}
}

// Exclusive runs work while nobody brings the index up to date: for what changes the
// ledger's account of what the index has.
func (s *Syncer) Exclusive(ctx context.Context, work func(context.Context) error) error {
	unlock, err := s.lockIndex(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return work(ctx)
}

// Reindex puts every document into the index again.
func (s *Syncer) Reindex(ctx context.Context) error {
	if err := s.Outbox.Unconfirm(ctx); err != nil {
		return err
	}
	return s.Settle(ctx)
}

// Settle brings the index up to the state of the ledger, for instance after a
// source was removed or its access changed.
func (s *Syncer) Settle(ctx context.Context) error {
	for {
		done, err := s.settleOnce(ctx)
		if done || err != nil {
			return err
		}
	}
}

// settleOnce takes one bounded step. The backlog is read while no one else
// writes to the index, so a version that came later is always put later.
func (s *Syncer) settleOnce(ctx context.Context) (done bool, err error) {
	unlock, err := s.lockIndex(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	var b core.Backlog
	s.yield(func() { b, err = s.Outbox.Backlog(ctx, s.putAtOnce(), putBytes) })
	if err != nil || b.Empty() {
		return true, err
	}
	if len(b.Facts) > 0 {
		if err := s.Index.SetFacts(ctx, b.Facts); err != nil {
			return false, err
		}
	}
	if len(b.Deleted) > 0 {
		if err := s.Index.Delete(ctx, b.Deleted); err != nil {
			return false, err
		}
	}
	if len(b.Content) > 0 {
		if err := s.Index.Put(ctx, b.Content); err != nil {
			return false, err
		}
	}
	return false, s.Outbox.Confirm(ctx, b)
}

func (s *Syncer) loadFacts(ctx context.Context) error {
	unlock, err := s.lockIndex(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.Outbox.Facts(ctx, func(page []core.Facts) error { return s.Index.SetFacts(ctx, page) })
}

func (s *Syncer) lockIndex(ctx context.Context) (unlock func(), err error) {
	select {
	case s.indexing <- struct{}{}:
		return func() { <-s.indexing }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Syncer) isFresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh
}

func (s *Syncer) setFresh(v bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = v
}

// follower settles in the background of one sync, so that the next batch is
// read while the last one is indexed.
type follower struct {
	work chan struct{}
	done chan error
}

// follow starts a follower; its context ends with the follower's error. An index
// that is out of reach for a while ends no sync: what was read stands in the ledger,
// losses of access count there at once, and the rest is indexed by whoever settles
// next.
func (s *Syncer) follow(ctx context.Context) (*follower, context.Context) {
	f := &follower{work: make(chan struct{}, 1), done: make(chan error, 1)}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		var err error
		for range f.work {
			if err = s.Settle(ctx); err == nil {
				continue
			}
			if passes(err) {
				s.Log.WarnContext(ctx, "the index is behind and catches up later", "kind", core.KindOf(err), "error", err)
				err = nil
				continue
			}
			cancel(err)
			break
		}
		cancel(err)
		f.done <- err
	}()
	return f, ctx
}

// passes tells an index that cannot be reached from one that is broken.
func passes(err error) bool {
	kind := core.KindOf(err)
	return kind == core.KindUnavailable || kind == core.KindBusy
}

func (f *follower) kick() {
	select {
	case f.work <- struct{}{}:
	default: // it will look again anyway
	}
}

// stop waits until everything is settled and returns what went wrong. The
// follower must not be kicked afterwards.
func (f *follower) stop() error {
	close(f.work)
	return <-f.done
}
