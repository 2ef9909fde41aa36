package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text, or a pair of characters where the script writes no
// spaces, with its place.
type token struct {
	text       string // lower case
	start, end int    // bytes
}

// dense tells scripts that write no spaces between words.
func dense(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordsOf cuts a text into tokens in order.
func wordsOf(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case dense(r):
			end := i
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !dense(r) {
					break
				}
				end += n
			}
			out = append(out, pairs(text, i, end)...)
			i = end
		case inWord(r):
			end := i
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !inWord(r) || dense(r) {
					break
				}
				end += n
			}
			out = append(out, token{strings.ToLower(text[i:end]), i, end})
			i = end
		default:
			i += size
		}
	}
	return out
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// pairs emits overlapping pairs of characters of a run; a single character is
// emitted as it is.
func pairs(text string, start, end int) []token {
	var out []token
	_, size := utf8.DecodeRuneInString(text[start:])
	for i := start; i < end; {
		next := i + size
		if next >= end {
			if i == start {
				out = append(out, token{text[i:end], i, end})
			}
			break
		}
		_, n := utf8.DecodeRuneInString(text[next:])
		out = append(out, token{strings.ToLower(text[i : next+n]), i, next + n})
		i, size = next, n
	}
	return out
}

// root shortens a word so that its inflections meet: a rough stem that serves
// all alphabets, good enough to choose between sentences.
func root(word string) string {
	runes := []rune(word)
	switch n := len(runes); {
	case dense(runes[0]), n <= 4:
		return strings.TrimSuffix(word, "s")
	case n <= 6:
		return string(runes[:n-1])
	default:
		return string(runes[:max(5, n*7/10)])
	}
}
