package cite

// mathHold is a bracket inside maths that is held until the maths is closed.
type mathHold struct {
	esc   bool
	prev  rune
	blank bool // only blanks since a line break
}

// follow keeps the book on maths: \( … \), \[ … \] and $$ … $$. A blank line
// ends it.
func (w *Writer) follow(r rune) {
	switch {
	case r == '\n' && w.line.blank:
		w.math = 0
	case w.esc && (r == '(' || r == '[') && w.math == 0:
		w.math = r + 1
		if r == '[' {
			w.math = ']'
		}
	case w.esc && r == w.math:
		w.math = 0
	case r == '$' && w.prev == '$' && !w.esc:
		w.toggleDollars()
	}
}

func (w *Writer) toggleDollars() {
	switch w.math {
	case 0:
		w.math = '$'
	case '$':
		w.math = 0
	}
}

func (w *Writer) beginMathHold(raw string) {
	w.begin(inMath, raw)
	w.sums = mathHold{}
}

// mathStep holds a bracket and what follows until it is known whether the
// maths around it closes.
func (w *Writer) mathStep(r rune, raw string) {
	m := &w.sums
	end := r == '\n' && m.blank || r == '`' || len(w.hold)+len(raw) > maxMarker
	if end {
		w.failMath()
		w.step(r, raw)
		return
	}
	w.hold = append(w.hold, raw...)
	closes := m.esc && r == w.math || w.math == '$' && r == '$' && m.prev == '$'
	m.esc = r == '\\' && !m.esc
	m.blank = r == '\n' || m.blank && isBlank(r)
	m.prev = r
	if closes {
		w.reread(w.take(), retry{literal: true, noLabel: true})
	}
}

// failMath reads what was held as text: the maths was none.
func (w *Writer) failMath() {
	held := w.take()
	w.math = 0
	w.reread(held, retry{})
}
