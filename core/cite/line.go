package cite

// lineStart follows the start of a line, where a fence may open: blanks,
// quote signs and one kind of list sign after the other.
type lineStart struct {
	phase  uint8
	indent int  // columns before the first content
	quoted bool // the line began with a quote sign
	blank  bool // nothing but blanks so far
}

const (
	linePrefix uint8 = iota // only blanks and signs so far
	lineSign                // a list sign that needs a blank after it
	lineNumber              // digits that may become a list sign
	lineRest                // content
)

func (l *lineStart) reset() { *l = lineStart{blank: true} }

// open reports that a fence may begin here.
func (l *lineStart) open() bool { return l.phase == linePrefix }

func (l *lineStart) content() { l.phase, l.blank = lineRest, false }

func (l *lineStart) next(r rune) {
	if r == '\n' {
		l.reset()
		return
	}
	if l.phase == lineRest {
		return
	}
	if r == '\t' {
		l.indent += 3
	}
	l.indent++
	if !isBlank(r) && r != '\r' {
		l.blank = false
	}
	l.phase = l.after(r)
}

func (l *lineStart) after(r rune) uint8 {
	digit := r >= '0' && r <= '9'
	switch l.phase {
	case linePrefix:
		switch {
		case isBlank(r):
			return linePrefix
		case r == '>':
			l.quoted, l.indent = true, 0
			return linePrefix
		case r == '-', r == '*', r == '+':
			return lineSign
		case digit:
			return lineNumber
		}
	case lineSign:
		if isBlank(r) {
			return linePrefix
		}
	case lineNumber:
		switch {
		case digit:
			return lineNumber
		case r == '.', r == ')':
			return lineSign
		}
	}
	return lineRest
}
