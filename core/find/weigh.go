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
func (f *Finder) adjust(ctx context.Context, results []core.Result, names []string) error {
	standing, err := f.standing(ctx, results)
	if err != nil {
		return err
	}
	now := f.now()
	exact := make([]bool, len(results))
	hits := 0
	for i, r := range results {
		if exact[i] = len(names) > 0 && holds(r, names); exact[i] {
			hits++
		}
	}
	for i := range results {
		factor := recency(results[i].Document.Updated, now) * liking(standing[results[i].Document.ID])
		// A name that most candidates hold tells nothing about one of them.
		if exact[i] && 2*hits <= len(results) {
			factor *= exactHit
		}
		results[i].Score *= factor
	}
	slices.SortStableFunc(results, func(a, b core.Result) int { return cmp.Compare(b.Score, a.Score) })
	return nil
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
