package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// watched is a mortal store and index that lets a test look after each step that
// may close a document.
type watched struct {
	mortal
	look func()
}

func (w watched) Commit(ctx context.Context, b core.Batch) error {
	defer w.look()
	return w.mortal.Commit(ctx, b)
}

func (w watched) SetFacts(ctx context.Context, facts []core.Facts) error {
	defer w.look()
	return w.mortal.SetFacts(ctx, facts)
}

func (w watched) CommitAccess(ctx context.Context, b core.AccessBatch) (counts core.AccessCounts, err error) {
	defer w.look()
	err = w.fuse.step(func() error { counts, err = w.Store.CommitAccess(ctx, b); return err })
	return counts, err
}

// shutting is a source that closes its documents to Bob, in one of the ways there are.
type shutting struct {
	open, closed *granter
	sync         bool // it is told with the documents
}

const (
	annReads = core.Principal("user:ann@x.org")
	bobReads = core.Principal("user:bob@x.org")
	theTeam  = core.Principal("group:wiki/team")
)

const shutDocuments = 130

func shuttings() map[string]shutting {
	documents := func(access ...core.Principal) (out script) {
		for n := range shutDocuments {
			u := upsert(fmt.Sprintf("p%04d", n), fmt.Sprintf("Text %d.", n), access...)
			u.Document.Folders = []string{"room"}
			out.changes = append(out.changes, u)
		}
		out.checkpointEvery = 50
		return out
	}
	told := func(access ...core.Principal) (out []core.AccessChange) {
		for n := range shutDocuments {
			out = append(out, readers(fmt.Sprintf("p%04d", n), access...))
		}
		return out
	}
	both := people("team", "ann@x.org", "bob@x.org")
	byName, byTeam := documents(annReads, bobReads), documents(theTeam)
	return map[string]shutting{
		"sent again": {sync: true, open: &granter{script: byName}, closed: &granter{script: documents(annReads)}},
		"readers": {open: &granter{script: byName, account: told(annReads, bobReads)},
			closed: &granter{script: byName, account: told(annReads)}},
		"members": {open: &granter{script: byTeam, account: []core.AccessChange{both}},
			closed: &granter{script: byTeam, account: []core.AccessChange{people("team", "ann@x.org")}}},
		"folder": {open: &granter{script: byName, account: []core.AccessChange{folder("room", annReads, bobReads), core.FoldersWhole{}}},
			closed: &granter{script: byName, account: []core.AccessChange{folder("room", annReads), core.FoldersWhole{}}}},
	}
}

// plain is a connector that tells readers with its documents only.
type plain struct{ *script }

func (s shutting) run(ctx context.Context, to *ingest.Syncer, src core.Source, g *granter) error {
	if s.sync {
		return errorOf(to.Sync(ctx, src, plain{&g.script}, ingest.SyncOptions{Full: true}))
	}
	return errorOf(to.Grants(ctx, src, g, ingest.SyncOptions{Full: true}))
}

// Whoever is shut out stays shut out of what was closed, at whatever step the process
// dies, and after the next start and the next sync of all of it.
func TestCrashWhileReadersAreLost(t *testing.T) {
	for name, s := range shuttings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.granted(s.open, ingest.SyncOptions{})
			steps := &fuse{}
			w.check(s.die(w, steps, shutDocuments))
			for at := 1; at <= steps.steps+2; at++ {
				for _, late := range []bool{false, true} {
					if !testing.Short() || at%7 == 0 && !late {
						s.crash(w, &fuse{at: at, late: late})
					}
				}
			}
		})
	}
}

// readableBy is how many of the documents the person may read now.
func (w *world) readableBy(email string) (int, error) {
	var list []string
	for n := range shutDocuments {
		list = append(list, fmt.Sprintf("wiki/p%04d", n))
	}
	m, err := w.store.Memberships(context.Background(), []string{email}, w.store.Now())
	if err != nil {
		return 0, err
	}
	found, err := w.store.Readable(context.Background(), core.Filter{Principals: append(m.Groups, core.User(email))}, list)
	return len(found), err
}

func (w *world) reading(email string) int {
	w.t.Helper()
	n, err := w.readableBy(email)
	w.check(err)
	return n
}

// die closes the documents in a process that ends when the fuse says so. What Bob may
// read only gets less, and Ann loses nothing.
func (s shutting) die(w *world, f *fuse, most int) error {
	var mu sync.Mutex
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		bobs, err := w.readableBy("bob@x.org")
		anns, annErr := w.readableBy("ann@x.org")
		if err = errors.Join(err, annErr); err != nil || bobs > most || anns != shutDocuments {
			w.t.Errorf("Bob reads %d documents after %d, Ann %d: %v", bobs, most, anns, err)
		}
		most = bobs
	}
	m := watched{mortal{Store: w.store, index: w.index, fuse: f}, look}
	to := ingest.New(ingest.Options{Ledger: m, Outbox: m, Access: m, Index: m, Extractor: w.words})
	return s.run(w.t.Context(), to, w.src, s.closed)
}

func (s shutting) crash(w *world, f *fuse) {
	w.t.Helper()
	w.check(s.run(w.t.Context(), w.sync, w.src, s.open))
	w.diff("open to Bob", shutDocuments, w.reading("bob@x.org"))
	if err := s.die(w, f, shutDocuments); f.dead != errors.Is(err, errCrash) {
		w.t.Fatalf("dead %v, but it ended with %v", f.dead, err)
	}
	left := w.reading("bob@x.org")
	w.check(w.store.Close())
	w.index.facts = map[string]core.Facts{} // they live in memory
	w.open()
	w.check(w.sync.Reconcile(w.t.Context()))
	w.diff("open to Bob after the crash", left, w.reading("bob@x.org"))
	w.agree()
	w.check(s.run(w.t.Context(), w.sync, w.src, s.closed))
	w.diff("open to Bob at last", 0, w.reading("bob@x.org"))
	w.diff("open to Ann at last", shutDocuments, w.reading("ann@x.org"))
	w.agree()
}
