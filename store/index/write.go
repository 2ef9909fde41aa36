package index

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

// maxBatchWindows bounds the memory of one write; a document is never split.
const maxBatchWindows = 4000

// Put implements core.Index. The facts that come with a document replace those
// of an earlier SetFacts. On an error the documents of the call may be missing
// from searches until they are put again.
func (x *Index) Put(ctx context.Context, docs []core.IndexedDocument) error {
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.running.Done()
	for _, d := range docs {
		if slices.ContainsFunc(d.Passages, func(p core.Passage) bool { return !fits(p.ID) }) {
			return x.writeError(fmt.Errorf("document %s: %w", d.Facts.Document, errPassage))
		}
	}
	x.write.Lock()
	defer x.write.Unlock()

	stemmers := map[string]*stems{}
	for rest := lastOfEach(docs); len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := x.newBatch()
		rest = rest[b.fill(ctx, rest, stemmers):]
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.commit(b); err != nil {
			return err
		}
	}
	return nil
}

// fill puts documents until there are enough, or none is left, or the context ends,
// and tells how many; one at least.
func (b *batch) fill(ctx context.Context, docs []core.IndexedDocument, stemmers map[string]*stems) int {
	t := b.x.pace.begin()
	defer t.end()
	for i, d := range docs {
		if b.windows >= maxBatchWindows || i > 0 && ctx.Err() != nil {
			return i
		}
		t.step()
		st := stemmers[d.Language]
		if st == nil {
			st = newStems(d.Language)
			stemmers[d.Language] = st
		}
		b.put(d, st)
	}
	return len(docs)
}

// lastOfEach keeps the last of several mentions of one document.
func lastOfEach(docs []core.IndexedDocument) []core.IndexedDocument {
	last := make(map[string]int, len(docs))
	for i, d := range docs {
		last[d.Facts.Document] = i
	}
	if len(last) == len(docs) {
		return docs
	}
	keep := slices.Sorted(maps.Values(last))
	out := make([]core.IndexedDocument, len(keep))
	for i, n := range keep {
		out[i] = docs[n]
	}
	return out
}

// SetFacts implements core.Index. It waits for no write of text: losing access
// takes effect at once.
func (x *Index) SetFacts(ctx context.Context, all []core.Facts) error {
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.running.Done()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range all {
		x.facts.setDocument(d)
	}
	return nil
}

// Delete implements core.Index. The documents are out of every search that
// begins after the call began.
func (x *Index) Delete(ctx context.Context, documents []string) error {
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.running.Done()
	x.write.Lock()
	defer x.write.Unlock()
	documents = slices.Compact(slices.Sorted(slices.Values(documents))) // each is counted out once
	b := x.newBatch()
	x.mu.Lock()
	for _, id := range documents {
		for v := range x.facts.documents[id].with() {
			x.facts.unset(v)
		}
	}
	x.mu.Unlock()
	for _, id := range documents {
		b.remove(id)
	}
	return x.commit(b)
}

// batch is one atomic write: old versions out, new ones in.
type batch struct {
	x       *Index
	ops     *bleveindex.Batch
	new     []core.IndexedDocument // without passages
	entries [][]entry
	gone    []string
	windows int
	langs   []string
	seal    seal
}

func (x *Index) newBatch() *batch {
	x.generation++
	b := &batch{x: x, ops: bleveindex.NewBatch(), seal: x.seal}
	b.seal.generation = x.generation
	return b
}

// remove takes all versions of a document out.
func (b *batch) remove(document string) {
	for v := range b.x.facts.documents[document].with() {
		for _, e := range v.entries {
			key := windowKey{passage: e.passage(), generation: v.generation, length: e.length(), number: e.number(), document: document}.encode()
			b.ops.Delete(key)
			b.seal.uncount(key)
		}
	}
	b.gone = append(b.gone, document)
}

// put adds a document's windows and takes its older versions out.
func (b *batch) put(d core.IndexedDocument, st *stems) {
	b.remove(d.Facts.Document)
	var entries []entry
	for _, p := range d.Passages {
		for _, w := range windowsOf(d.Title, p, st) {
			k := windowKey{passage: p.ID, generation: b.x.generation, length: uint16(min(w.size/wordSize, math.MaxUint16)), number: w.number, document: d.Facts.Document}
			b.ops.Update(bleveDocument(k, w))
			b.seal.count(k.encode())
			entries = append(entries, entryOf(k))
		}
	}
	b.windows += len(entries)
	b.new = append(b.new, core.IndexedDocument{Facts: d.Facts})
	b.entries = append(b.entries, entries)
	if d.Language != "" && !slices.Contains(b.langs, d.Language) {
		b.langs = append(b.langs, d.Language)
	}
}

// commit makes a batch durable, and then what becomes of the vectors: those that a
// crash in between leaves without a passage are dropped at the next start.
func (x *Index) commit(b *batch) error {
	vectors, err := x.commitText(b)
	if err != nil {
		return x.writeError(err)
	}
	if err := vectors.Save(); err != nil {
		return x.vectorWork(err)
	}
	return x.vectorWork(x.vectors.Pack())
}

// commitText writes the text. New versions get their facts before their text can
// be found, old ones keep theirs until their text is gone.
func (x *Index) commitText(b *batch) (vectors *vector.Changes, err error) {
	old, fresh := x.announce(b)
	vectors = x.inflight.vectors
	defer faultsPanic()()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed: %v", r)
		}
		x.settle(b, old, fresh, err)
	}()
	if len(b.ops.IndexOps) == 0 && len(b.ops.InternalOps) == 0 {
		return vectors, nil
	}
	b.seal.write(b.ops)
	if err := x.engine.Batch(b.ops); err != nil {
		return nil, err
	}
	if err := x.noteNewest(b.seal.generation); err != nil {
		return nil, err
	}
	return vectors, x.makeTables() // so that the next search need not do it
}

func (x *Index) announce(b *batch) (old map[string][]*version, fresh []*version) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old = make(map[string][]*version, len(b.gone))
	for _, id := range b.gone {
		old[id] = slices.Collect(x.facts.documents[id].with())
	}
	for i, d := range b.new {
		v := x.facts.add(d.Facts.Document, x.generation)
		for _, e := range b.entries[i] {
			x.facts.extend(v, e)
		}
		x.facts.set(v, d.Facts)
		fresh = append(fresh, v)
	}
	if x.learnLanguages(b.langs) {
		b.ops.SetInternal([]byte(languagesKey), []byte(strings.Join(slices.Sorted(maps.Keys(x.languages)), " ")))
	}
	x.inflight = &inflight{generation: x.generation, vectors: x.vectors.Prepare(x.moves(old, fresh))}
	return old, fresh
}

func (x *Index) learnLanguages(langs []string) (changed bool) {
	for _, l := range langs {
		if _, ok := stemmerOf(l); ok && !x.languages[l] {
			x.languages[l] = true
			changed = true
		}
	}
	return changed
}
