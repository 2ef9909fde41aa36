package indextest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

var setA, setB = core.VectorSet{Model: "a", Dimensions: 24}, core.VectorSet{Model: "b", Dimensions: 7}

// cosineError is how far a cosine may be off.
const cosineError = 1e-4

// shelf is what an index with vectors should hold, beside it: documents with
// passages, and the vectors of each set.
type shelf struct {
	index   core.VectorIndex
	docs    map[string]core.IndexedDocument
	vectors map[core.VectorSet]map[core.PassageID][]float32
	last    core.PassageID
}

func newShelf(x core.VectorIndex) *shelf {
	return &shelf{index: x, docs: map[string]core.IndexedDocument{}, vectors: map[core.VectorSet]map[core.PassageID][]float32{setA: {}, setB: {}}}
}

// put replaces documents; vectors of passages that they no longer hold go.
func (s *shelf) put(t *testing.T, docs ...core.IndexedDocument) {
	t.Helper()
	put(t, s.index, docs...)
	for _, d := range docs {
		s.drop(d.Facts.Document, d.Passages)
		s.docs[d.Facts.Document] = d
	}
}

func (s *shelf) drop(document string, but []core.Passage) {
	for _, p := range s.docs[document].Passages {
		if slices.ContainsFunc(but, func(o core.Passage) bool { return o.ID == p.ID }) {
			continue
		}
		for _, set := range s.vectors {
			delete(set, p.ID)
		}
	}
}

func (s *shelf) delete(t *testing.T, ids ...string) {
	t.Helper()
	if err := s.index.Delete(t.Context(), ids); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	for _, id := range ids {
		s.drop(id, nil)
		delete(s.docs, id)
	}
}

func (s *shelf) set(t *testing.T, all ...core.Facts) {
	t.Helper()
	if err := s.index.SetFacts(t.Context(), all); err != nil {
		t.Fatalf("SetFacts: %v", err)
	}
	for _, f := range all {
		if d, ok := s.docs[f.Document]; ok {
			d.Facts = f
			s.docs[f.Document] = d
		}
	}
}

func (s *shelf) embed(t *testing.T, set core.VectorSet, vectors ...core.PassageVector) {
	t.Helper()
	if err := s.index.PutVectors(t.Context(), set, vectors); err != nil {
		t.Fatalf("PutVectors: %v", err)
	}
	for _, v := range vectors {
		if slices.ContainsFunc(s.docs[v.Document].Passages, func(p core.Passage) bool { return p.ID == v.Passage }) {
			s.vectors[set][v.Passage] = v.Vector
		}
	}
}

func (s *shelf) use(t *testing.T, set core.VectorSet, keep ...core.VectorSet) {
	t.Helper()
	if err := s.index.UseVectors(t.Context(), set, keep...); err != nil {
		t.Fatalf("UseVectors: %v", err)
	}
	for have := range s.vectors {
		if have != set && !slices.Contains(keep, have) {
			s.vectors[have] = map[core.PassageID][]float32{}
		}
	}
}

func (s *shelf) checkEmbedded(t *testing.T) {
	t.Helper()
	for set, vectors := range s.vectors {
		got, err := s.index.Embedded(t.Context(), set)
		if err != nil {
			t.Fatalf("Embedded: %v", err)
		}
		if want := slices.Sorted(maps.Keys(vectors)); !slices.Equal(got, want) {
			t.Errorf("Embedded(%s) = %v, want %v", set.Model, got, want)
		}
	}
}

// check compares a search with one through all that the filter allows.
func (s *shelf) check(t *testing.T, set core.VectorSet, q core.HybridQuery) {
	t.Helper()
	hits, err := s.index.Hybrid(t.Context(), q)
	if err != nil {
		t.Fatalf("Hybrid: %v", err)
	}
	want := s.expect(t, set, q)
	if !slices.IsSortedFunc(hits, func(a, b core.HybridHit) int { return cmp.Compare(a.Passage, b.Passage) }) {
		t.Errorf("hits are not in order of their passages")
	}
	for _, h := range hits {
		e, ok := want[h.Passage]
		delete(want, h.Passage)
		if fault := e.fault(h); !ok || fault != "" {
			t.Errorf("filter %+v, %q: hit %+v: expected=%v %s", q.Filter, q.Text, h, ok, fault)
		}
	}
	for id, e := range want {
		if e.must {
			t.Errorf("filter %+v, %q: passage %d is missing: %+v", q.Filter, q.Text, id, e)
		}
	}
}

// expected is a hit that is right to find; one that must be found is among the best
// by more than the error of a cosine.
type expected struct {
	document string
	keyword  float64
	vector   float64
	embedded bool
	must     bool
}

func (e expected) fault(h core.HybridHit) string {
	switch {
	case h.Document != e.document:
		return "is of " + e.document
	case math.Abs(h.Keyword-e.keyword) > 1e-6*(1+e.keyword):
		return fmt.Sprintf("has the keyword score %g", e.keyword)
	case h.Embedded != e.embedded || e.embedded && math.Abs(h.Vector-e.vector) > cosineError:
		return fmt.Sprintf("has the cosine %g, %v", e.vector, e.embedded)
	case h.Score != 0:
		return "has a score"
	case (h.Coverage > 0) != (e.keyword > 0):
		return "has a coverage that its score does not fit"
	}
	return ""
}

// expect takes the keyword scores from the index itself, which has tests of its
// own, and the cosines from all vectors.
func (s *shelf) expect(t *testing.T, set core.VectorSet, q core.HybridQuery) map[core.PassageID]expected {
	t.Helper()
	byWords, all := q.KeywordQuery, q.KeywordQuery
	all.Limit = 10_000
	scores := map[core.PassageID]float64{}
	for _, h := range keyword(t, s.index, all) {
		scores[h.Passage] = h.Score
	}
	out := map[core.PassageID]expected{}
	var cosines []float64
	for _, d := range s.docs {
		for _, p := range d.Passages {
			if !q.Filter.Allows(d.Facts) {
				continue
			}
			e := expected{document: d.Facts.Document, keyword: scores[p.ID]}
			if v := s.vectors[set][p.ID]; v != nil {
				e.vector, e.embedded = cosine(v, q.Vector), true
				cosines = append(cosines, e.vector)
			}
			out[p.ID] = e
		}
	}
	slices.SortFunc(cosines, func(a, b float64) int { return cmp.Compare(b, a) })
	last := math.Inf(-1)
	if len(cosines) >= q.Limit {
		last = cosines[q.Limit-1]
	}
	inWords := map[core.PassageID]bool{}
	for _, h := range keyword(t, s.index, byWords) {
		inWords[h.Passage] = true
	}
	for id, e := range out {
		if !inWords[id] && (!e.embedded || e.vector < last-cosineError) {
			delete(out, id)
			continue
		}
		e.must = inWords[id] || e.vector > last+cosineError
		out[id] = e
	}
	return out
}

func keyword(t *testing.T, x core.Index, q core.KeywordQuery) []core.Hit {
	t.Helper()
	hits, err := x.Keyword(t.Context(), q)
	if err != nil {
		t.Fatalf("Keyword: %v", err)
	}
	return hits
}

func cosine(a, b []float32) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
