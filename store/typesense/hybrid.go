package typesense

import (
	"cmp"
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// exactBelow is how many records a filter may pass for all of their vectors to be
// compared; above it Typesense walks its graph.
const exactBelow = 10000

// Hybrid implements core.VectorIndex: what is best by words and what is best by vector,
// then both scores of all of them by a request of its own.
func (x *Index) Hybrid(ctx context.Context, q core.HybridQuery) ([]core.HybridHit, error) {
	end, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	x.turn.RLock()
	defer x.turn.RUnlock()
	at, err := x.now()
	if err != nil {
		return nil, err
	}
	set, ok := at.searched.used()
	if !ok {
		return nil, core.Errorf(core.KindUnavailable, "The search index has no vectors in use yet.")
	}
	if err := checkVector(set.VectorSet, q.Vector); err != nil {
		return nil, err
	}
	s, err := x.search(ctx, at, q.KeywordQuery)
	if err != nil || s.bounds.allowed == none {
		return nil, err
	}
	n := nearest{search: s, set: set, vector: numbersOf(q.Vector)}
	return n.hybrid(ctx)
}

// nearest is a search by vector beside one by words.
type nearest struct {
	*search
	set    vectorSet
	vector string
}

func (n nearest) hybrid(ctx context.Context) ([]core.HybridHit, error) {
	byWords, err := n.run(ctx)
	if err != nil {
		return nil, err
	}
	byVector, err := n.best(ctx)
	if err != nil {
		return nil, err
	}
	var passages []string
	for _, h := range byWords {
		passages = append(passages, decimal(int64(h.Passage)))
	}
	for _, d := range byVector {
		passages = append(passages, decimal(d.Passage))
	}
	return n.both(ctx, sortedOnce(passages))
}

// best finds the nearest records, a page at a time. More are asked for than wanted,
// so that of equally near ones those with the first passages are among them.
func (n nearest) best(ctx context.Context) ([]found, error) {
	var out []found
	for page := 1; len(out) < n.limit; page++ {
		replies, err := n.ask(ctx, n.collection, []question{{
			filter: string(n.bounds.allowed), limit: min(n.limit, mostHits), page: page, fields: "id,passage", sort: "_vector_distance:asc,passage:asc",
			nearest: n.set.vector() + ":(" + n.vector + ", k:" + decimal(int64(2*n.limit+mostHits)) + ", flat_search_cutoff:" + decimal(exactBelow) + ")",
		}})
		if err != nil {
			return nil, err
		}
		out = append(out, listed(replies[0].Hits)...)
		if len(replies[0].Hits) < min(n.limit, mostHits) {
			break
		}
	}
	return out[:min(len(out), n.limit)], nil
}

// both scores passages by words and by vector.
func (n nearest) both(ctx context.Context, passages []string) ([]core.HybridHit, error) {
	var questions []question
	var among []condition
	for some := range slices.Chunk(passages, mostHits) {
		among = append(among, anyOf("passage", some))
		questions = append(questions, question{
			filter: string(and(n.bounds.allowed, anyOf("passage", some))), limit: mostHits, fields: "id,passage",
			nearest: n.set.vector() + ":(" + n.vector + ", k:" + decimal(mostHits) + ", flat_search_cutoff:" + decimal(exactBelow) + ")",
		})
	}
	replies, err := n.ask(ctx, n.collection, questions)
	if err != nil {
		return nil, err
	}
	cosine := map[core.PassageID]float64{}
	for _, r := range replies {
		for _, h := range r.Hits {
			if h.Distance != nil {
				cosine[core.PassageID(h.Document.Passage)] = 1 - *h.Distance
			}
		}
	}
	scored, err := n.scored(ctx, among)
	if err != nil {
		return nil, err
	}
	var out []core.HybridHit
	for _, h := range scored {
		v, embedded := cosine[h.Passage]
		keyword := h.Score
		h.Score = 0
		out = append(out, core.HybridHit{Hit: h, Keyword: keyword, Vector: v, Embedded: embedded})
	}
	slices.SortFunc(out, func(a, b core.HybridHit) int { return cmp.Compare(a.Passage, b.Passage) })
	return out, nil
}
