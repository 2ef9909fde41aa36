package indextest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// RunVectors checks what core.VectorIndex adds to core.Index. Open and reopen are
// as in Run.
func RunVectors(t *testing.T, open func(t *testing.T) core.VectorIndex, reopen func(t *testing.T, x core.VectorIndex) core.VectorIndex) {
	tests := map[string]func(*testing.T, core.VectorIndex){
		"random documents, vectors, filters and changes": testRandomVectors,
		"vectors that cannot be used":                    testBadVectors,
		"vectors follow their passages":                  testVectorsFollow,
		"access changes at once":                         testVectorAccess,
		"two sets and the switch":                        testSwitch,
		"no words, no vectors":                           testHalves,
		"equal cosines are ordered by passage":           testVectorTies,
		"so many vectors that not all are compared":      testManyVectors,
		"hybrid searches beside writes":                  testConcurrentVectors,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	if reopen != nil {
		t.Run("vectors survive", func(t *testing.T) { testReopenVectors(t, open(t), reopen) })
	}
}

// testRandomVectors compares index and definition between random changes.
func testRandomVectors(t *testing.T, x core.VectorIndex) {
	r := random{rand.New(rand.NewPCG(8, 2026))}
	s := newShelf(x)
	s.use(t, setA, setB)
	for round := range 12 {
		s.change(t, r, round)
		s.checkEmbedded(t)
		for range 40 {
			s.check(t, setA, core.HybridQuery{
				KeywordQuery: core.KeywordQuery{Text: r.words(), Filter: r.filter(), Limit: 1 + r.IntN(30)},
				Vector:       r.vector(setA),
			})
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

// change does one thing or another with some documents.
func (s *shelf) change(t *testing.T, r random, round int) {
	t.Helper()
	var docs []core.IndexedDocument
	var facts []core.Facts
	for _, i := range r.Perm(60)[:20] {
		id := fmt.Sprintf("s/%d", i)
		d := s.document(r, id)
		if old, ok := s.docs[id]; ok && r.IntN(2) == 0 { // part of the passages stays
			d.Passages = append(old.Passages[:1:1], d.Passages...)
		}
		docs, facts = append(docs, d), append(facts, d.Facts)
	}
	switch round % 4 {
	case 0:
		s.put(t, docs...)
	case 1:
		s.set(t, facts...)
	case 2:
		s.delete(t, facts[0].Document, facts[1].Document, facts[2].Document)
		s.put(t, docs[3:6]...)
	}
	for set := range s.vectors {
		var vectors []core.PassageVector
		for _, d := range s.docs {
			for _, p := range d.Passages {
				if r.IntN(3) == 0 {
					vectors = append(vectors, core.PassageVector{Passage: p.ID, Document: d.Facts.Document, Vector: r.vector(set)})
				}
			}
		}
		vectors = append(vectors, core.PassageVector{Passage: s.last + 1000, Document: "s/1", Vector: r.vector(set)})
		s.embed(t, set, vectors...)
	}
}

func testBadVectors(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	s.put(t, Document("s/a", 1, "walrus"), Document("s/b", 2, "walrus"))
	good := []float32{1, 2, 3}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	three := core.VectorSet{Model: "three", Dimensions: 3}
	s.vectors[three] = map[core.PassageID][]float32{}
	s.use(t, three)
	for name, v := range map[string][]float32{"none": nil, "short": {1, 2}, "long": {1, 2, 3, 4}, "zero": {0, 0, 0}, "no number": {1, nan, 1}, "infinite": {inf, 1, 1}, "both infinite": {inf, -inf, 0}} {
		err := x.PutVectors(t.Context(), three, []core.PassageVector{{Passage: 1, Document: "s/a", Vector: good}, {Passage: 2, Document: "s/b", Vector: v}})
		if core.KindOf(err) != core.KindInvalid {
			t.Errorf("%s: PutVectors: %v, want kind invalid", name, err)
		}
		if _, err := x.Hybrid(t.Context(), core.HybridQuery{Vector: v}); core.KindOf(err) != core.KindInvalid {
			t.Errorf("%s: Hybrid: %v, want kind invalid", name, err)
		}
	}
	for _, set := range []core.VectorSet{{}, {Model: "three"}, {Dimensions: 3}, {Model: "three", Dimensions: -1}, {Model: "three", Dimensions: 1 << 30}} {
		if err := x.PutVectors(t.Context(), set, nil); core.KindOf(err) != core.KindInvalid {
			t.Errorf("PutVectors into %+v: %v, want kind invalid", set, err)
		}
	}
	s.checkEmbedded(t)
	tiny, huge := []float32{1e-44, 0, 0}, []float32{math.MaxFloat32, math.MaxFloat32, 0}
	s.embed(t, three, core.PassageVector{Passage: 1, Document: "s/a", Vector: tiny}, core.PassageVector{Passage: 2, Document: "s/b", Vector: huge})
	s.check(t, three, core.HybridQuery{KeywordQuery: core.KeywordQuery{Limit: 5}, Vector: []float32{3, 1, 0}})
}

func testVectorsFollow(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(1, 1))}
	s.use(t, setA)
	doc := Document("s/a", 1, "walrus")
	doc.Passages = append(doc.Passages, core.Passage{ID: 2, Document: "s/a", Ordinal: 1, Text: "narwhal"})
	s.put(t, doc, Document("s/b", 3, "penguin"))
	s.embed(t, setA,
		core.PassageVector{Passage: 1, Document: "s/a", Vector: r.vector(setA)}, core.PassageVector{Passage: 2, Document: "s/a", Vector: r.vector(setA)},
		core.PassageVector{Passage: 3, Document: "s/b", Vector: r.vector(setA)}, core.PassageVector{Passage: 3, Document: "s/b", Vector: r.vector(setA)})
	check := func() {
		t.Helper()
		s.checkEmbedded(t)
		s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "walrus", Limit: 9}, Vector: r.vector(setA)})
	}
	check()
	s.put(t, doc)
	check()
	doc.Passages = doc.Passages[1:]
	s.put(t, doc)
	check()
	s.delete(t, "s/a", "s/never")
	check()
	s.put(t, doc)
	check()
	s.embed(t, setA, core.PassageVector{Passage: 2, Document: "s/b", Vector: r.vector(setA)}) // is of another document
	check()
}

