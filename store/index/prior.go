package index

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
)

// How rare a word is can only be counted in an index of some size: in five
// documents "where" may be as rare as the answer, and in a handbook "how do I"
// stands on the page of frequent questions only. Until there is enough text,
// rarity is estimated as if priorWindows more windows had been read, of which
// priorShare hold each function word. Ten times as many real windows make that
// hardly felt.
const (
	priorWindows = 300
	priorShare   = 0.4
)

// functionWords are the words that carry grammar, by language, as bleve's
// analyzers know them.
type functionWords map[string]map[string]bool

func loadFunctionWords() functionWords {
	out := functionWords{}
	for language, list := range map[string][]byte{
		"da": da.DanishStopWords, "de": de.GermanStopWords, "en": en.EnglishStopWords, "es": es.SpanishStopWords,
		"fi": fi.FinnishStopWords, "fr": fr.FrenchStopWords, "hu": hu.HungarianStopWords, "it": it.ItalianStopWords,
		"nl": nl.DutchStopWords, "no": no.NorwegianStopWords, "pt": pt.PortugueseStopWords, "ro": ro.RomanianStopWords,
		"ru": ru.RussianStopWords, "sv": sv.SwedishStopWords,
	} {
		out[language] = readWords(list)
	}
	return out
}

// readWords reads a list in Snowball's form: words, and comments behind a bar.
func readWords(list []byte) map[string]bool {
	words := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "|")
		for _, w := range strings.Fields(text) {
			words[w] = true
		}
	}
	return words
}

// has tells whether the word is a function word of any language: short texts and
// questions do not tell theirs reliably.
func (f functionWords) has(word string) bool {
	for _, words := range f {
		if words[word] {
			return true
		}
	}
	return false
}

// expected is the rarity of a word with the prior taken in.
func expected(g group, windows int) float64 {
	df := float64(g.df)
	if g.function {
		df += priorWindows * priorShare
	}
	return idf(df, float64(windows+priorWindows))
}
