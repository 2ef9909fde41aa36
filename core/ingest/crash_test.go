package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/store"
)

var errCrash = errors.New("the process is gone")

// fuse counts the steps of a process and lets it die at one of them: before
// the step has an effect or, if late is set, after.
type fuse struct {
	mu    sync.Mutex
	at    int
	late  bool
	steps int
	dead  bool
}

func (f *fuse) step(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return errCrash
	}
	f.steps++
	if f.steps != f.at {
		return do()
	}
	f.dead = true
	if f.late {
		if err := do(); err != nil {
			return err
		}
	}
	return errCrash
}

// mortal is a store and an index on one fuse. Reads do not count as steps.
type mortal struct {
	*store.Store
	index core.Index
	fuse  *fuse
}

func (m mortal) Commit(ctx context.Context, b core.Batch) error {
	return m.fuse.step(func() error { return m.Store.Commit(ctx, b) })
}

func (m mortal) Confirm(ctx context.Context, b core.Backlog) error {
	return m.fuse.step(func() error { return m.Store.Confirm(ctx, b) })
}

func (m mortal) SaveRun(ctx context.Context, r core.SyncRun) (id int64, err error) {
	err = m.fuse.step(func() error { id, err = m.Store.SaveRun(ctx, r); return err })
	return id, err
}

func (m mortal) Put(ctx context.Context, docs []core.IndexedDocument) error {
	return m.fuse.step(func() error { return m.index.Put(ctx, docs) })
}

func (m mortal) SetFacts(ctx context.Context, facts []core.Facts) error {
	return m.fuse.step(func() error { return m.index.SetFacts(ctx, facts) })
}

func (m mortal) Delete(ctx context.Context, ids []string) error {
	return m.fuse.step(func() error { return m.index.Delete(ctx, ids) })
}

func (m mortal) Keyword(ctx context.Context, q core.KeywordQuery) ([]core.Hit, error) {
	return m.index.Keyword(ctx, q)
}

// second is a run that has a bit of everything: new, changed, removed, access
// only, missing from the listing.
func second() *script {
	changes := pages(150)
	changes[0] = upsert("p0000", "Other text.", core.Workspace)
	changes[1] = upsert("p0001", "Text of page 1.", core.Workspace)
	changes[2] = core.Removal{ExternalID: "p0002"}
	listing := []string{"p0000", "p0001"}
	for i := 4; i < 150; i++ {
		listing = append(listing, fmt.Sprintf("p%04d", i))
	}
	return &script{changes: changes, checkpointEvery: 40, listing: listing}
}

// A process that dies at any step leaves nothing that the next start does not
// mend, and the next sync ends where an undisturbed one does.
func TestCrashAtEveryStep(t *testing.T) {
	w, steps := newWorld(t), &fuse{}
	w.run(&script{changes: pages(100)}, ingest.SyncOptions{})
	w.check(dieAt(w, steps))
	want := w.texts(core.Workspace)
	// How work falls together differs from run to run, so a few steps more are
	// tried than were counted.
	for at := 1; at <= steps.steps+4; at++ {
		for _, late := range []bool{false, true} {
			if testing.Short() && (at%3 != 0 || late) {
				continue
			}
			t.Run(fmt.Sprintf("step_%d_late_%v", at, late), func(t *testing.T) {
				t.Parallel()
				crashAt(t, at, late, want)
			})
		}
	}
}

// dieAt runs a sync in a process that ends when the fuse says so.
func dieAt(w *world, f *fuse) error {
	m := mortal{Store: w.store, index: w.index, fuse: f}
	s := ingest.New(ingest.Options{Ledger: m, Outbox: m, Index: m, Extractor: w.words})
	_, err := s.Sync(w.t.Context(), w.src, second(), ingest.SyncOptions{Full: true})
	return err
}

func crashAt(t *testing.T, at int, late bool, want map[string]string) {
	w, f := newWorld(t), &fuse{at: at, late: late}
	w.run(&script{changes: pages(100)}, ingest.SyncOptions{})
	if err := dieAt(w, f); f.dead != errors.Is(err, errCrash) {
		t.Fatalf("dead %v, but the sync ended with %v", f.dead, err)
	}
	w.check(w.store.Close())

	w.index.facts = map[string]core.Facts{} // they live in memory
	w.open()
	w.check(w.sync.Reconcile(t.Context()))
	w.agree()
	if run := w.status().LastRun; run.Finished.IsZero() {
		t.Fatalf("a run is still open: %+v", run)
	}
	w.run(second(), ingest.SyncOptions{Full: true})
	w.agree()
	w.diff("final state", want, w.texts(core.Workspace))
}

// An index that comes up empty gets everything again.
func TestFreshIndex(t *testing.T) {
	w := newWorld(t)
	w.run(&script{changes: pages(300)}, ingest.SyncOptions{})
	w.index = newMemory()
	fresh := ingest.New(ingest.Options{Ledger: w.store, Outbox: w.store, Index: w.index, Fresh: true, Extractor: w.words})
	w.check(fresh.Reconcile(t.Context()))
	w.agree()
	puts := w.index.puts
	w.check(fresh.Reconcile(t.Context()))
	if w.index.puts != puts {
		t.Fatal("a second reconcile put documents again")
	}
	w.check(fresh.Reindex(t.Context()))
	if w.index.puts != 2*puts {
		t.Fatal("a reindex did not put every document")
	}
	w.agree()
}

// full is a ledger whose disk is full.
type full struct{ *store.Store }

func (f full) Commit(ctx context.Context, b core.Batch) error {
	if len(b.Content) > 0 && b.Content[0].Document.ExternalID >= "p0064" {
		return core.Errorf(core.KindDisk, "The disk is full.")
	}
	return f.Store.Commit(ctx, b)
}

func TestDiskFullLosesNothing(t *testing.T) {
	w := newWorld(t)
	c := &script{changes: pages(200), checkpointEvery: 50}
	s := ingest.New(ingest.Options{Ledger: full{w.store}, Outbox: w.store, Index: w.index, Extractor: w.words})
	_, err := s.Sync(t.Context(), w.src, c, ingest.SyncOptions{})
	if core.KindOf(err) != core.KindDisk {
		t.Fatal(err)
	}
	if st := w.status(); st.Documents == 0 || st.LastRun.ErrorKind != core.KindDisk {
		t.Fatalf("status %+v", st)
	}
	w.run(c, ingest.SyncOptions{})
	if n := w.status().Documents; n != 200 {
		t.Fatalf("%d documents", n)
	}
	w.agree()
}
