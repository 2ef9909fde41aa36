package extract

import (
	"strconv"
	"strings"
	"unicode"
)

// slug is the anchor that common Markdown renderers give a heading: lower case,
// spaces as dashes, punctuation dropped, repeats numbered.
func slug(title string, seen map[string]int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	s := b.String()
	n, again := seen[s]
	seen[s] = n + 1
	if again {
		s += "-" + strconv.Itoa(n)
	}
	return s
}

// maxNesting is how deep quotes and lists may go before a text is taken as
// plain: no person writes deeper, and parsers slow down with depth.
const maxNesting = 64

// tooNested tells whether some line opens more containers than maxNesting.
func tooNested(source string) bool {
	for line := range strings.SplitSeq(source, "\n") {
		depth, indent := 0, 0
		for i := 0; i < len(line) && i < 4096; i++ {
			c := line[i]
			if c == ' ' || c == '\t' {
				indent++
				continue
			}
			digits := i
			for digits < len(line) && digits < i+9 && '0' <= line[digits] && line[digits] <= '9' {
				digits++
			}
			switch {
			case c == '>':
				depth++
			case (c == '-' || c == '*' || c == '+') && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
				depth++
			case digits > i && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ':
				depth++
				i = digits
			default:
				i = len(line)
			}
		}
		if depth+indent/2 > 2*maxNesting && depth > 0 || depth > maxNesting {
			return true
		}
	}
	return false
}
