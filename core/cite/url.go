package cite

import "strings"

// bareURL follows a URL in plain text, inside which brackets are no markers.
type bareURL struct {
	slashes uint8 // of "://" read so far: 1 after the colon
	inside  bool
	round   int // open parentheses inside
	square  int // open brackets inside
}

// next takes a character and the one before it.
func (u *bareURL) next(r, prev rune) {
	if u.inside {
		u.inside = u.goesOn(r)
		if u.inside {
			return
		}
		*u = bareURL{}
	}
	switch {
	case r == ':' && isASCIILetter(prev):
		u.slashes = 1
	case r == '/' && u.slashes == 1:
		u.slashes = 2
	case r == '/' && u.slashes == 2:
		*u = bareURL{inside: true}
	default:
		u.slashes = 0
	}
}

// goesOn reports whether a character belongs to the URL.
func (u *bareURL) goesOn(r rune) bool {
	switch {
	case r <= ' ' || r == 0x7f || strings.ContainsRune("<>\"`|*", r):
		return false
	case r >= 0x80:
		return !isCJK(r) && isWord(r)
	case r == '(':
		u.round++
	case r == ')':
		u.round--
	case r == '[':
		u.square++
	case r == ']':
		u.square--
	}
	return u.round >= 0 && u.square >= 0
}

// beginURL holds a character with which a URL that must not appear may begin.
func (w *Writer) beginURL(r rune, raw string) bool {
	tree := &w.sources.hidden
	if r >= 0x80 || !tree.first[byte(r)] {
		return false
	}
	w.begin(inURL, raw)
	w.angle = false
	w.match = urlMatch{}
	w.match.step(tree, byte(r), 1)
	return true
}

func (w *Writer) urlStep(r rune, raw string) {
	if len(w.hold)+len(raw) <= maxTarget && w.matchRaw(r, raw) {
		w.hold = append(w.hold, raw...)
		return
	}
	swallow := w.angle && r == '>' && w.match.complete() && w.match.end(w.hold) == len(w.hold)
	w.finishURL(swallow)
	if !swallow {
		w.step(r, raw)
	}
}

func (w *Writer) matchRaw(r rune, raw string) bool {
	for i := range len(raw) {
		if !w.match.step(&w.sources.hidden, raw[i], len(w.hold)+i+1) {
			return false
		}
	}
	return true
}

func (w *Writer) endURL() { w.finishURL(false) }

// finishURL deletes the URL held if it is one that must not appear, and reads
// again what is left.
func (w *Writer) finishURL(swallowed bool) {
	m, angle := w.match, w.angle
	cut := m.end(w.hold)
	held := w.take()
	if !m.complete() {
		w.plain(rune(held[0]), held[:1])
		w.reread(held[1:], retry{})
		return
	}
	if angle && !swallowed {
		w.plain('<', "<")
	}
	w.deleted(w.sources.anyNumber(m.doc))
	w.sink.delete()
	w.content()
	w.reread(held[cut:], retry{})
}

// anyNumber is a number of a document, preferably the one used.
func (c *catalog) anyNumber(doc int) int {
	d := c.docs[c.root(doc)]
	if d.number != 0 {
		return d.number
	}
	return d.first
}
