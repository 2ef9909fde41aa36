package eval

import (
	"math"
	"slices"
	"sort"
)

// Scored is how one query of a set went.
type Scored struct {
	ID     string  `json:"id"`
	Query  string  `json:"query"`
	NDCG10 float64 `json:"ndcg_at_10"`
	Rank   int     `json:"rank"`            // of the first relevant document among the first 100; 0 if none is
	First  string  `json:"first,omitempty"` // id of the document that came first
}

func scored(q Query, ranking []string, relevant map[string]int) Scored {
	s := Scored{ID: q.ID, Query: q.Text, NDCG10: NDCG(ranking, relevant, 10)}
	s.Rank = 1 + slices.IndexFunc(ranking, func(id string) bool { return relevant[id] > 0 })
	if len(ranking) > 0 {
		s.First = ranking[0]
	}
	return s
}

// Difference is a query that went otherwise in the second of two runs.
type Difference struct {
	ID     string  `json:"id"`
	Query  string  `json:"query"`
	Gain   float64 `json:"gain"` // of nDCG@10
	Before Scored  `json:"before"`
	Now    Scored  `json:"now"`
}

// SideBySide is two runs over the same set.
type SideBySide struct {
	Compared    int          `json:"compared"`
	Better      int          `json:"better"`
	Worse       int          `json:"worse"`
	Gain        float64      `json:"gain"` // of nDCG@10, over all compared queries
	Error       float64      `json:"standard_error"`
	Differences []Difference `json:"differences"` // the largest first
}

// Beside compares two runs query by query. Queries that only one of them has are left
// out. A gain of less than two standard errors may be chance.
func Beside(before, now Report) SideBySide {
	s, earlier := SideBySide{Differences: []Difference{}}, map[string]Scored{}
	for _, one := range before.Each {
		earlier[one.ID] = one
	}
	sum, squares := 0.0, 0.0
	for _, one := range now.Each {
		was, ok := earlier[one.ID]
		if !ok {
			continue
		}
		s.Compared++
		gain := one.NDCG10 - was.NDCG10
		sum, squares = sum+gain, squares+gain*gain
		switch {
		case gain > 0:
			s.Better++
		case gain < 0:
			s.Worse++
		}
		if gain != 0 || one.Rank != was.Rank {
			s.Differences = append(s.Differences, Difference{one.ID, one.Query, gain, was, one})
		}
	}
	n := float64(max(1, s.Compared))
	s.Gain = sum / n
	s.Error = math.Sqrt(max(0, squares/n-s.Gain*s.Gain) / n)
	sort.SliceStable(s.Differences, func(i, j int) bool {
		return math.Abs(s.Differences[i].Gain) > math.Abs(s.Differences[j].Gain)
	})
	return s
}
