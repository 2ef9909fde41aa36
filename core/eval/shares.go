package eval

import (
	"context"
	"math"

	"github.com/footnote-bot/footnote/core"
)

// Mixing is an Engine that ranks by words and by vectors.
type Mixing interface {
	// Mixes tells whether it has vectors, and how much words count beside them.
	Mixes() (share float64, is bool)
	// SearchAt is Search with another share of words.
	SearchAt(ctx context.Context, share float64, query string, f core.Filter, k int) ([]string, error)
}

// ByShare is the quality where words count with a share beside vectors.
type ByShare struct {
	KeywordShare float64 `json:"keyword_share"`
	NDCG10       float64 `json:"ndcg_at_10"`
	Recall       float64 `json:"recall_at_100"`
}

// Shares are what was measured with several of them.
type Shares struct {
	Used     float64   `json:"used"` // that the rest of the report was measured with
	Tried    []ByShare `json:"tried"`
	Queries  int       `json:"queries"`
	Proposed float64   `json:"proposed"`
}

const (
	// triedQueries bounds how many queries are asked with every share.
	triedQueries = 400
	// worthwhile is how much better than the one in use a share has to be: less is
	// chance in a set of a few hundred questions.
	worthwhile = 0.005
)

// tried are the shares; the last is as good as none.
var tried = []float64{1, 0.9, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.15, 0.001}

func measureShares(ctx context.Context, set Set, engine Engine) (*Shares, error) {
	m, ok := engine.(Mixing)
	if !ok {
		return nil, nil
	}
	used, mixes := m.Mixes()
	if !mixes {
		return nil, nil
	}
	out := &Shares{Used: used}
	queries := sample(set.judged(), triedQueries)
	out.Queries = len(queries)
	everyone := set.everyone()
	for _, share := range tried {
		var q Quality
		for _, one := range queries {
			ranking, err := m.SearchAt(ctx, share, one.Text, core.Filter{Principals: everyone}, depth)
			if err != nil {
				return nil, err
			}
			q.count(ranking, set.Relevant[one.ID])
		}
		q.finish()
		out.Tried = append(out.Tried, ByShare{share, q.NDCG10, q.Recall})
	}
	out.Proposed = propose(out.Tried, used)
	return out, nil
}

// propose takes the best share, or stays with the one in use where that is hardly
// worse. Of equally good ones it takes the one that is nearest to it.
func propose(tried []ByShare, used float64) float64 {
	best, now := tried[0], math.Inf(-1)
	for _, t := range tried {
		if t.NDCG10 > best.NDCG10 || t.NDCG10 == best.NDCG10 && math.Abs(t.KeywordShare-used) < math.Abs(best.KeywordShare-used) {
			best = t
		}
		if t.KeywordShare == used {
			now = t.NDCG10
		}
	}
	if best.NDCG10 < now+worthwhile {
		return used
	}
	return best.KeywordShare
}

// judged are the queries that have a judged document.
func (s Set) judged() []Query {
	var out []Query
	for _, q := range s.Queries {
		if len(s.Relevant[q.ID]) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// sample takes at most n, spread evenly.
func sample(queries []Query, n int) []Query {
	if len(queries) <= n {
		return queries
	}
	out := make([]Query, n)
	for i := range out {
		out[i] = queries[i*len(queries)/n]
	}
	return out
}
