package ingest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// remote is an index elsewhere: it may be out of reach, and keeps facts by itself.
type remote struct {
	*memory
	kind atomic.Pointer[core.Kind] // of what its writes fail with
	told atomic.Int64              // calls of SetFacts
}

func (r *remote) fail() error {
	if kind := r.kind.Load(); kind != nil {
		return core.Errorf(*kind, "the index does not take it")
	}
	return nil
}

func (r *remote) Put(ctx context.Context, docs []core.IndexedDocument) error {
	if err := r.fail(); err != nil {
		return err
	}
	return r.memory.Put(ctx, docs)
}

func (r *remote) SetFacts(ctx context.Context, facts []core.Facts) error {
	r.told.Add(1)
	if err := r.fail(); err != nil {
		return err
	}
	return r.memory.SetFacts(ctx, facts)
}

func (r *remote) KeepsFacts() bool { return true }

// An index that is out of reach ends no sync; one that is broken does. What was read
// is put once it can be, and nothing that it knows is told again.
func TestIndexOutOfReach(t *testing.T) {
	for kind, goesOn := range map[core.Kind]bool{core.KindUnavailable: true, core.KindBusy: true, core.KindDisk: false, core.KindInternal: false} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t)
			index := &remote{memory: w.index}
			index.kind.Store(&kind)
			w.sync = ingest.New(ingest.Options{Ledger: w.store, Outbox: w.store, Access: w.store, Index: index, Extractor: w.words})
			_, err := w.sync.Sync(t.Context(), w.src, &script{changes: pages(200)}, ingest.SyncOptions{})
			if goesOn != (err == nil) || err != nil && core.KindOf(err) != kind {
				t.Fatalf("the sync ends with %v", err)
			}
			if goesOn && w.status().Documents != 200 {
				t.Errorf("%d documents are in the ledger, want 200", w.status().Documents)
			}
			if err := w.sync.Settle(t.Context()); core.KindOf(err) != kind {
				t.Errorf("Settle: %v, want kind %s", err, kind)
			}
			index.kind.Store(nil)
			w.check(w.sync.Reconcile(t.Context()))
			w.agree()
			told := index.told.Load()
			w.check(w.sync.Reconcile(t.Context()))
			if again := index.told.Load(); again != told {
				t.Errorf("an index that keeps facts is told them %d times more", again-told)
			}
		})
	}
}

// Nobody brings the index up to date while somebody has it alone.
func TestExclusive(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: pages(3)}, ingest.SyncOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	w.check(w.sync.Exclusive(t.Context(), func(context.Context) error {
		cancel()
		if err := w.sync.Settle(ctx); core.KindOf(err) != core.KindCancelled {
			t.Errorf("Settle meanwhile: %v, want to wait until it is cancelled", err)
		}
		return w.store.Unconfirm(t.Context())
	}))
	before := w.index.puts
	w.check(w.sync.Settle(t.Context()))
	if w.index.puts != before+3 {
		t.Errorf("%d documents are put again, want 3", w.index.puts-before)
	}
}
