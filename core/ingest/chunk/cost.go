package chunk

import (
	"unicode"
	"unicode/utf8"
)

// unitsPerToken lets costs be whole numbers that add up exactly.
const unitsPerToken = 12

// Tokens estimates how many tokens a model sees in the text, whichever model:
// about 4 bytes a token for Latin script, 1.5 characters for Chinese, Japanese
// and Korean, 2.4 for other scripts.
func Tokens(text string) int { return (cost(text) + unitsPerToken - 1) / unitsPerToken }

func cost(text string) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			n += 3
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		n += runeCost(r)
		i += size
	}
	return n
}

func runeCost(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 3
	case r < 0x2000:
		return 5
	case r < 0x2E80: // punctuation, symbols
		return 5
	case r < 0xFB00 || unicode.Is(unicode.Han, r): // ideographs, kana, hangul
		return 8
	}
	return 8
}
