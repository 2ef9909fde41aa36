package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/util"
)

// atoms finds what must not be cut in a text: links of all dialects, platform
// tokens, addresses, inline code, citations, entities, grapheme clusters.
type atoms struct {
	text   string
	reach  int           // how many bytes it looks ahead
	labels map[int32]int // where a label that has a target ends, by where it begins
}

func newAtoms(text string, l Limit) *atoms {
	return &atoms{text: text, reach: max(64, min(4*l.N, 4*maxURL)), labels: labels(text)}
}

// labels pairs the brackets of each line, in one pass, and keeps those in front of
// a parenthesis.
func labels(text string) map[int32]int {
	found := map[int32]int{}
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			open = open[:0]
		case '\\':
			i++
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if strings.HasPrefix(text[i+1:], "(") {
				found[int32(from)] = i
			}
		}
	}
	return found
}

// end is where the atom ends that begins at i.
func (a *atoms) end(i int) int {
	s := a.text[i:min(len(a.text), i+a.reach)]
	switch c := s[0]; {
	case c == '[':
		if n := a.linkEnd(i, s); n > 0 {
			return i + n
		}
		return i + max(1, citationEnd(s))
	case c == '!' && strings.HasPrefix(s, "!["):
		return i + 1 + a.linkEnd(i+1, s[1:])
	case c == '<':
		return i + max(1, tokenEnd(s))
	case c == '`':
		return i + codeEnd(s)
	case c == '&':
		return i + max(1, entityEnd(s))
	case c == '\\' && len(s) > 1 && util.IsPunct(s[1]):
		return i + 2
	case (c == 'h' || c == 'H') && (i == 0 || !isWord(a.text[i-1])):
		if hasScheme(s[:min(len(s), 9)]) {
			return i + max(1, addressEnd([]byte(s[:min(len(s), maxURL+1)])))
		}
	}
	return i + clusterEnd(s)
}

// clusterEnd is the length of the grapheme cluster that s begins with.
func clusterEnd(s string) int {
	if s[0] < utf8.RuneSelf && s[0] != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// linkEnd is the length of the link at i; 0 if there is none.
func (a *atoms) linkEnd(i int, s string) int {
	close, ok := a.labels[int32(i)]
	if !ok || close-i+1 >= len(s) {
		return 0
	}
	from := close - i + 1
	depth := 0
	for k := from; k < min(len(s), from+maxURL+200); k++ {
		switch s[k] {
		case '\n':
			return 0
		case '\\':
			k++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return 0
}

// citationEnd is the length of [12].
func citationEnd(s string) int {
	i := 1
	for i < len(s) && i < 8 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i > 1 && i < len(s) && s[i] == ']' {
		return i + 1
	}
	return 0
}

// tokenEnd is the length of <...>.
func tokenEnd(s string) int {
	if len(s) < 3 || s[1] == ' ' || s[1] == '>' {
		return 0
	}
	i := strings.IndexAny(s[1:], "<>\n")
	if i < 0 || s[i+1] != '>' {
		return 0
	}
	return i + 2
}

// codeEnd is the length of a code span, or of the run of backticks that opens none.
func codeEnd(s string) int {
	run := 1
	for run < len(s) && s[run] == '`' {
		run++
	}
	for i := run; i < len(s) && s[i] != '\n'; {
		if s[i] != '`' {
			i++
			continue
		}
		n := 1
		for i+n < len(s) && s[i+n] == '`' {
			n++
		}
		i += n
		if n == run {
			return i
		}
	}
	return run
}

func entityEnd(s string) int {
	for _, e := range []string{"&amp;", "&lt;", "&gt;"} {
		if strings.HasPrefix(s, e) {
			return len(e)
		}
	}
	return 0
}
