package console

import (
	"strings"
	"unicode/utf8"
)

// Clean takes out what could steer a terminal or turn text around: control
// characters but line break and tab, and bidirectional marks. What is left of an
// escape sequence is plain text.
func Clean(s string) string {
	if strings.IndexFunc(s, harmful) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if harmful(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func harmful(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || (r >= 0x7f && r < 0xa0):
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f:
		return true
	}
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}

// oneLine makes a title fit one line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}
