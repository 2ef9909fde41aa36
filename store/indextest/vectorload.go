package indextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// testManyVectors has documents that are each about one subject, and most of them
// closed to some readers.
func testManyVectors(t *testing.T, x core.VectorIndex) {
	s := newShelf(x)
	r := random{rand.New(rand.NewPCG(6, 6))}
	set := core.VectorSet{Model: "many", Dimensions: 96}
	s.vectors[set] = map[core.PassageID][]float32{}
	near := func(v []float32) []float32 {
		out := make([]float32, len(v))
		for i := range v {
			out[i] = v[i] + float32(0.5*r.NormFloat64())
		}
		return out
	}
	var docs []core.IndexedDocument
	var vectors []core.PassageVector
	var subjects [][]float32
	for n := range 60 {
		d := core.IndexedDocument{Facts: core.Facts{Document: fmt.Sprintf("s/%d", n), Access: core.NewAccess([]core.Principal{ann, bob, eng}[n%3])}}
		subject := make([]float32, set.Dimensions)
		for i := range subject {
			subject[i] = float32(r.NormFloat64())
		}
		subjects = append(subjects, subject)
		for range 60 {
			s.last++
			d.Passages = append(d.Passages, core.Passage{ID: s.last, Document: d.Facts.Document, Text: r.words()})
			vectors = append(vectors, core.PassageVector{Passage: s.last, Document: d.Facts.Document, Vector: near(subject)})
		}
		docs = append(docs, d)
	}
	s.put(t, docs...)
	s.use(t, set)
	s.embed(t, set, vectors...)
	for n := range 3 {
		for _, f := range []core.Filter{{Bypass: true}, {Principals: []core.Principal{ann, eng}}, {Principals: []core.Principal{bob}}} {
			s.check(t, set, core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: "walrus anchor", Filter: f, Limit: 20}, Vector: near(subjects[n])})
		}
	}
}

// testConcurrentVectors replaces a document over and over, of which one passage
// stays. A search must see it wholly before or wholly after a write, and the vector
// of the passage that stays at any time.
func testConcurrentVectors(t *testing.T, x core.VectorIndex) {
	rounds := 12
	if testing.Short() {
		rounds = 5
	}
	even, odd := core.User("even@example.com"), core.User("odd@example.com")
	version := func(n int) core.IndexedDocument {
		d := Document("s/a", 1, "walrus")
		d.Facts.Access = core.NewAccess([]core.Principal{even, odd}[n%2])
		d.Passages = append(d.Passages, core.Passage{ID: core.PassageID(10 + n), Document: "s/a", Text: "walrus again"})
		return d
	}
	put(t, x, version(0))
	same := []float32{1, 1, 1, 1, 1, 1, 1}
	if err := x.UseVectors(t.Context(), setB); err != nil {
		t.Fatal(err)
	}
	if err := x.PutVectors(t.Context(), setB, []core.PassageVector{{Passage: 1, Document: "s/a", Vector: same}}); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for _, text := range []string{"walrus", "zeppelin"} {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for n, p := range []core.Principal{even, odd} {
					hits, err := x.Hybrid(context.Background(), core.HybridQuery{
						KeywordQuery: core.KeywordQuery{Text: text, Filter: core.Filter{Principals: []core.Principal{p}}}, Vector: same})
					if err != nil {
						t.Errorf("Hybrid: %v", err)
						return
					}
					for _, h := range hits {
						if h.Passage == 1 && !h.Embedded || h.Passage != 1 && int(h.Passage)%2 != n {
							t.Errorf("%s sees %+v", p, h)
						}
					}
					if text == "walrus" && len(hits) != 0 && len(hits) != 2 {
						t.Errorf("%d passages of a document of 2", len(hits))
					}
				}
			}
		})
	}
	for n := range rounds {
		d := version(n)
		put(t, x, d)
		if err := x.PutVectors(t.Context(), setB, []core.PassageVector{{Passage: core.PassageID(10 + n), Document: "s/a", Vector: same}}); err != nil {
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}
