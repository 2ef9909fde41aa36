package ingest_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// polite is an index that somebody searches, or nobody.
type polite struct {
	*memory
	searched bool
	yields   atomic.Int64
	puts     []int // documents of each
}

func (p *polite) Yield(work func()) {
	p.yields.Add(1)
	work()
}

func (p *polite) Searched() bool { return p.searched }

func (p *polite) Put(ctx context.Context, docs []core.IndexedDocument) error {
	p.puts = append(p.puts, len(docs))
	return p.memory.Put(ctx, docs)
}

// While somebody searches the index gets less at once, and what takes processor time
// asks first.
func TestSyncYields(t *testing.T) {
	for _, row := range []struct {
		name     string
		searched bool
		want     []int
	}{{"nobody searches", false, []int{300}}, {"somebody searches", true, []int{128, 128, 44}}} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			x := &polite{memory: w.index, searched: row.searched}
			w.sync = ingest.New(ingest.Options{Ledger: w.store, Outbox: w.store, Access: w.store, Index: x, Extractor: w.words,
				Log: slog.New(slog.DiscardHandler)})
			w.run(&script{changes: pages(300)}, ingest.SyncOptions{})
			if n := x.yields.Load(); n < 300 {
				t.Errorf("%d yields for 300 documents", n)
			}
			x.puts = nil
			w.check(w.sync.Reindex(t.Context()))
			w.diff("documents of each put", row.want, x.puts)
			w.agree()
		})
	}
}
