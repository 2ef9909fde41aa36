package typesense

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

func listed(hits []hit) []found {
	out := make([]found, len(hits))
	for i, h := range hits {
		out[i] = h.Document
	}
	return out
}

// rest reads on where the caller wants more than a page.
func (s *search) rest(ctx context.Context) error {
	for i := range s.groups {
		g := &s.groups[i]
		if s.limit <= mostHits || g.count <= len(g.listed) {
			continue
		}
		g.listed = nil
		q := s.holding(s.bounds.allowed, *g)
		err := s.askAll(ctx, s.collection, q.filter, q.fields, func(hits []hit) bool {
			g.listed = append(g.listed, listed(hits)...)
			return len(g.listed) < s.limit
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lookUpPairs looks for records that hold two words of which at least one is too
// frequent to be listed: those are better than most that hold one.
func (s *search) lookUpPairs(ctx context.Context) error {
	var questions []question
	var pairs [][2]int
	few := s.groups[:min(len(s.groups), pairedGroups)]
	for b := range few {
		for a := range b {
			if len(few[a].listed) < few[a].count && len(few[b].listed) < few[b].count {
				questions = append(questions, s.holding(s.bounds.allowed, few[a], few[b]))
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	if len(questions) == 0 {
		return nil
	}
	replies, err := s.ask(ctx, s.collection, questions)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		more := listed(replies[i].Hits)
		few[p[0]].listed, few[p[1]].listed = append(few[p[0]].listed, more...), append(few[p[1]].listed, more...)
	}
	return nil
}

// candidates are the records that may be best, as far as the lists tell.
func (s *search) candidates() []condition {
	bound, passage := map[string]float64{}, map[string]int64{}
	for _, g := range s.groups {
		seen := map[string]bool{}
		for _, d := range g.listed {
			if !seen[d.ID] {
				seen[d.ID] = true
				bound[d.ID] += g.score
				passage[d.ID] = d.Passage
			}
		}
	}
	ids := make([]string, 0, len(bound))
	for id := range bound {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(bound[b], bound[a]), cmp.Compare(passage[a], passage[b]), strings.Compare(a, b))
	})
	var parts []condition
	for some := range slices.Chunk(ids[:min(len(ids), max(2*s.limit, leastScored))], mostHits) {
		parts = append(parts, anyOf("id", some))
	}
	return parts
}
