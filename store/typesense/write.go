package typesense

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

const (
	importRecords = 500     // of one request
	importBytes   = 4 << 20 // of one request; a record may be larger
	namedAtOnce   = 100     // keys in the address of a request
)

// Put implements core.Index. The new records are sent first and seen by nobody; then
// searches wait while they take the place of the old ones. What breaks off before
// that leaves the old ones, and its remains go with the next Put of the document.
func (x *Index) Put(ctx context.Context, docs []core.IndexedDocument) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return err
	}
	docs = lastOfEach(docs)
	for len(docs) > 0 {
		n := min(len(docs), namedAtOnce)
		if err := x.replace(ctx, at, docs[:n]); err != nil {
			return err
		}
		docs = docs[n:]
	}
	return nil
}

// lastOfEach keeps the last of several mentions of one document.
func lastOfEach(docs []core.IndexedDocument) []core.IndexedDocument {
	seen := map[string]bool{}
	var out []core.IndexedDocument
	for _, d := range slices.Backward(docs) {
		if !seen[d.Facts.Document] {
			seen[d.Facts.Document] = true
			out = append(out, d)
		}
	}
	slices.Reverse(out)
	return out
}

func (x *Index) replace(ctx context.Context, at place, docs []core.IndexedDocument) error {
	generation := key(rand.Text())
	var names []string
	for _, d := range docs {
		names = append(names, key(d.Facts.Document))
	}
	vectors, err := x.carried(ctx, at, names)
	if err != nil {
		return err
	}
	var lines [][]byte
	var ids []string
	for _, d := range docs {
		for _, r := range recordsOf(d, generation) {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			line = append(line[:len(line)-1], vectors[decimal(r.Passage)+" "+r.Sum]+"}"...)
			lines, ids = append(lines, line), append(ids, r.ID)
		}
		x.learn(d.Language)
	}
	if err := x.send(ctx, at.write, "upsert", lines); err != nil {
		return err
	}
	live := make([][]byte, len(ids))
	for i, id := range ids {
		live[i] = []byte(`{"id":"` + id + `","live":true}`)
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	old := string(and(anyOf("doc", names), condition("generation:!="+generation)))
	if err := x.erase(ctx, at.write, old); err != nil {
		return err
	}
	return x.send(ctx, at.write, "update", live)
}

func (x *Index) learn(language string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if language != "" {
		x.languages[language] = true
	}
}

// Delete implements core.Index.
func (x *Index) Delete(ctx context.Context, documents []string) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return err
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	for names := range slices.Chunk(keysOf(documents), namedAtOnce) {
		for _, collection := range at.both() {
			if err := x.erase(ctx, collection, string(anyOf("doc", names))); err != nil {
				return err
			}
		}
	}
	return nil
}

// both are the collections in which what is gone, or closed, must not stay.
func (p place) both() []string {
	if p.read == p.write {
		return []string{p.write}
	}
	return []string{p.write, p.read}
}

// SetFacts implements core.Index. Only the facts are sent. The documents' records are
// looked up first, because a filter that updates would need a request for each document.
func (x *Index) SetFacts(ctx context.Context, list []core.Facts) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil {
		return err
	}
	byDoc := map[string]core.Facts{}
	for _, d := range list {
		byDoc[key(d.Document)] = d
	}
	names := make([]string, 0, len(byDoc))
	for n := range byDoc {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, collection := range at.both() {
		for some := range slices.Chunk(names, namedAtOnce) {
			if err := x.setFacts(ctx, collection, some, byDoc); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) setFacts(ctx context.Context, collection string, names []string, byDoc map[string]core.Facts) error {
	var lines [][]byte
	err := x.askAll(ctx, collection, string(and(anyOf("doc", names), "live:=true")), "id,doc,passage", func(hits []hit) bool {
		for _, h := range hits {
			line, err := json.Marshal(facts{h.Document.ID, factsOf(byDoc[h.Document.Doc])})
			if err == nil { // which it always is
				lines = append(lines, line)
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	return x.send(ctx, collection, "update", lines)
}
