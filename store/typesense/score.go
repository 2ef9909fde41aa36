package typesense

import (
	"cmp"
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

// averageWindow is the length in words that a window is taken to have. The embedded
// index measures it; here that would be a question of its own, and length counts little.
const averageWindow = 110

// scored brings the windows of candidates, at most a page of each part, and scores
// them exactly, best first. What the filter does not allow is not among them.
func (s *search) scored(ctx context.Context, parts []condition) ([]core.Hit, error) {
	var questions []question
	for _, some := range parts {
		questions = append(questions, question{
			filter: string(and(s.bounds.allowed, some)), limit: mostHits, fields: "id,passage,document,windows",
		})
	}
	if len(questions) == 0 {
		return nil, nil
	}
	replies, err := s.ask(ctx, s.collection, questions)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, g := range s.groups {
		for _, t := range g.tokens {
			wanted[t] = true
		}
	}
	var out []core.Hit
	for _, r := range replies {
		for _, h := range r.Hits {
			out = append(out, s.score(h.Document, wanted))
		}
	}
	slices.SortFunc(out, func(a, b core.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
	return out, nil
}

// score takes a passage by its best window, and covers with all of them.
func (s *search) score(d found, wanted map[string]bool) core.Hit {
	out := core.Hit{Passage: core.PassageID(d.Passage), Document: d.Document}
	holds := make([]bool, len(s.groups))
	for _, line := range d.Windows {
		words, times := readWindow(line, wanted)
		sum := 0.0
		for i, g := range s.groups {
			best := 0.0
			for _, t := range g.tokens {
				if n := times[t]; n > 0 {
					best = max(best, index.Score(g.score, n, words, averageWindow))
					holds[i] = true
				}
			}
			sum += best
		}
		out.Score = max(out.Score, sum)
	}
	if s.total == 0 {
		return out
	}
	for i, g := range s.groups {
		if holds[i] {
			out.Coverage += g.cover / s.total
		}
	}
	return out
}
