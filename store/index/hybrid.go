package index

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

// Hybrid implements core.VectorIndex. Text, facts and vectors are of one moment.
func (x *Index) Hybrid(ctx context.Context, q core.HybridQuery) (hits []core.HybridHit, err error) {
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	defer x.running.Done()
	defer x.pace.ask()()
	defer faultsPanic()()
	defer func() {
		if r := recover(); r != nil {
			hits, err = nil, x.markPanicked(r)
		}
	}()
	v, err := x.look(q.Filter, true)
	if err != nil {
		return nil, x.readError(err)
	}
	defer func() { err = v.close(err) }()
	if v.vectors == nil {
		return nil, core.Errorf(core.KindUnavailable, "The search index has no vectors in use. Set up embeddings in footnote.yaml to search by meaning.")
	}
	unit, err := unitOf(v.set, q.Vector)
	if err != nil {
		return nil, core.Errorf(core.KindInvalid, "The vector of the query cannot be used: %w", err)
	}
	hits, err = x.hybrid(ctx, v, q, unit)
	switch {
	case errors.Is(err, vector.ErrDamaged):
		return nil, x.vectorsDamaged(v.set, err)
	case err != nil:
		return nil, x.readError(err)
	}
	return hits, nil
}

func (x *Index) hybrid(ctx context.Context, v *view, q core.HybridQuery, unit []float32) ([]core.HybridHit, error) {
	limit := limitOf(q.Limit)
	matches, err := v.vectors.Search(ctx, unit, vector.Mask(v.allowed), limit)
	if err != nil {
		return nil, err
	}
	s := x.newSearch(v, q.Text)
	s.wanted = newWanted(matches, len(v.allowed))
	acc := x.scratch.Get().(*accumulator)
	defer x.scratch.Put(acc)
	byWords, err := s.run(ctx, acc, limit)
	if err != nil {
		return nil, err
	}
	if err := s.wanted.locate(v); err != nil {
		return nil, err
	}
	var rest []core.PassageID // found by words only
	for _, h := range byWords {
		if s.wanted.found[h.Passage] == nil {
			rest = append(rest, h.Passage)
		}
	}
	cosines, err := v.vectors.Cosines(ctx, unit, rest)
	if err != nil {
		return nil, err
	}
	return s.merge(byWords, cosines)
}

// merge makes one list of what was found by words and what was found by vector.
func (s *search) merge(byWords []core.Hit, cosines map[core.PassageID]float64) ([]core.HybridHit, error) {
	out := make([]core.HybridHit, 0, len(byWords)+len(s.wanted.found))
	for _, h := range byWords {
		hit := core.HybridHit{Hit: h, Keyword: h.Score}
		hit.Score = 0
		if w := s.wanted.found[h.Passage]; w != nil {
			hit.Vector, hit.Embedded = w.cosine, true
			delete(s.wanted.found, h.Passage)
		} else {
			hit.Vector, hit.Embedded = cosines[h.Passage]
		}
		out = append(out, hit)
	}
	for passage, w := range s.wanted.found {
		if !w.there {
			continue
		}
		document, err := s.documentOf(w.segment, w.window)
		if err != nil {
			return nil, err
		}
		out = append(out, core.HybridHit{
			Hit:     core.Hit{Passage: passage, Document: document, Coverage: s.coverage(w.groups)},
			Keyword: w.score, Vector: w.cosine, Embedded: true,
		})
	}
	slices.SortFunc(out, func(a, b core.HybridHit) int { return cmp.Compare(a.Passage, b.Passage) })
	return out, nil
}

// wanted is the passages that were found by vector, to be scored by words too.
type wanted struct {
	owners slots
	found  map[core.PassageID]*scored
}

// scored is what the words of a passage give: the score of its best window.
type scored struct {
	cosine  float64
	score   float64
	groups  uint64
	there   bool // one of its windows is known
	segment int
	window  uint32
}

func newWanted(matches []vector.Match, size int) *wanted {
	w := &wanted{owners: make(slots, size), found: make(map[core.PassageID]*scored, len(matches))}
	for _, m := range matches {
		w.owners.add(m.Owner)
		w.found[m.Passage] = &scored{cosine: m.Cosine}
	}
	return w
}

// note takes in a window that holds words of the query.
func (w *wanted) note(t *table, segment int, window uint32, c *cell) {
	if !w.owners.has(t.slots[window]) {
		return
	}
	s := w.found[t.passages[window]]
	if s == nil {
		return
	}
	s.groups |= c.groups
	if !s.there || c.score > s.score {
		s.there, s.score, s.segment, s.window = true, c.score, segment, window
	}
}

// locate finds a window of each passage that holds no word of the query.
func (w *wanted) locate(v *view) error {
	missing := 0
	for _, s := range w.found {
		if !s.there {
			missing++
		}
	}
	for i, t := range v.tables {
		deleted := v.snap.Segments()[i].Deleted()
		for n, slot := range t.slots {
			if missing == 0 {
				return nil
			}
			if !w.owners.has(slot) {
				continue
			}
			s := w.found[t.passages[n]]
			if s == nil || s.there || deleted != nil && deleted.Contains(uint32(n)) {
				continue
			}
			s.there, s.segment, s.window = true, i, uint32(n)
			missing--
		}
	}
	if missing > 0 {
		return core.Errorf(core.KindInternal, "The vectors name %d passages that the text lacks.", missing)
	}
	return nil
}
