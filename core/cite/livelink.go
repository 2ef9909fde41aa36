package cite

import (
	"bytes"
	"strings"
)

// closed decides what stands behind a closing bracket.
func (l *Live) closed(c byte) {
	l.take()
	l.emit("]")
	switch c {
	case '(':
		if l.broken {
			l.out = append(l.out, unlinked...)
			l.emit("(")
			return
		}
		l.depth, l.esc = 1, false
		l.hold(liveTarget, c)
	case ':': // no definition of a link
		l.out = append(l.out, unlinked...)
		l.emit(":")
	default:
		l.step(c)
	}
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
	case l.known[to]:
		l.emit(s)
	case strings.ContainsAny(to, ":/#?.%&\\"):
		// The label stays.
	default:
		l.out = append(l.out, unlinked...) // a remark
		l.emit("(")
		l.again(s[1:], false)
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
	if l.known[scheme+s] || l.known[scheme+s[:end]] {
		l.emit(s)
		return
	}
	dot := strings.IndexByte(s[1:], '.') + 1
	if s[0] == '.' || dot == 0 {
		dot = 0
	}
	l.emit(s[:dot])
	l.out = append(l.out, unlinked...)
	l.emit(s[dot:min(dot+1, len(s))])
	l.again(s[min(dot+1, len(s)):], true)
}
