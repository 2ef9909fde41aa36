package index

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"

	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// A word that no document within reach holds is replaced by terms that it may be a
// slip of or that begin with it: a typing error, the first part of a compound.
const (
	similarWeight  = 0.5  // of what the word itself would count
	similarForms   = 5    // at most so many terms
	similarLetters = 5    // shorter words resemble too much
	samePrefix     = 2    // letters that a slip leaves alone
	maxSimilar     = 200  // terms that are compared
	maxLookedAt    = 1000 // terms that are looked at, also those out of reach
)

// lookUp finds the posting lists of all forms and how frequent each group is.
func (s *search) lookUp() error {
	var dicts []segment.TermDictionary
	for _, seg := range s.snap.Segments() {
		d, err := seg.Segment().Dictionary(bodyField)
		if err != nil {
			return err
		}
		dicts = append(dicts, d)
	}
	s.lists = make([][][]segment.PostingsList, len(s.groups))
	for i := range s.groups {
		g := &s.groups[i]
		g.at = i
		if err := s.lookUpGroup(dicts, g); err != nil {
			return err
		}
		if g.near > 0 || !g.mayResemble() {
			continue
		}
		forms, err := s.similar(dicts, g.forms[0])
		if err != nil {
			return err
		}
		if len(forms) > 0 {
			g.forms, g.similar = forms, true
			if err := s.lookUpGroup(dicts, g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) lookUpGroup(dicts []segment.TermDictionary, g *group) error {
	lists := make([][]segment.PostingsList, len(dicts))
	all, near := make([]int, len(g.forms)), make([]int, len(g.forms))
	for d, dict := range dicts {
		lists[d] = make([]segment.PostingsList, len(g.forms))
		for f, form := range g.forms {
			list, err := dict.PostingsList([]byte(form), s.snap.Segments()[d].Deleted(), nil)
			if err != nil {
				return err
			}
			if n := int(list.Count()); n > 0 {
				lists[d][f] = list
				all[f] += n
				near[f] += s.count(list, d)
			}
		}
	}
	s.lists[g.at] = lists
	g.df, g.near = slices.Max(all), slices.Max(near)
	return nil
}

// mayResemble tells words of letters that are long enough for a guess.
func (g group) mayResemble() bool {
	word := g.forms[0]
	if g.ident || g.gram || utf8.RuneCountInString(word) < similarLetters {
		return false
	}
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// similar gives the terms within reach that begin with a word or differ from it by
// one letter after its beginning, the most frequent first.
func (s *search) similar(dicts []segment.TermDictionary, word string) ([]string, error) {
	prefixed, err := s.snap.FieldDictPrefix(bodyField, []byte(word))
	if err != nil {
		return nil, err
	}
	found, err := s.collect(dicts, prefixed)
	if err != nil {
		return nil, err
	}
	slips, err := s.snap.FieldDictFuzzy(bodyField, word, 1, prefixOf(word, samePrefix))
	if err != nil {
		return nil, err
	}
	more, err := s.collect(dicts, slips)
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	slices.SortFunc(found, func(a, b resembling) int {
		return cmp.Or(cmp.Compare(b.windows, a.windows), cmp.Compare(a.term, b.term))
	})
	var forms []string
	for _, r := range found {
		if len(forms) < similarForms && !slices.Contains(forms, r.term) {
			forms = append(forms, r.term)
		}
	}
	return forms, nil
}

// resembling is a term that may stand for a word.
type resembling struct {
	term    string
	windows int // within reach
}

func (s *search) collect(dicts []segment.TermDictionary, terms bleveindex.FieldDict) (out []resembling, err error) {
	defer func() { err = errors.Join(err, terms.Close()) }()
	for range maxLookedAt {
		e, err := terms.Next()
		if errors.Is(err, io.EOF) || err == nil && e == nil || len(out) == maxSimilar {
			break
		}
		if err != nil {
			return out, err
		}
		r := resembling{term: e.Term}
		for d, dict := range dicts {
			list, err := dict.PostingsList([]byte(e.Term), s.snap.Segments()[d].Deleted(), nil)
			if err != nil {
				return out, err
			}
			r.windows += s.count(list, d)
		}
		if r.windows > 0 {
			out = append(out, r)
		}
	}
	return out, nil
}

func prefixOf(s string, runes int) string {
	for i := range s {
		if runes == 0 {
			return s[:i]
		}
		runes--
	}
	return s
}
