package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

const defaultLimit = 50

// view is what one search reads: text, facts, tables and vectors of the same moment.
type view struct {
	reach
	snap    *scorch.IndexSnapshot
	vectors *vector.View // nil where none are asked for or in use
	set     core.VectorSet
	tables  []*table // of snap.Segments(), in order
	allowed slots
	known   slots // what the readers may know; nil where that is all
	windows int
	average float64 // words of a window
	langs   map[string]bool
}

func (v *view) close(err error) error {
	if v.vectors != nil {
		v.vectors.Release()
	}
	return closeAfter(v.snap, err)
}

// Keyword implements core.Index.
func (x *Index) Keyword(ctx context.Context, q core.KeywordQuery) (hits []core.Hit, err error) {
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	defer x.running.Done()
	defer x.pace.ask()()
	defer faultsPanic()()
	defer func() {
		if r := recover(); r != nil {
			hits, err = nil, x.markPanicked(r)
		}
	}()
	v, err := x.look(q.Filter, false)
	if err != nil {
		return nil, x.readError(err)
	}
	defer func() { err = v.close(err) }()
	s := x.newSearch(v, q.Text)
	acc := x.scratch.Get().(*accumulator)
	defer x.scratch.Put(acc)
	if hits, err = s.run(ctx, acc, limitOf(q.Limit)); err != nil {
		return nil, x.readError(err)
	}
	return hits, nil
}

func limitOf(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return limit
}

func (x *Index) newSearch(v *view, text string) *search {
	if v.known != nil {
		v.reach = x.reaches.of(v)
	}
	return &search{view: v, groups: parse(text, v.langs, x.function)}
}

// look takes a view, with vectors if they are asked for. Tables of new segments that
// nobody made yet are made here.
func (x *Index) look(f core.Filter, vectors bool) (*view, error) {
	for { // again where a merge came between
		v, complete, err := x.glance(f, vectors)
		if err != nil || complete {
			return v, err
		}
		if err := v.snap.Close(); err != nil {
			return nil, err
		}
		if err := x.makeTables(); err != nil {
			return nil, err
		}
	}
}

func (x *Index) glance(f core.Filter, vectors bool) (v *view, complete bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock() // also where damaged files make it panic
	return x.tryLook(f, vectors)
}

func (x *Index) tryLook(f core.Filter, vectors bool) (v *view, complete bool, err error) {
	snap, err := x.snapshot()
	if err != nil {
		return nil, false, err
	}
	v = &view{snap: snap}
	for _, seg := range snap.Segments() {
		t := x.tables[seg.Id()]
		if t == nil {
			return v, false, nil
		}
		v.tables = append(v.tables, t)
	}
	known := x.facts.known(f)
	v.windows = max(1, x.facts.windows)
	v.average = float64(x.facts.words) / float64(v.windows)
	if v.near = v.windows; !x.facts.all(known) {
		v.known = newSlots(known, len(x.facts.records))
	}
	v.allowed = x.facts.narrowed(known, f)
	v.langs = make(map[string]bool, len(x.languages))
	for l := range x.languages {
		v.langs[l] = true
	}
	if vectors {
		change, err := x.pending(snap)
		if err != nil {
			return nil, false, closeAfter(snap, err)
		}
		v.set, v.vectors = x.vectors.View(change)
	}
	return v, true, nil
}

// faultsPanic makes a page of a mapped file that is not there any more, because
// somebody cut the file, a panic of this goroutine and not the end of the process. The
// function that it gives puts things back.
func faultsPanic() (restore func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

func (x *Index) markPanicked(r any) error {
	return x.markDamaged(fmt.Errorf("search panicked: %v", r))
}

// markDamaged leaves a note for the next Open, which then rebuilds the index.
func (x *Index) markDamaged(cause error) error {
	var err error = core.Wrap(core.KindInternal, cause,
		"The search index in "+x.dir+" is damaged. Start Footnote again: it rebuilds the index.")
	if x.damaged.CompareAndSwap(nil, &err) {
		x.log.Error("search index is damaged; it is rebuilt at the next start", "dir", x.dir, "error", cause)
		if err := os.WriteFile(filepath.Join(x.dir, damagedFile), nil, 0o600); err != nil {
			x.log.Error("search index cannot be marked as damaged", "dir", x.dir, "error", err)
		}
	}
	return err
}

// readError takes what is nobody else's fault for damage: files that were whole are
// always readable.
func (x *Index) readError(err error) error {
	if core.KindOf(err) != core.KindInternal {
		return err
	}
	if isDisk(err) {
		return diskError(x.dir, err)
	}
	return x.markDamaged(err)
}
