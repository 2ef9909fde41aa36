package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/indextest"
)

// world is documents of which all say the same: some open to all, some closed, and
// some that are closed and opened again and again.
type world struct {
	still []core.IndexedDocument // open or closed for good
	flip  []core.IndexedDocument
}

const eachKind = 8

func newWorld() *world {
	w := &world{}
	for i := range eachKind {
		for n, kind := range []string{"open", "shut", "flip"} {
			d := indextest.Document(fmt.Sprintf("%s/%d", kind, i), core.PassageID(100*n+i+1), "walrus")
			if kind == "shut" {
				d.Facts.Access = core.NewAccess("group:s/x")
			}
			if kind == "flip" {
				w.flip = append(w.flip, d)
			} else {
				w.still = append(w.still, d)
			}
		}
	}
	return w
}

// facts closes or opens what flips.
func (w *world) facts(open bool) []core.Facts {
	out := facts(w.flip)
	for i := range out {
		if out[i].Access = core.NewAccess("group:s/x"); open {
			out[i].Access = core.NewAccess(core.Public)
		}
	}
	return out
}

// TestSearchesBesideWrites searches while texts, vectors and facts change. Slots of
// old versions are used again all the time: whatever a search sees, it holds nothing
// closed, and all of what nobody closed.
func TestSearchesBesideWrites(t *testing.T) {
	w := newWorld()
	x := open(t, t.TempDir(), "a")
	all := append(slices.Clone(w.still), w.flip...)
	put(t, x, all...)
	embedAll(t, x, all)
	if err := x.UseVectors(t.Context(), damageSet); err != nil {
		t.Fatal(err)
	}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	writers.Go(func() {
		for i := range 20 {
			some := w.still[i%4:] // not what flips: Put brings facts of its own
			put(t, x, some...)
			embedAll(t, x, some)
		}
	})
	writers.Go(func() {
		for i := range 40 {
			open := i%2 == 1
			if err := x.SetFacts(t.Context(), w.facts(open)); err != nil {
				t.Error(err)
			}
			if found := look(t, x); (found > 0) != open || open && found != 2*eachKind {
				t.Errorf("open %v: %d passages found of what changes", open, found)
			}
		}
	})
	for range 2 {
		readers.Go(func() {
			for running := true; running && !t.Failed(); {
				select {
				case <-done:
					running = false // once more, after the last write
				default:
				}
				look(t, x)
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

// look searches by words and by both, and counts what is found of what flips.
func look(t *testing.T, x *index.Index) (flips int) {
	q := core.KeywordQuery{Text: "walrus", Limit: 1000}
	hits, err := x.Hybrid(t.Context(), core.HybridQuery{KeywordQuery: q, Vector: vectorOf(7)})
	words, werr := x.Keyword(t.Context(), q)
	if err != nil || werr != nil {
		t.Errorf("a search beside writes: %v, %v", err, werr)
		return 0
	}
	for _, h := range hits {
		words = append(words, h.Hit)
	}
	count := map[string]int{}
	for _, h := range words {
		kind, _, _ := strings.Cut(h.Document, "/")
		count[kind]++
	}
	if count["open"] != 2*eachKind || count["shut"] != 0 {
		t.Errorf("found %v", count)
	}
	return count["flip"]
}

// TestTextCutWhileOpen cuts the files of an open index to nothing. They are mapped
// into memory: a search has to say so, and must not end the process.
func TestTextCutWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file in use cannot be cut there")
	}
	dir := t.TempDir()
	x := open(t, dir, "a")
	docs := damageDocuments() // in one write, which leaves one segment and nothing to merge
	put(t, x, docs...)
	embedAll(t, x, docs)
	if err := x.UseVectors(t.Context(), damageSet); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir, "a")
	if err := x.SetFacts(t.Context(), facts(docs)); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "segments", "*.zap"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v", segments, err)
	}
	if err := os.Truncate(segments[0], 0); err != nil {
		t.Fatal(err)
	}
	q := core.KeywordQuery{Text: "walrus"}
	if hits, err := x.Keyword(t.Context(), q); core.KindOf(err) != core.KindInternal {
		t.Errorf("by words: %d hits, %v", len(hits), err)
	}
	if hits, err := x.Hybrid(t.Context(), core.HybridQuery{KeywordQuery: q, Vector: vectorOf(7)}); core.KindOf(err) != core.KindInternal {
		t.Errorf("by both: %d hits, %v", len(hits), err)
	}
	// No lock is held any more, and the next start builds it again.
	if err := x.SetFacts(t.Context(), facts(docs)); err != nil {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if x = open(t, dir, "a"); !x.Fresh() {
		t.Error("the damaged index is used again")
	}
}
