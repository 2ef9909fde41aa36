package cite

import "unicode"

// emphasis follows the emphasis signs of one line, as far as needed to tell
// whether a sign closes one that was opened before it.
type emphasis struct {
	open   [8]delimiter
	n      int
	run    rune // sign of the run being read, 0 if none
	length int
	before rune // character before the run
}

type delimiter struct {
	sign   rune
	length int
}

// next takes a character and the one before it.
func (e *emphasis) next(r, before rune) {
	if e.run != 0 {
		if r == e.run {
			e.length++
			return
		}
		e.settle(r)
	}
	switch {
	case r == '\n':
		e.n = 0
	case isEmphasis(r) && before != '\\':
		e.run, e.length, e.before = r, 1, before
	}
}

// settle decides what a finished run of signs does.
func (e *emphasis) settle(next rune) {
	run := e.run
	e.run = 0
	space := e.before == 0 || unicode.IsSpace(e.before)
	if run == '_' && isWord(e.before) && isWord(next) {
		return
	}
	if !space {
		for i := e.n - 1; i >= 0; i-- {
			if e.open[i].sign == run && e.open[i].length == e.length {
				e.n = i
				return
			}
		}
	}
	if !unicode.IsSpace(next) && e.n < len(e.open) {
		e.open[e.n] = delimiter{run, e.length}
		e.n++
	}
}

// closes reports whether a sign at this point closes one opened on this line.
func (e *emphasis) closes(sign rune) bool {
	if !isEmphasis(sign) {
		return false
	}
	for _, d := range e.open[:e.n] {
		if d.sign == sign {
			return true
		}
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
