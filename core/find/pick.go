package find

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// perDocument is how many passages of a document come before the other
// documents had their turn.
const perDocument = 3

// leastTogether is how many passages are weighed against each other at least by
// what is known of their documents.
const leastTogether = 40

// pick takes hits in their order through the gate and the censors until it has
// enough. What is taken at a time is weighed anew; it stays behind what was taken
// before it.
func (f *Finder) pick(ctx context.Context, filter core.Filter, check *check, hits []core.Hit, w *weighing, limit int) ([]core.Result, error) {
	s := selection{limit: limit, perDocument: map[string]int{}, next: succession{}}
	ceiling := math.Inf(1)
	for len(hits) > 0 && !s.full() {
		n := min(f.together(limit), len(hits))
		visible, err := f.visible(ctx, filter, check, hits[:n])
		if err != nil {
			return nil, err
		}
		if visible, err = check.pass(ctx, visible); err != nil {
			return nil, err
		}
		visible = f.worthy(filter, w, visible)
		f.rerank(ctx, w, visible)
		next, err := f.adjust(ctx, filter, w, visible)
		if err != nil {
			return nil, err
		}
		maps.Copy(s.next, next)
		for i := range visible {
			visible[i].Score = min(visible[i].Score, ceiling)
			s.offer(visible[i])
		}
		if len(visible) > 0 {
			ceiling = visible[len(visible)-1].Score
		}
		hits = hits[n:]
	}
	return s.results(), nil
}

// together is how many hits are weighed against each other.
func (f *Finder) together(limit int) int {
	n := max(2*limit, leastTogether)
	if f.ranker.from != nil {
		n = oversampled(limit)
	}
	return n
}

// worthy leaves out what covers too little of the question, and what a condition on
// metadata or a folder must not find: whose title and metadata may not be said of that
// a search would tell them by and by. Coverage is of words, so that it says nothing of
// what a source's own search found.
func (f *Finder) worthy(filter core.Filter, w *weighing, results []core.Result) []core.Result {
	probes := filter.Where != nil || filter.Under != nil
	if f.minScore <= 0 && !probes {
		return results
	}
	return slices.DeleteFunc(results, func(r core.Result) bool {
		return r.Coverage < f.minScore && !w.live[r.Passage.ID] || probes && !w.query.named(r.Document)
	})
}

// visible asks the gate and gives its results the scores of the hits. What a live
// source found beside the ledger was decided on when it came.
func (f *Finder) visible(ctx context.Context, filter core.Filter, check *check, hits []core.Hit) ([]core.Result, error) {
	var ids []core.PassageID
	for _, h := range hits {
		if h.Passage >= 0 {
			ids = append(ids, h.Passage)
		}
	}
	found, err := f.gate.Visible(ctx, filter, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[core.PassageID]core.Result, len(found))
	for _, r := range found {
		byID[r.Passage.ID] = r
	}
	var out []core.Result
	for _, h := range hits {
		r, ok := byID[h.Passage]
		if h.Passage < 0 {
			r, ok = check.live[h.Passage]
		}
		if ok {
			r.Score, r.Coverage = h.Score, h.Coverage
			out = append(out, r)
		}
	}
	return out, nil
}

// selection collects results under the cap for each document, without repeating
// nearly the same text.
type selection struct {
	limit       int
	chosen      []core.Result
	prints      []simhash
	later       []core.Result // over their document's cap
	perDocument map[string]int
	next        succession // of all that was weighed so far
}

func (s *selection) full() bool { return len(s.chosen) >= s.limit }

func (s *selection) offer(r core.Result) {
	fp := fingerprint(r.Passage.Text)
	for i, other := range s.prints {
		if fp.near(other) {
			s.merge(i, r)
			return
		}
	}
	switch {
	case s.full():
	case s.perDocument[r.Document.ID] >= perDocument:
		s.later = append(s.later, r)
	default:
		s.perDocument[r.Document.ID]++
		s.chosen = append(s.chosen, r)
		s.prints = append(s.prints, fp)
	}
}

// merge keeps one of two passages with nearly the same text, at the rank of the
// better one: that of the successor, else the newer one. An old version may well be
// changed last, by the line that says so.
func (s *selection) merge(i int, r core.Result) {
	old := s.chosen[i]
	successor := s.next[old.Document.ID] == r.Document.ID
	if !successor && (s.next[r.Document.ID] == old.Document.ID || !r.Document.Updated.After(old.Document.Updated)) {
		return
	}
	s.perDocument[old.Document.ID]--
	s.perDocument[r.Document.ID]++
	r.Score = old.Score
	s.chosen[i] = r
}

// results fills what is left with passages over the cap. Since these come after
// all others, their scores are lowered to the last one's.
func (s *selection) results() []core.Result {
	out := s.chosen
	for _, r := range s.later {
		if len(out) >= s.limit {
			break
		}
		if n := len(out); n > 0 {
			r.Score = min(r.Score, out[n-1].Score)
		}
		out = append(out, r)
	}
	return out
}
