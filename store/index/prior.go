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

// functionWords are the words that carry grammar, as bleve's analyzers know them,
// of all languages together: short texts and questions do not tell theirs
// reliably.
type functionWords map[string]bool

func loadFunctionWords() functionWords {
	out := functionWords{}
	for _, list := range [][]byte{
		da.DanishStopWords, de.GermanStopWords, en.EnglishStopWords, es.SpanishStopWords,
		fi.FinnishStopWords, fr.FrenchStopWords, hu.HungarianStopWords, it.ItalianStopWords,
		nl.DutchStopWords, no.NorwegianStopWords, pt.PortugueseStopWords, ro.RomanianStopWords,
		ru.RussianStopWords, sv.SwedishStopWords,
	} {
		out.read(list)
	}
	return out
}

// read takes in a list in Snowball's form: words, and comments behind a bar.
func (f functionWords) read(list []byte) {
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "|")
		for _, w := range strings.Fields(text) {
			f[w] = true
		}
	}
}

// expected is the rarity of a word that so many of the windows hold, with the
// prior taken in.
func expected(g group, holding, windows int) float64 {
	df := float64(holding)
	if g.function {
		df += priorWindows * priorShare
	}
	return idf(df, float64(windows+priorWindows))
}
