package find

import (
	"math"
	"strings"
	"unicode/utf8"
)

// The size of a quote. A single sentence or line longer than that is cut.
const (
	quoteSentences = 3
	quoteLines     = 6
	quoteRunes     = 400
)

// Quote trims a passage to the sentences that serve the question: the run of
// whole sentences, or of whole lines of a table or code block, that holds most
// of the question's rare words. Words are rare if few units of the passage hold
// them. The quote is text of the passage with line ends folded to blanks;
// leaving out a beginning or an end adds nothing.
func Quote(question, passage string) string {
	units := unitsOf(passage)
	if len(units) == 0 {
		return ""
	}
	from, to := bestRun(units, weightsOf(question, units))
	for to > from+1 && headingLine(units[to-1].text) {
		to-- // a heading at the end is about what is left out
	}
	return join(units[from:to])
}

func headingLine(text string) bool {
	level := len(text) - len(strings.TrimLeft(text, "#"))
	return level > 0 && level <= 6 && strings.HasPrefix(text[level:], " ")
}

// held says which of the question's words a unit holds, and what each weighs.
type held struct {
	words   [][]int   // by unit
	weights []float64 // by word
}

func weightsOf(question string, units []unit) held {
	index := map[string]int{}
	for _, t := range wordsOf(question) {
		if r := root(t.text); len(index) < 256 {
			if _, ok := index[r]; !ok {
				index[r] = len(index)
			}
		}
	}
	h := held{words: make([][]int, len(units)), weights: make([]float64, len(index))}
	for i, u := range units {
		seen := map[int]bool{}
		for _, t := range wordsOf(u.text) {
			if n, ok := index[root(t.text)]; ok && !seen[n] {
				seen[n] = true
				h.words[i] = append(h.words[i], n)
				h.weights[n]++
			}
		}
	}
	lengths := wordLengths(index)
	for n, count := range h.weights {
		if count > 0 {
			h.weights[n] = lengths[n] * math.Log(1+float64(len(units))/count)
		}
	}
	return h
}

// wordLengths weighs words by their length, since short ones are mostly the
// small change of a language. Pairs of characters without spaces all count.
func wordLengths(index map[string]int) []float64 {
	out := make([]float64, len(index))
	for word, n := range index {
		first, _ := utf8.DecodeRuneInString(word)
		size := utf8.RuneCountInString(word)
		if dense(first) || strings.ContainsAny(word, "0123456789") {
			size = 6
		}
		out[n] = min(1, float64(size)/6)
	}
	return out
}

// bestRun finds the run of neighbouring units that covers most, the shortest and
// first of equals.
func bestRun(units []unit, h held) (from, to int) {
	best := -1.0
	for i := range units {
		covered := map[int]bool{}
		sum, runes := 0.0, 0
		for j := i; j < len(units) && j-i < longest(units[i]) && units[j].line == units[i].line; j++ {
			runes += utf8.RuneCountInString(units[j].text) + 1
			if j > i && (runes > quoteRunes || units[j].line && units[j].block != units[i].block) {
				break
			}
			for _, n := range h.words[j] {
				if !covered[n] {
					covered[n] = true
					sum += h.weights[n]
				}
			}
			// A word more must be worth its room.
			if value := sum * (1 - 0.05*float64(j-i)); value > best+1e-9 {
				best, from, to = value, i, j+1
			}
		}
	}
	return withContext(units, from, to)
}

func longest(u unit) int {
	if u.line {
		return quoteLines
	}
	return quoteSentences
}

// withContext adds the sentence that follows in the same paragraph, where there
// is room, and the head of a table.
func withContext(units []unit, from, to int) (int, int) {
	if units[from].line {
		return from, to
	}
	for to-from < 2 && to < len(units) && !units[to].line && units[to].block == units[from].block {
		if runesOf(units[from:to+1]) > quoteRunes {
			break
		}
		to++
	}
	return from, to
}

func runesOf(units []unit) int {
	n := 0
	for _, u := range units {
		n += utf8.RuneCountInString(u.text) + 1
	}
	return n
}

// join writes units as text: sentences of one paragraph in a line.
func join(units []unit) string {
	var b strings.Builder
	for i, u := range units {
		switch {
		case i == 0:
		case u.line || u.block != units[i-1].block || startsItem(u.text):
			b.WriteByte('\n')
		case !endsDense(units[i-1].text):
			b.WriteByte(' ')
		}
		b.WriteString(u.text)
	}
	return shorten(b.String())
}

func endsDense(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return dense(r) || strings.ContainsRune("。！？｡", r)
}

// shorten cuts what one over-long unit holds, at a blank where there is one.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= 2*quoteRunes {
		return s
	}
	cut := string([]rune(s)[:2*quoteRunes])
	if i := strings.LastIndexAny(cut, " \n"); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " …"
}
