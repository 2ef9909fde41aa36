package find

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Successors tells which documents are there to be read.
type Successors interface {
	// Readable has true for those of the documents that exist, are not hidden and
	// may be read by the filter's access clause.
	Readable(ctx context.Context, f core.Filter, documents []string) (map[string]bool, error)
}

const (
	supersededBy = 0.6   // what a document with a successor keeps of its score
	behind       = 0.999 // of the successor's score, where both were found
)

// succession is which of the found documents have a successor, by id. Only one
// that the readers may read counts: what is closed to them changes nothing.
type succession map[string]string

func (f *Finder) succession(ctx context.Context, filter core.Filter, results []core.Result) (succession, error) {
	claimed, found := succession{}, map[string]bool{}
	var ids []string
	for _, r := range results {
		found[r.Document.ID] = true
		if next := r.Document.Successor(); next != "" {
			claimed[r.Document.ID] = next
			ids = append(ids, next)
		}
	}
	if len(ids) == 0 || f.successors == nil {
		return nil, nil
	}
	readable, err := f.successors.Readable(ctx, filter, ids)
	if err != nil {
		return nil, err
	}
	out := succession{}
	for _, r := range results {
		id := r.Document.ID
		next := claimed[id]
		// Where a source decides at reading time, only what it let through is known
		// to be open; two that name each other say nothing.
		if readable[next] && claimed[next] != id && (found[next] || !f.censored(r.Document.Source)) {
			out[id] = next
		}
	}
	return out, nil
}

func (f *Finder) censored(source string) bool {
	if f.censors == nil {
		return false
	}
	_, ok := f.censors.CensorOf(source)
	return ok
}

func (s succession) factor(document string) float64 {
	if s[document] != "" {
		return supersededBy
	}
	return 1
}

// giveWay puts passages of old versions behind the best one of their successors.
// Results are best first; which ones were moved is told by their places.
func (s succession) giveWay(results []core.Result) (moved []core.PassageID) {
	best := map[string]float64{}
	for _, r := range results {
		if _, ok := best[r.Document.ID]; !ok && len(s) > 0 {
			best[r.Document.ID] = r.Score
		}
	}
	for i, r := range results {
		next := s[r.Document.ID]
		if top, found := best[next]; next != "" && found && r.Score >= top {
			results[i].Score = top * behind
			moved = append(moved, r.Passage.ID)
		}
	}
	return moved
}
