package find

import (
	"math"
	"slices"
	"sort"

	"github.com/footnote-bot/footnote/core"
)

// section is passages of one document that stand together. Its center is the best
// of them; it is what a citation points at.
type section struct {
	rank     int
	center   core.Result
	passages []core.Passage // by ordinal, the center included; never empty
	extent   extent
	verdict  string // of the selection
}

// extent is how far a section is read.
type extent int

const (
	alone      extent = iota // the section itself
	neighbours               // a few passages on both sides
	whole                    // the document, as far as there is room
)

func (e extent) String() string { return [...]string{"section", "neighbours", "document"}[e] }

// sectionsOf merges results whose passages follow each other in one document. A
// section stands where its best passage stood. What is not in the ledger has no
// place in a document and stays alone.
func sectionsOf(results []core.Result) []*section {
	var out []*section
	for i, r := range results {
		s := &section{rank: i, center: r, passages: []core.Passage{r.Passage}}
		out = append(unite(out, &s), s)
	}
	slices.SortFunc(out, func(a, b *section) int { return a.rank - b.rank })
	return out
}

// unite takes the sections out of the list that adjoin the given one, which grows
// by them; the best of all is the center.
func unite(list []*section, into **section) []*section {
	for i := 0; i < len(list); {
		other, s := list[i], *into
		if !other.adjoins(s) {
			i++
			continue
		}
		if other.rank < s.rank {
			other, s = s, other
		}
		s.take(other.passages)
		s.center.Censored = s.center.Censored || other.center.Censored
		*into = s
		list = slices.Delete(list, i, i+1)
		i = 0 // it has grown
	}
	return list
}

// adjoins tells whether two sections of one document touch or overlap.
func (s *section) adjoins(o *section) bool {
	return s.center.Document.ID == o.center.Document.ID && s.center.Passage.ID > 0 && o.center.Passage.ID > 0 &&
		s.first() <= o.last()+1 && o.first() <= s.last()+1
}

func (s *section) first() int { return s.passages[0].Ordinal }
func (s *section) last() int  { return s.passages[len(s.passages)-1].Ordinal }

func (s *section) has(ordinal int) bool {
	return slices.ContainsFunc(s.passages, func(p core.Passage) bool { return p.Ordinal == ordinal })
}

// take adds passages that it does not have.
func (s *section) take(passages []core.Passage) {
	for _, p := range passages {
		if !s.has(p.Ordinal) {
			s.passages = append(s.passages, p)
		}
	}
	sort.Slice(s.passages, func(i, j int) bool { return s.passages[i].Ordinal < s.passages[j].Ordinal })
}

// around are the passages shown of a section where not all are: its center and as
// many on both sides as can be had.
func (s *section) around(most int) []core.Passage {
	at := slices.IndexFunc(s.passages, func(p core.Passage) bool { return p.Ordinal == s.center.Passage.Ordinal })
	from := min(max(0, at-most/2), max(0, len(s.passages)-most))
	return s.passages[from:min(len(s.passages), from+most)]
}

// result is the section as it is given to the answering model.
func (s *section) result() core.Result {
	r := s.center
	if len(s.passages) > 1 {
		r.Section = slices.Clone(s.passages)
	}
	return r
}

// sourceShare is how much of a result one source may take before the others had
// their turn.
const sourceShare = 0.6

// balance puts sections of a source behind the others where it has more than its
// share of the first ones.
func balance(sections []*section, limit int) []*section {
	most := max(1, int(math.Ceil(sourceShare*float64(limit))))
	count := map[string]int{}
	var first, later []*section
	for _, s := range sections {
		source := s.center.Document.Source
		if len(first) < limit && count[source] >= most {
			later = append(later, s)
			continue
		}
		count[source]++
		first = append(first, s)
	}
	head := first[:min(limit, len(first))]
	out := append(slices.Clone(head), later...)
	return append(out, first[len(head):]...)
}
