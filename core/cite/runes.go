package cite

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isOpener(r rune) bool { return r == '[' || r == '【' || r == '［' }
func isCloser(r rune) bool { return r == ']' || r == '】' || r == '］' }

// isBlank reports white space that does not end a line.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\u00a0', '\u2009', '\u202f', '\u3000':
		return true
	}
	return false
}

func isSeparator(r rune) bool {
	switch r {
	case ',', ';', '，', '、', '；':
		return true
	}
	return false
}

func isDash(r rune) bool {
	switch r {
	case '-', '‐', '‑', '‒', '–', '—', '−', '～', '〜':
		return true
	}
	return false
}

func isOpenParen(r rune) bool  { return r == '(' || r == '（' }
func isCloseParen(r rune) bool { return r == ')' || r == '）' }

// digitValue reads a decimal digit of any script. Unicode lays decimal digits
// out in runs of ten that start at zero.
func digitValue(r rune) (int, bool) {
	if r < 0x80 {
		return int(r - '0'), r >= '0' && r <= '9'
	}
	for _, t := range unicode.Nd.R16 {
		if r < rune(t.Lo) {
			break
		}
		if r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, true
		}
	}
	return 0, false
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// closesSentence reports what must have no blank before it after a deletion.
func closesSentence(r rune) bool {
	return strings.ContainsRune(".,;:!?)]}。，、；：！？）】］」』》", r)
}

func isEmphasis(r rune) bool { return r == '*' || r == '_' || r == '~' }

func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r >= 0x3000 && r <= 0x303f, r >= 0xff00 && r <= 0xffef:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// wantsSpace reports whether a link right after this character needs a space.
// Opening quotes that look like closing ones are the caller's to tell apart.
func wantsSpace(r rune) bool {
	switch {
	case r < 0x80:
		return r >= '0' && r <= '9' || isASCIILetter(r) || strings.ContainsRune(".,;:!?)]}\"'%", r) && r != 0
	case isCJK(r):
		return false
	case strings.ContainsRune("”’»›…‰", r):
		return true
	case r == '\u200d' || r == utf8.RuneError:
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So, unicode.Sk)
}

// opensQuote reports whether a straight quote after this character is an
// opening one.
func opensQuote(before rune) bool {
	return before == 0 || before == '\n' || isBlank(before) || isEmphasis(before) ||
		strings.ContainsRune("([{“‘«（【［「『《", before)
}

func lastRune(b []byte) rune {
	r, size := utf8.DecodeLastRune(b)
	if size == 0 {
		return 0
	}
	return r
}
