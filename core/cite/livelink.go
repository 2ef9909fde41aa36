package cite

import (
	"bytes"
	"strings"
)

// liveOpen is a bracket in the output that may begin a label.
type liveOpen struct {
	at     int
	bang   bool // an image's: an exclamation mark stands before it
	margin bool // nothing but quote marks stands before it on its line
}

// from is where its link begins.
func (o liveOpen) from() int {
	if o.bang {
		return o.at - 1
	}
	return o.at
}

// bracket opens a label.
func (l *Live) bracket(bang bool) {
	o := liveOpen{at: len(l.out), bang: bang, margin: strings.Trim(string(l.line), " >") == ""}
	l.labels = append(l.labels, o)
	l.emit("[")
}

// release gives up on brackets that stay open for too long.
func (l *Live) release() {
	for len(l.labels) > 0 && len(l.out)-l.labels[0].at > maxMarker {
		if o := l.labels[0]; o.bang { // whatever it was, it is no image
			l.insert(o.at, 0, unlinked)
		}
		l.labels = append(l.labels[:0], l.labels[1:]...)
	}
}

// insert replaces n bytes of the output.
func (l *Live) insert(at, n int, s string) {
	l.out = append(l.out[:at], append([]byte(s), l.out[at+n:]...)...)
	for i := range l.labels {
		if l.labels[i].at > at || n == 0 && l.labels[i].at == at {
			l.labels[i].at += len(s) - n
		}
	}
}

// unlink writes what keeps text apart. It counts as text of its line.
func (l *Live) unlink() {
	l.out = append(l.out, unlinked...)
	if len(l.line) < 64 {
		l.line = append(l.line, unlinked...)
	}
}

// pop is the bracket that the one just read closes.
func (l *Live) pop() (liveOpen, bool) {
	if l.slash || len(l.labels) == 0 {
		return liveOpen{}, false
	}
	o := l.labels[len(l.labels)-1]
	l.labels = l.labels[:len(l.labels)-1]
	return o, true
}

// closed decides what stands behind a closing bracket.
func (l *Live) closed(c byte) {
	l.take()
	switch {
	case c == '(' && l.broken:
		l.noLink()
	case c == '(':
		l.depth, l.esc = 1, false
		l.hold(liveTarget, c)
	case c == ':' && l.defines():
		l.held = append(l.held, "]"...)
		l.hold(liveDefine, c)
	case c == ':': // no definition of a link
		l.pop()
		l.emit("]")
		l.unlink()
		l.emit(":")
	default:
		l.pop()
		l.emit("]")
		l.step(c)
	}
}

// noLink writes the bracket and the parenthesis of what only looks like a link.
func (l *Live) noLink() {
	l.pop()
	l.emit("]")
	l.unlink()
	l.emit("(")
}

// target reads a link's target to its end.
func (l *Live) target(c byte) {
	l.held = append(l.held, c)
	switch {
	case l.esc:
		l.esc = false
	case c == '\\':
		l.esc = true
	case c == '(':
		l.depth++
	case c == ')':
		l.depth--
	}
	switch {
	case l.depth == 0:
		l.endTarget(string(l.held))
	case bytes.HasSuffix(l.held, []byte("\n\n")) || len(l.held) > maxTarget:
		l.end()
	}
}

func (l *Live) endTarget(s string) {
	l.take()
	to := destination(s[1 : len(s)-1])
	switch {
	case l.known[to] && strings.IndexByte(s, '`') < 0: // which could begin code
		if o, ok := l.pop(); ok && o.bang {
			l.noImage(o)
		}
		l.emit("]" + s)
	case strings.ContainsAny(to, ":/#?.%&\\"):
		l.dead()
	default: // a remark
		l.noLink()
		l.again(s[1:], false)
	}
}

// noImage makes a link of an image. An exclamation mark before a citation is one.
func (l *Live) noImage(o liveOpen) {
	if bytes.HasPrefix(l.out[o.at:], []byte("[[")) {
		l.insert(o.at, 0, unlinked)
		return
	}
	l.insert(o.at-1, 1, "")
}

// dead leaves the label of a link.
func (l *Live) dead() {
	o, ok := l.pop()
	if !ok {
		l.emit("]")
		return
	}
	label := string(l.out[o.at+1:])
	before := l.before(o.from())
	switch {
	case label == "" && !isSchemeByte(before): // as if it had never been
		l.line = bytes.TrimSuffix(bytes.TrimSuffix(l.line, []byte("[")), []byte("!"))
	case !l.alone(before, label):
		l.insert(o.from(), o.at+1-o.from(), unlinked)
		l.unlink()
		return
	}
	l.insert(o.from(), o.at+1-o.from(), "")
	l.joint = true
}

// alone tells whether a label behind a character means the same without brackets.
func (l *Live) alone(before byte, label string) bool {
	if before < 0x80 && strings.IndexByte(" \t\n([\"'*_~|,;", before) < 0 || strings.Contains(label, "```") || strings.Contains(label, "~~~") {
		return false
	}
	if ticks := strings.Count(label, "`"); ticks%2 != 0 || ticks > 0 && (l.stray || strings.Contains(label, "\n")) {
		return false // it may hold half of some code
	}
	return strings.IndexFunc(label, isWord) >= 0
}

// before is the byte that stands before a place in the output.
func (l *Live) before(at int) byte {
	if at > 0 {
		return l.out[at-1]
	}
	return l.sent
}

// part keeps a character from being read together with what stands before
// something that was left out.
func (l *Live) part(c byte) {
	last := l.before(len(l.out))
	switch {
	case c <= ' ' || last <= ' ' || last >= 0x80 || isSchemeByte(last) && last != '-' && last != '+':
	case strings.IndexByte(")\"'*_,;?", last) >= 0, last == '`' && c != '`':
	default:
		l.unlink()
	}
}

// colon decides whether a bare URL begins.
func (l *Live) colon(c byte) {
	s := string(l.held)
	switch {
	case s == "." && c > ' ':
		l.hold(liveURL, c)
	case s == ":" && c == '/':
		l.held = append(l.held, c)
	case s == ":/" && c == '/':
		l.hold(liveURL, c)
	default:
		l.end()
		l.step(c)
	}
}

// endURL writes a bare URL, broken if it is not known.
func (l *Live) endURL(scheme, s string) {
	end := addressEnd([]byte(s))
	if l.known[scheme+s] {
		l.emit(s)
		return
	}
	if l.known[scheme+s[:end]] {
		l.emit(s[:end])
		l.again(s[end:], true)
		return
	}
	dot := strings.IndexByte(s[1:], '.') + 1
	if s[0] == '.' || dot == 0 {
		dot = 0
	}
	l.emit(s[:dot])
	l.unlink()
	l.emit(s[dot:min(dot+1, len(s))])
	l.again(s[min(dot+1, len(s)):], true)
}
