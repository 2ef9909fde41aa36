package find

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// SourceName is a source with what people may call it.
type SourceName struct {
	Name      string
	Connector string // the program's name, such as jira
}

// mention is a name that somebody said, with the sources that it may mean.
type mention struct {
	word    string
	sources []string
}

// shortestName is how many letters a name must have to be found in a sentence.
const shortestName = 3

// mentions finds what is said of sources in the texts, of those that the filter
// leaves to be searched. Only these names are ever given to a model: what the
// asker has not said themselves it cannot repeat. Where there are not two sources
// there is nothing to choose.
func mentions(texts []string, sources []SourceName, filter core.Filter) []mention {
	var all []SourceName
	for _, s := range sources {
		if Touches(filter, s.Name) {
			all = append(all, s)
		}
	}
	if len(all) < 2 {
		return nil
	}
	said := strings.ToLower(strings.Join(texts, "\n"))
	var out []mention
	for _, s := range all {
		for _, word := range s.words() {
			if !occurs(word, said) {
				continue
			}
			i := slices.IndexFunc(out, func(m mention) bool { return m.word == word })
			if i < 0 {
				out = append(out, mention{word: word})
				i = len(out) - 1
			}
			if !slices.Contains(out[i].sources, s.Name) {
				out[i].sources = append(out[i].sources, s.Name)
			}
		}
	}
	return out
}

// words are the names of a source as they stand in sentences, in lower case.
func (s SourceName) words() []string {
	name := strings.ToLower(s.Name)
	var out []string
	for _, w := range []string{name, strings.NewReplacer("-", " ", "_", " ").Replace(name), strings.ToLower(s.Connector)} {
		if utf8.RuneCountInString(w) >= shortestName && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// occurs tells whether a word stands in a text on its own, both in lower case.
// Where scripts without spaces meet it, nothing has to be between them.
func occurs(word, text string) bool {
	if word == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		first, size := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !joins(before, first) && !joins(last, after) {
			return true
		}
		at = i + size
	}
}

// joins tells whether two letters belong to one word.
func joins(a, b rune) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return letter(a) && letter(b) && !dense(a) && !dense(b)
}

// sourcesOf are the sources that the names mean.
func sourcesOf(names []string, said []mention) []string {
	var out []string
	for _, m := range said {
		if !slices.Contains(names, m.word) {
			continue
		}
		for _, s := range m.sources {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// inside narrows the filter to the sources. A scope only ever makes less of what
// the filter has; one that leaves nothing is no scope, and false.
func inside(f core.Filter, sources []string) (core.Filter, bool) {
	var left []string
	for _, s := range sources {
		if Touches(f, s) {
			left = append(left, s)
		}
	}
	if len(left) == 0 {
		return f, false
	}
	f.Sources = left
	return f, true
}

func words(said []mention) []string {
	var out []string
	for _, m := range said {
		out = append(out, m.word)
	}
	return out
}
