package cite

import (
	"bytes"
	"strings"
)

// opens tells whether a fence may stand behind the beginning of a line. Behind three
// quote marks in a row none does: not everybody reads them as quotes.
func (l *Live) opens(line []byte) bool {
	if l.wary {
		return false
	}
	blanks, marks := 0, 0
	for _, c := range line {
		switch {
		case c == '>' && blanks < 4 && marks < 2:
			blanks, marks = 0, marks+1
		case c == ' ' && blanks < 4:
			blanks, marks = blanks+1, 0
		default:
			return false
		}
	}
	return blanks < 4 && len(line) < 64
}

func (l *Live) openFence(mark byte, wide int) {
	l.state, l.mark, l.wide, l.lines = liveFence, mark, wide, 0
	l.quote, l.dent = bytes.IndexByte(l.line, '>') >= 0, bytes.IndexByte(l.line, ' ') >= 0
}

// ticks decides about a run of backticks.
func (l *Live) ticks() {
	run := len(l.held)
	if run >= 3 && l.opens(l.line) { // kept until its line is over
		l.openFence('`', run)
		return
	}
	if l.strayed() {
		l.emit(l.take())
		return
	}
	l.state, l.wide = liveCode, run
}

// straying notes a run of backticks that opened no code. Code may go on over lines,
// which we do not wait for, so that a later run in the paragraph may be the end of
// it, and no code is taken for granted from there on.
func (l *Live) straying(s string) { l.stray = l.stray || strings.IndexByte(s, '`') >= 0 }

// strayed tells whether a run of backticks may be the end of code that we took for
// text.
func (l *Live) strayed() bool { return l.wary || l.stray }

// code waits for the end of a code span. What is none is read as text.
func (l *Live) code(c byte) {
	body := l.held[l.wide:]
	if run := len(body) - len(bytes.TrimRight(body, "`")); c != '`' && run == l.wide {
		l.emit(l.take())
		l.step(c)
		return
	}
	l.held = append(l.held, c)
	if c == '\n' || len(l.held) > maxMarker {
		l.end()
	}
}

// fence passes code on until a line that closes it, or one that ends the quote or
// the list that it stands in. Where that is not sure, code ends: a broken address
// in code is better than a live one outside.
func (l *Live) fence(c byte) {
	if l.lines == 0 { // the opening line, which is none if it goes on with ticks
		switch {
		case c == '`' && l.mark == '`':
			if l.strayed() {
				l.again(l.take()+"`", true)
				return
			}
			l.state = liveCode
			l.code(c)
		case c == '\n':
			l.emit(string(l.held) + "\n")
			l.held, l.lines = l.held[:0], 1
		default:
			l.held = append(l.held, c)
		}
		return
	}
	if len(l.line) == 0 && (l.quote && c != '>' || l.dent && strings.IndexByte(" >\n", c) < 0) {
		l.state, l.dull = liveText, !l.quote || c == ' ' // a quote ends for certain
		l.step(c)
		return
	}
	if c == '\n' {
		line := strings.TrimLeft(string(l.line), "> ")
		rest := strings.TrimLeft(line, string(l.mark))
		if len(line)-len(rest) >= l.wide && strings.TrimSpace(rest) == "" && len(l.line) < 64 {
			l.state = liveText
		}
	}
	l.emit(string([]byte{c}))
}
