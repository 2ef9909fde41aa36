package index

import (
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

const maxCachedStems = 1 << 15

// stems remembers stemmed words of one language. It belongs to one goroutine.
type stems struct {
	language string
	seen     map[string]string
}

func newStems(language string) *stems {
	return &stems{language: language, seen: make(map[string]string)}
}

func (s *stems) of(word string) string {
	if out, ok := s.seen[word]; ok {
		return out
	}
	if len(s.seen) >= maxCachedStems {
		clear(s.seen)
	}
	word = strings.Clone(word)
	out := foldMarks(stem(word, s.language))
	s.seen[word] = out
	return out
}

// tally counts the terms of one window.
type tally struct {
	freqs bleveindex.TokenFrequencies
	size  int // of all pieces, in quarters of a word
}

func (t *tally) add(term string, weight int) {
	if term == "" {
		return
	}
	f, ok := t.freqs[term]
	if !ok {
		f = &bleveindex.TokenFreq{Term: []byte(term)}
		t.freqs[string(f.Term)] = f
	}
	f.SetFrequency(f.Frequency() + weight)
}

// addPiece counts a piece as the terms it can be found by: the word as written
// and its stem.
func (t *tally) addPiece(p piece, st *stems, weight int) {
	switch p.kind {
	case ident:
		t.add(p.text, weight)
	case gram:
		t.add(p.text, weight)
	default:
		folded, stemmed := foldMarks(p.text), st.of(p.text)
		t.add(folded, weight)
		if stemmed != folded {
			t.add(stemmed, weight)
		}
	}
	t.size += p.size
}
