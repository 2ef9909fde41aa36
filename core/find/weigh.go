package find

import (
	"cmp"
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Curation is what curators think of documents.
type Curation interface {
	// Standing has an entry for those of the documents that anybody voted on.
	Standing(ctx context.Context, documents []string) (map[string]core.Standing, error)
}

// adjust multiplies the scores of results, best first, by what is known of their
// documents, and puts them in their new order. Equal scores keep the one they had.
// It also tells which of the documents have a successor.
func (f *Finder) adjust(ctx context.Context, filter core.Filter, w *weighing, results []core.Result) (succession, error) {
	standing, err := f.standing(ctx, results)
	if err != nil {
		return nil, err
	}
	next, err := f.succession(ctx, filter, results)
	if err != nil {
		return nil, err
	}
	now := f.now()
	exact := make([]bool, len(results))
	hits := 0
	for i, r := range results {
		if exact[i] = len(w.names) > 0 && holds(r, w.names); exact[i] {
			hits++
		}
	}
	for i, r := range results {
		by := Factors{
			Recency: recency(r.Document.Updated, now), Votes: liking(standing[r.Document.ID]), Name: 1,
			Superseded: next.factor(r.Document.ID),
		}
		// A name that most candidates hold tells nothing about one of them.
		if exact[i] && 2*hits <= len(results) {
			by.Name = exactHit
		}
		if relevance, ok := w.relevance.of[r.Passage.ID]; ok {
			by.Reranked, by.Relevance = i+1, relevance
		}
		results[i].Score *= by.product()
		w.note(r.Passage.ID, by)
	}
	best := func(a, b core.Result) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(results, best)
	for _, id := range next.giveWay(results) {
		w.limited(id)
	}
	slices.SortStableFunc(results, best)
	return next, nil
}

func (f *Finder) standing(ctx context.Context, results []core.Result) (map[string]core.Standing, error) {
	if f.curation == nil {
		return nil, nil
	}
	var documents []string
	for _, r := range results {
		if r.Passage.ID > 0 {
			documents = append(documents, r.Document.ID)
		}
	}
	return f.curation.Standing(ctx, documents)
}
