package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/footnote-bot/footnote/core"
)

// The parameters of BM25. Windows are of similar length, so length counts less
// than usual. Raising idf to a power favours the rare words of a question. A
// whole identifier counts half, since its parts count too.
const (
	bm25K1      = 1.6
	bm25B       = 0.4
	idfPower    = 1.25
	identWeight = 0.5
)

// Frequent words order little and cost the most. In an index that is large
// enough to tell, words that stand in more than frequentShare of the windows are
// left out where rarer words are there, and the rest is scored from the rarest on
// until so many postings were read that they make postingShare of the windows.
const (
	largeWindows  = 2000
	frequentShare = 0.15
	postingShare  = 0.5
)

// search is one keyword search in progress.
type search struct {
	*view
	groups []group
	lists  [][][]segment.PostingsList // by group as asked, segment and form; nil where a segment lacks the term
	total  float64                    // coverage weight of all groups
	wanted *wanted                    // passages whose scores are asked for; nil for none
}

// run scores all allowed windows that hold a word of the query and returns the
// best passages.
func (s *search) run(ctx context.Context, acc *accumulator, limit int) ([]core.Hit, error) {
	if err := s.lookUp(); err != nil {
		return nil, err
	}
	s.weigh()
	best := newTop(limit * 4)
	for i := range s.snap.Segments() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.scoreSegment(i, acc, best); err != nil {
			return nil, err
		}
	}
	return s.hits(best.sorted(), limit)
}

// weigh orders the groups by rarity and leaves out those that say nothing, and of a
// pasted text the most frequent. Which ones these are goes by what the readers may know:
// else a long question would tell whether a word stands in what is closed.
func (s *search) weigh() {
	for i := range s.groups {
		g := &s.groups[i]
		g.score = math.Pow(expected(*g, g.df, s.windows), idfPower)
		if g.ident {
			g.score *= identWeight
		}
		g.cover = coverageWeight(*g, expected(*g, g.near, s.near))
		g.gain = g.cover
		if g.similar {
			g.score *= similarWeight
			g.cover = math.Pow(idf(0, float64(s.near+priorWindows)), coveragePower)
			g.gain = similarWeight * g.cover
		}
		s.total += g.cover
	}
	s.groups = slices.DeleteFunc(s.groups, func(g group) bool { return g.near == 0 })
	slices.SortStableFunc(s.groups, func(a, b group) int { return cmp.Compare(a.near, b.near) })
	s.keep(min(len(s.groups), maxGroups))
	slices.SortStableFunc(s.groups, func(a, b group) int { return cmp.Compare(a.df, b.df) })
	if s.windows >= largeWindows {
		s.keep(affordable(s.groups, s.windows))
	}
}

// keep leaves out all but the first groups.
func (s *search) keep(n int) {
	for _, g := range s.groups[n:] {
		s.total -= g.cover // what is not looked for cannot be missed
	}
	s.groups = s.groups[:n]
}

// affordable says how many of the groups, rarest first, are worth scoring. It goes by
// all documents, because reading their postings is what costs: of closed ones it tells
// no more than that a word stands in every seventh window of all that is indexed.
func affordable(groups []group, windows int) int {
	postings := 0
	for i, g := range groups {
		postings += g.df
		frequent := float64(g.df) > frequentShare*float64(windows)
		if i > 0 && (frequent || float64(postings) > postingShare*float64(windows)) {
			return i
		}
	}
	return len(groups)
}

// Coverage gives frequent words almost no weight.
const (
	coveragePower = 1.5
	unseenShort   = 0.3
	unseenGram    = 0.25
)

// idf is BM25's, which is never negative.
func idf(df, n float64) float64 {
	return math.Log(1 + math.Max(0, n-df+0.5)/(df+0.5))
}

// coverageWeight says how much of a question hangs on a word. A word that stands
// in nothing within reach is the rarest of all, unless it looks like the small
// change of a language whose documents are few; of characters that only happen
// to stand side by side, most are no word.
func coverageWeight(g group, rarity float64) float64 {
	w := math.Pow(rarity, coveragePower)
	switch {
	case g.ident:
		return 0 // its parts count
	case g.near == 0 && g.short:
		return w * unseenShort
	case g.near == 0 && g.gram:
		return w * unseenGram
	}
	return w
}

// scoreSegment adds up the scores of one segment's windows, one word after the
// other, and offers them to best.
func (s *search) scoreSegment(i int, acc *accumulator, best *top) error {
	t := s.tables[i]
	acc.reset(len(t.slots))
	for n, g := range s.groups {
		acc.startGroup()
		for _, list := range s.lists[g.at][i] {
			if list == nil {
				continue
			}
			if err := s.scoreList(t, acc, list, n, g.score); err != nil {
				return err
			}
		}
	}
	for _, doc := range acc.touched {
		c := &acc.cells[doc]
		if s.wanted != nil {
			s.wanted.note(t, i, doc, c)
		}
		best.offer(candidate{score: c.score, passage: t.passages[doc], segment: i, window: doc, groups: c.groups})
	}
	return nil
}

func (s *search) scoreList(t *table, acc *accumulator, list segment.PostingsList, n int, weight float64) error {
	it := list.Iterator(true, false, false, nil)
	for {
		p, err := it.Next()
		if err != nil {
			return err
		}
		if p == nil {
			return nil
		}
		doc := uint32(p.Number())
		if !s.allowed.has(t.slots[doc]) {
			continue
		}
		tf := float64(p.Frequency())
		norm := bm25K1 * (1 - bm25B + bm25B*float64(t.lengths[doc])/s.average)
		acc.add(doc, n, weight*tf*(bm25K1+1)/(tf+norm))
	}
}

// hits turns the best windows into passages: the best window of a passage is
// its score, and it covers what its windows cover together.
func (s *search) hits(windows []candidate, limit int) ([]core.Hit, error) {
	var out []core.Hit
	groups := map[core.PassageID]uint64{}
	for _, c := range windows {
		groups[c.passage] |= c.groups
	}
	seen := make(map[core.PassageID]bool, limit)
	for _, c := range windows {
		if seen[c.passage] || len(out) == limit {
			continue
		}
		seen[c.passage] = true
		document, err := s.documentOf(c.segment, c.window)
		if err != nil {
			return nil, err
		}
		out = append(out, core.Hit{Passage: c.passage, Document: document, Score: c.score, Coverage: s.coverage(groups[c.passage])})
	}
	return out, nil
}

// documentOf names the document that a window is of.
func (s *search) documentOf(segment int, window uint32) (string, error) {
	raw, err := s.snap.Segments()[segment].DocID(uint64(window))
	if err != nil {
		return "", err
	}
	_, document, err := decodeKey(raw)
	return string(document), err
}

func (s *search) coverage(groups uint64) float64 {
	if s.total == 0 {
		return 0
	}
	sum := 0.0
	for n, g := range s.groups {
		if groups&(1<<n) != 0 {
			sum += g.gain
		}
	}
	return sum / s.total
}
