package find

import (
	"cmp"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// rrfK damps the difference between the first ranks.
const rrfK = 50

// List is the ranking of one query by one searcher: keywords, vectors or a live
// source. Scores of different lists cannot be compared, ranks can.
type List struct {
	Weight float64
	Hits   []core.Hit // best first

	parts []core.HybridHit // what the scores were made of, where words and vectors both count
}

// Fuse merges rankings by weighted reciprocal rank. A single ranking keeps its
// own scores. Equal scores are ordered by passage id.
func Fuse(lists []List) []core.Hit {
	if len(lists) == 1 {
		return lists[0].Hits
	}
	var out []core.Hit
	at := map[core.PassageID]int{}
	for _, l := range lists {
		for rank, h := range l.Hits {
			i, ok := at[h.Passage]
			if !ok {
				i = len(out)
				at[h.Passage] = i
				out = append(out, core.Hit{Passage: h.Passage, Document: h.Document})
			}
			out[i].Score += l.Weight / float64(rrfK+rank+1)
			out[i].Coverage = max(out[i].Coverage, h.Coverage)
		}
	}
	slices.SortFunc(out, func(a, b core.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
	return out
}
