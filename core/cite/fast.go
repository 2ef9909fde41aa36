package cite

// special marks the ASCII characters that plain text stops at.
var special = func() (t [256]bool) {
	for _, c := range "`~[]()!<>*_:$\\\n\r/" {
		t[c] = true
	}
	for c := 0x80; c < 0x100; c++ {
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
		return n
	}
	for n < len(s) && !special[s[n]] {
		n++
	}
	return n
}

// fresh reports that plain text needs no looking at.
func (w *Writer) fresh() bool {
	return w.state == inText && !w.url.inside && w.line.phase == lineRest
}

// skip writes the plain text at the start of s, or code up to a place worth
// looking at, and tells how much it was.
func (w *Writer) skip(s string) int {
	if w.state == inFence {
		return w.skipFence(s)
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

func (w *Writer) skipped(last byte) {
	w.prev, w.esc, w.url.slashes = rune(last), false, 0
}

// passes reports that a whole token is plain text which can go out as it is,
// and keeps the book on it.
func (w *Writer) passes(s string) bool {
	last := s[len(s)-1]
	if last == ' ' || last == '\t' || !w.fresh() || !w.sink.idle() || len(w.part) > 0 || w.run(s) < len(s) {
		return false
	}
	w.sink.cited = 0
	w.sink.lastOf(s)
	w.skipped(last)
	return true
}

// idle reports that the next character depends on nothing kept back.
func (s *sink) idle() bool {
	return !s.gone && len(s.tail) == 0 && s.marks.run == 0
}