func testVectorAccess(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(2, 2))}
	s.put(t, Document("s/a", 1, "walrus"), Document("s/b", 2, "walrus"))
	s.use(t, setA)
	s.embed(t, setA, core.PassageVector{Passage: 1, Document: "s/a", Vector: r.vector(setA)}, core.PassageVector{Passage: 2, Document: "s/b", Vector: r.vector(setA)})
	closed := s.docs["s/a"].Facts
	closed.Access = core.NewAccess(ann)
	s.set(t, closed)
	for _, f := range []core.Filter{{}, {Principals: []core.Principal{ann}}, {Bypass: true}, {Sources: []string{}}} {
		s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Filter: f, Limit: 9}, Vector: r.vector(setA)})
	}
}

func testSwitch(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(3, 3))}
	s.put(t, Document("s/a", 1, "walrus"), Document("s/b", 2, "narwhal"))
	query := func(set core.VectorSet) core.HybridQuery {
		return core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "walrus", Limit: 9}, Vector: r.vector(set)}
	}
	off := func() {
		t.Helper()
		if _, err := x.Hybrid(t.Context(), query(setA)); core.KindOf(err) != core.KindUnavailable {
			t.Errorf("Hybrid without a set: %v, want kind unavailable", err)
		}
	}
	off()
	s.embed(t, setA, core.PassageVector{Passage: 1, Document: "s/a", Vector: r.vector(setA)})
	off()
	s.use(t, setA)
	s.check(t, setA, query(setA))
	s.embed(t, setB, core.PassageVector{Passage: 1, Document: "s/a", Vector: r.vector(setB)}, core.PassageVector{Passage: 2, Document: "s/b", Vector: r.vector(setB)})
	s.check(t, setA, query(setA))
	s.checkEmbedded(t)
	s.use(t, setB, setA)
	s.check(t, setB, query(setB))
	s.checkEmbedded(t)
	if _, err := x.Hybrid(t.Context(), query(setA)); core.KindOf(err) != core.KindInvalid {
		t.Errorf("Hybrid with a vector of the other set: %v, want kind invalid", err)
	}
	s.use(t, setB)
	s.check(t, setB, query(setB))
	s.checkEmbedded(t)
	s.use(t, setA) // begins anew
	s.check(t, setA, query(setA))
	s.use(t, core.VectorSet{}, setA)
	off()
	s.checkEmbedded(t)
}

// testHalves searches where only one half finds anything.
func testHalves(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(4, 4))}
	s.use(t, setA)
	s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "walrus", Limit: 9}, Vector: r.vector(setA)})
	s.put(t, Document("s/a", 1, "walrus"), Document("s/b", 2, "narwhal"))
	s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "walrus", Limit: 9}, Vector: r.vector(setA)})
	s.embed(t, setA, core.PassageVector{Passage: 2, Document: "s/b", Vector: r.vector(setA)})
	for _, text := range []string{"", "walrus", "zeppelin", "walrus narwhal"} {
		s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: text, Limit: 9}, Vector: r.vector(setA)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Hybrid(ctx, core.HybridQuery{Vector: r.vector(setA)}); core.KindOf(err) != core.KindCancelled {
		t.Errorf("Hybrid: %v, want a cancelled error", err)
	}
}

func testVectorTies(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	s.use(t, setB)
	same := []float32{1, 2, 3, 4, 5, 6, 7}
	for _, id := range []core.PassageID{7, 3, 9, 1, 5} {
		doc := fmt.Sprintf("s/%d", 10-id)
		s.put(t, Document(doc, id, "walrus"))
		s.embed(t, setB, core.PassageVector{Passage: id, Document: doc, Vector: same})
	}
	hits, err := x.Hybrid(t.Context(), core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "zeppelin", Limit: 3}, Vector: same})
	if err != nil || len(hits) != 3 || hits[0].Passage != 1 || hits[1].Passage != 3 || hits[2].Passage != 5 {
		t.Errorf("hits = %+v, %v, want passages 1, 3 and 5", hits, err)
	}
}

func testReopenVectors(t *testing.T, x core.VectorIndex, reopen func(*testing.T, core.VectorIndex) core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(5, 5))}
	s.use(t, setA, setB)
	for round := range 6 {
		s.change(t, r, round)
		s.index = reopen(t, s.index)
		s.checkEmbedded(t)
		for _, d := range s.docs {
			s.set(t, d.Facts)
		}
		for range 10 {
			s.check(t, setA, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: r.words(), Filter: r.filter(), Limit: 5}, Vector: r.vector(setA)})
		}
	}
}
