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

// A word that the index has never seen is replaced by terms that it may be a
// slip of or that begin with it: a typing error, the first part of a compound.
const (
	similarWeight  = 0.5 // of what the word itself would count
	similarForms   = 5   // at most so many terms
	similarLetters = 5   // shorter words resemble too much
	samePrefix     = 2   // letters that a slip leaves alone
	maxLookedAt    = 200 // terms that begin with the word
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
		if g.df > 0 || !g.mayResemble() {
			continue
		}
		forms, err := s.similar(g.forms[0])
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
	counts := make([]int, len(g.forms))
	for d, dict := range dicts {
		lists[d] = make([]segment.PostingsList, len(g.forms))
		for f, form := range g.forms {
			list, err := dict.PostingsList([]byte(form), s.snap.Segments()[d].Deleted(), nil)
			if err != nil {
				return err
			}
			if n := list.Count(); n > 0 {
				lists[d][f] = list
				counts[f] += int(n)
			}
		}
	}
	s.lists[g.at] = lists
	g.df = slices.Max(counts)
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

// similar gives the terms that begin with a word or differ from it by one letter
// after its beginning, the most frequent first.
func (s *search) similar(word string) ([]string, error) {
	var found []bleveindex.DictEntry
	prefixed, err := s.snap.FieldDictPrefix(bodyField, []byte(word))
	if err != nil {
		return nil, err
	}
	if found, err = collect(found, prefixed); err != nil {
		return nil, err
	}
	slips, err := s.snap.FieldDictFuzzy(bodyField, word, 1, prefixOf(word, samePrefix))
	if err != nil {
		return nil, err
	}
	if found, err = collect(found, slips); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b bleveindex.DictEntry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Term, b.Term))
	})
	var forms []string
	for _, e := range found {
		if len(forms) < similarForms && !slices.Contains(forms, e.Term) {
			forms = append(forms, e.Term)
		}
	}
	return forms, nil
}

func collect(out []bleveindex.DictEntry, dict bleveindex.FieldDict) (_ []bleveindex.DictEntry, err error) {
	defer func() { err = errors.Join(err, dict.Close()) }()
	for range maxLookedAt {
		e, err := dict.Next()
		if errors.Is(err, io.EOF) || err == nil && e == nil {
			break
		}
		if err != nil {
			return out, err
		}
		out = append(out, *e)
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
