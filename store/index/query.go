package index

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// maxGroups bounds the words of a query; what is longer is a pasted text, of
// which the rarest words are enough.
const (
	maxGroups     = 32
	maxQueryBytes = 8000
)

// group is one word of a query with the forms under which a window may hold it.
type group struct {
	forms    []string
	ident    bool // a whole identifier, whose parts are groups of their own
	gram     bool
	function bool    // carries grammar only, in some language
	short    bool    // short and written like an ordinary word: common although never seen
	at       int     // position in the query
	df       int     // windows that hold its most frequent form
	near     int     // the same of the windows within reach
	score    float64 // weight for ranking
	cover    float64 // weight for coverage
	gain     float64 // what a window that holds it covers: less than cover for similar terms
	similar  bool    // the word was never seen; forms are terms that look like it
}

// parse cuts a query into groups. Every word is stemmed by each of the
// languages, since the words of a short question do not tell its language.
func parse(text string, languages map[string]bool, known functionWords) []group {
	if len(text) > maxQueryBytes {
		text = cutTo(text, maxQueryBytes)
	}
	langs := slices.Sorted(maps.Keys(languages))
	seen := map[string]bool{}
	var out []group
	scan(text, func(p piece) {
		g := group{ident: p.kind == ident, gram: p.kind == gram}
		g.short = !p.name && p.kind == word && utf8.RuneCountInString(p.text) <= 3
		switch p.kind {
		case word:
			g.forms = forms(p.text, langs)
			g.function = known[p.text]
		default:
			g.forms = []string{p.text}
		}
		if !seen[g.forms[0]] {
			seen[g.forms[0]] = true
			out = append(out, g)
		}
	})
	return out
}

func cutTo(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func forms(word string, langs []string) []string {
	out := []string{foldMarks(word)}
	add := func(l string) {
		if s := foldMarks(stem(word, l)); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add("")
	for _, l := range langs {
		add(l)
	}
	return out
}
