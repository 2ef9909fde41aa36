package cite

import (
	"strings"
	"unicode/utf8"
)

// special marks the bytes that plain text stops at.
var special = func() (t [256]bool) {
	for _, c := range "`~[(!<*_:$\\\n" {
		t[c] = true
	}
	// What may begin a bracket, a parenthesis or a blank outside ASCII.
	for _, c := range []byte{0xc2, 0xe2, 0xe3, 0xef} {
		t[c] = true
	}
	return t
}()

// run measures the plain text at the start of s.
func (w *Writer) run(s string) int {
	n := 0
	if w.hiding() {
		first := &w.sources.hidden.first
		for n < len(s) && !special[s[n]] && !first[s[n]] {
			n++
		}
	} else {
		for n < len(s) && !special[s[n]] {
			n++
		}
	}
	if n == len(s) && n > 0 && s[n-1] >= utf8.RuneSelf {
		return n - cutRune(s)
	}
	return n
}

// cutRune measures a character at the end of s that is not complete.
func cutRune(s string) int {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if utf8.FullRuneInString(s[i:]) {
				return 0
			}
			return len(s) - i
		}
	}
	return 0
}

// fresh reports that plain text needs no looking at.
func (w *Writer) fresh() bool {
	return w.state == inText && !w.url.inside && w.url.slashes == 0 && w.line.phase == lineRest
}

// skip writes the plain text at the start of s, or code up to a place worth
// looking at, and tells how much it was.
func (w *Writer) skip(s string) int {
	switch w.state {
	case inFence:
		return w.skipFence(s)
	case inMarker:
		return w.skipOpeners(s)
	}
	if !w.fresh() {
		return 0
	}
	n := w.run(s)
	if n > 0 {
		w.sink.plain(s[:n])
		w.skipped(s[n-1])
	}
	return n
}

// skipOpeners writes openers before the three that a marker may have.
func (w *Writer) skipOpeners(s string) int {
	m := &w.mark
	if m.openers < 3 || m.head != 3 || m.part != wantItem || m.gap || len(m.spans) > 0 {
		return 0
	}
	n := 0
	for n < len(s) && s[n] == '[' {
		n++
	}
	if n > 0 {
		w.line.content()
		w.sink.plain(s[:n])
		w.skipped('[')
	}
	return n
}

func (w *Writer) skipped(last byte) {
	w.prev, w.esc = rune(last), false
}

// passes reports that a whole token is plain text which can go out as it is,
// and keeps the book on it.
func (w *Writer) passes(s string) bool {
	last := s[len(s)-1]
	if last == ' ' || last == '\t' || !w.fresh() || !w.sink.idle() || len(w.part) > 0 || w.run(s) < len(s) {
		return false
	}
	w.sink.cited = 0
	w.sink.risky = w.sink.risky && !strings.ContainsAny(s, wordEnds)
	w.sink.lastOf(s)
	w.skipped(last)
	return true
}

// idle reports that the next character depends on nothing kept back.
func (s *sink) idle() bool {
	return !s.gone && len(s.tail) == 0 && s.marks.run == 0
}
