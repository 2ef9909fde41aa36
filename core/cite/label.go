package cite

import "unicode/utf8"

// labelStep reads the label of a link that may have to go. It holds no
// bracket and no line break: links do not nest.
func (w *Writer) labelStep(r rune, raw string) {
	switch {
	case w.closed && r == '(' && !w.again.noTarget:
		w.beginTarget(afterLabel, raw)
	case w.closed, isOpener(r), r == '\n', len(w.hold)+len(raw) > maxMarker:
		w.failLabel()
		w.step(r, raw)
	default:
		w.closed = r == ']'
		w.hold = append(w.hold, raw...)
	}
}

func (w *Writer) beginImage(raw string) {
	w.begin(inImage, raw)
	w.nest, w.closed = 1, false
}

// imageStep reads the alternative text of an image, where brackets nest.
func (w *Writer) imageStep(r rune, raw string) {
	switch {
	case w.closed && r == '(' && !w.again.noTarget:
		w.beginTarget(afterImage, raw)
		return
	case w.closed, r == '\n', len(w.hold)+len(raw) > maxMarker:
		w.failLabel()
		w.step(r, raw)
		return
	case r == '[':
		w.nest++
	case r == ']':
		w.nest--
		w.closed = w.nest == 0
	}
	w.hold = append(w.hold, raw...)
}

// failLabel lets go of a label that no target follows.
func (w *Writer) failLabel() {
	was := w.state
	w.rereadLabel(was, w.take(), retry{noLabel: true})
}

// rereadLabel reads a label again as text. The bracket that began a link's
// label is known not to begin a marker; that of an image may.
func (w *Writer) rereadLabel(was state, held string, not retry) {
	if was == inLabel {
		w.plain('[', "[")
		held = held[1:]
	} else if held[0] == '!' {
		w.plain('!', "!")
		held = held[1:]
	}
	w.reread(held, not)
}

func (w *Writer) plainAll(s string) {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		w.plain(r, s[:size])
		s = s[size:]
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func runeSize(b []byte) int {
	_, size := utf8.DecodeRune(b)
	return size
}
