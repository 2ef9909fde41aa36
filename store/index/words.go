package index

import (
	"math"

	"github.com/footnote-bot/footnote/core"
)

// What follows is how this index reads text and weighs words, for an index that
// keeps its terms elsewhere: with the same words and weights it finds the same.

// Window is a piece of a passage with its counted terms, title and heading path
// among them.
type Window struct {
	Words float64 // length, as far as texts of all scripts can be compared
	Terms map[string]int
}

// Windows cuts a passage. The language is that of its document, "" if unknown.
func Windows(title, language string, p core.Passage) []Window {
	var out []Window
	for _, w := range windowsOf(title, p, newStems(language)) {
		one := Window{Words: float64(w.size) / wordSize, Terms: make(map[string]int, len(w.freqs))}
		for term, f := range w.freqs {
			one.Terms[term] = f.Frequency()
		}
		out = append(out, one)
	}
	return out
}

// Query reads questions. It is safe for several goroutines.
type Query struct{ known functionWords }

// NewQuery loads the lists of function words.
func NewQuery() *Query { return &Query{known: loadFunctionWords()} }

// Words cuts a question into its words, each once, by the rules of the languages
// that documents are written in.
func (q *Query) Words(text string, languages map[string]bool) []Word {
	var out []Word
	for _, g := range parse(text, languages, q.known) {
		out = append(out, Word{g: g})
	}
	return out
}

// Word is one word of a question.
type Word struct{ g group }

// Forms are the terms by which a passage may hold it; one is enough.
func (w Word) Forms() []string { return w.g.forms }

// Function tells whether it carries grammar only, in some language.
func (w Word) Function() bool { return w.g.function }

// Weigh tells what a word that so many of the pieces of text hold is worth for the
// order, and how much of the question hangs on it.
func (w Word) Weigh(holding, all int) (score, cover float64) {
	w.g.near = holding
	rarity := expected(w.g, holding, all)
	score = math.Pow(rarity, idfPower)
	if w.g.ident {
		score *= identWeight
	}
	return score, coverageWeight(w.g, rarity)
}

// Score is BM25 of a term that stands so many times in a window of that length,
// where windows are of the average length.
func Score(weight float64, times int, words, average float64) float64 {
	tf := float64(times)
	norm := bm25K1 * (1 - bm25B + bm25B*words/average)
	return weight * tf * (bm25K1 + 1) / (tf + norm)
}
