package cite

import "strings"

// fence is fenced code, from its opening line to its closing line.
type fence struct {
	sign   byte
	length int
	indent int
	quoted bool
	phase  fencePhase
	column int // of the current line
	run    int // length of the run that may close
}

type fencePhase uint8

const (
	fenceIndent fencePhase = iota // blanks at the start of a line
	fenceRun                      // a run that may close
	fenceAfter                    // blanks after it
	fenceRest                     // content
)

func (w *Writer) beginFence(sign byte, length int) {
	w.state = inFence
	w.fence = fence{sign: sign, length: length, indent: w.line.indent, quoted: w.line.quoted, phase: fenceRest}
}

func (w *Writer) writeFenceLine() {
	w.sink.code(w.hold)
	w.hold = w.hold[:0]
}

// fenceStep reads a character of fenced code.
func (w *Writer) fenceStep(r rune, raw string) {
	f := &w.fence
	if f.phase == fenceIndent && f.quoted && r != '>' && r != ' ' && f.column < 4 && f.column >= 0 {
		w.endFence()
		w.step(r, raw)
		return
	}
	if r == '\n' {
		closed := (f.phase == fenceRun || f.phase == fenceAfter) && f.run >= f.length
		w.sink.code([]byte(raw))
		f.phase, f.column, f.run = fenceIndent, 0, 0
		if closed {
			w.endFence()
		}
		return
	}
	f.next(r)
	w.sink.code([]byte(raw))
}

// next follows a line of code as far as needed to know whether it closes.
func (f *fence) next(r rune) {
	switch f.phase {
	case fenceIndent:
		switch {
		case r == ' ' || r == '\t':
			f.column++
			if r == '\t' {
				f.column += 3
			}
			return
		case r == '>' && f.quoted:
			// Past the quote sign the line cannot leave the quote any more.
			f.column = -1 << 20
			return
		case r == rune(f.sign) && f.closable():
			f.phase, f.run = fenceRun, 1
			return
		}
	case fenceRun:
		switch {
		case r == rune(f.sign):
			f.run++
			return
		case isBlank(r) || r == '\r':
			f.phase = fenceAfter
			return
		}
	case fenceAfter:
		if isBlank(r) || r == '\r' {
			return
		}
	}
	f.phase = fenceRest
}

func (f *fence) closable() bool { return f.column <= f.indent+3 }

// skipFence writes the rest of a line of code.
func (w *Writer) skipFence(s string) int {
	if w.fence.phase != fenceRest {
		return 0
	}
	n := strings.IndexByte(s, '\n')
	if n < 0 {
		n = len(s)
	}
	w.sink.codeString(s[:n])
	return n
}

func (w *Writer) endFence() {
	w.state = inText
	w.content()
	w.line.reset()
	w.prev = '\n'
}

// tildeStep reads tildes at the start of a line. Three begin a fence at once:
// no closer has to be waited for.
func (w *Writer) tildeStep(r rune, raw string) {
	if r == '~' {
		w.tilde++
		w.sink.put(r, raw)
		return
	}
	if w.tilde < 3 {
		w.state = inText
		w.line.content()
		w.prev = '~'
		w.step(r, raw)
		return
	}
	w.beginFence('~', w.tilde)
	w.line.content()
	w.step(r, raw)
}
