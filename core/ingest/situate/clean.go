package situate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestContext is how long a context may be, in letters.
const longestContext = 300

var (
	tags    = regexp.MustCompile(`<[^<>]*>`)
	links   = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()]*\)`)
	address = regexp.MustCompile(`\b[a-zA-Z][a-zA-Z+.-]*://\S+`)
	// refusals are how models begin where they do not want to answer.
	refusals = []string{"i'm sorry", "i’m sorry", "i am sorry", "i can't", "i can’t", "i cannot", "i'm unable", "i am unable", "as an ai"}
)

// clean makes one plain line of what a model said; "" where that is nothing to search
// by. Nobody is shown it, so that this keeps the index tidy rather than anyone safe.
func clean(s string) string {
	s = strings.ToValidUTF8(s, " ")
	s = links.ReplaceAllString(s, "$1")
	s = address.ReplaceAllString(tags.ReplaceAllString(s, " "), " ")
	letters, others := 0, 0
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), strings.ContainsRune("`*#<>[]{}|~\\\"", r):
			return ' '
		case unicode.Is(unicode.C, r):
			return -1
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			letters++
		default:
			others++
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	lower := strings.ToLower(s)
	for _, r := range refusals {
		if strings.HasPrefix(lower, r) {
			return ""
		}
	}
	if letters <= others {
		return ""
	}
	return shortened(s)
}

func shortened(s string) string {
	if utf8.RuneCountInString(s) <= longestContext {
		return s
	}
	s = string([]rune(s)[:longestContext])
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}
