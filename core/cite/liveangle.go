package cite

import (
	"bytes"
	"strings"
)

// angle reads what stands in angle brackets: an address, an address and a label as
// Slack writes them, a line break, or a comment.
func (l *Live) angle(c byte) {
	comment := bytes.HasPrefix(l.held, []byte("<!--"))
	switch {
	case comment && c == '>' && bytes.HasSuffix(l.held, []byte("--")) && len(l.held) > 5:
		l.take()
		l.joint = true
		return
	case comment && (len(l.held) > maxMarker || c == '\n' && l.held[len(l.held)-1] == '\n'):
	case comment:
		l.held = append(l.held, c)
		return
	case c == '>':
		l.endAngle(string(l.held[1:]))
		return
	case c == ' ' && strings.EqualFold(string(l.held), "<br"):
		l.held = append(l.held, c)
		return
	case c > ' ' && c != '<' && c != '`' && len(l.held) < maxTarget:
		l.held = append(l.held, c)
		return
	}
	l.end()
	l.step(c)
}

func (l *Live) endAngle(inner string) {
	l.take()
	url, label, labelled := strings.Cut(inner, "|")
	name := strings.TrimRight(strings.TrimSuffix(inner, "/"), " ")
	switch {
	case strings.EqualFold(name, "br"):
		l.emit("<" + inner + ">")
	case !strings.Contains(url, "://"):
		l.emit("<")
		l.unlink()
		l.again(inner+">", false)
	case labelled && l.known[url] && label != "": // in Markdown, where the label is looked at too
		l.bracket(false)
		l.again(label, true)
		l.settle()
		l.again("]("+url+")", false)
	case labelled && label != "":
		l.joint = true
		l.again(label, true)
		l.settle()
		l.joint = true
	case l.known[url]:
		l.emit("<" + url + ">")
	default:
		l.joint = true
		l.again(url, true)
		l.settle()
		l.joint = true
	}
}

// settle decides about an address that ends here.
func (l *Live) settle() {
	for l.state != liveText {
		l.end()
	}
}

// defines tells whether a colon behind the bracket just read makes a definition.
func (l *Live) defines() bool {
	if l.slash || len(l.labels) == 0 {
		return false
	}
	o := l.labels[len(l.labels)-1]
	return o.margin && !o.bang && l.above && bytes.IndexByte(l.out[o.at:], '\n') < 0
}

// define reads a definition to the end of its line.
func (l *Live) define(c byte) {
	if c != '\n' && len(l.held) < maxTarget {
		l.held = append(l.held, c)
		return
	}
	l.end()
	l.step(c)
}

// endDefinition keeps the definition of a known link. Another one is kept with no
// address, so that what refers to it is a label.
func (l *Live) endDefinition(s string) {
	l.pop()
	rest := strings.TrimSpace(s[2:])
	to := destination(rest)
	_, title, _ := strings.Cut(rest, to)
	title = strings.TrimLeft(title, "> \t")
	switch {
	case to == "" || strings.ContainsAny(to, " \t") || title != "" && strings.IndexByte("\"'(", title[0]) < 0:
	case l.known[to]:
		l.emit(s)
		l.defined = true
		return
	case strings.ContainsAny(to, ":/#?.%&\\"):
		l.emit("]: <>")
		l.defined = true
		return
	}
	l.emit("]")
	l.unlink()
	l.emit(":")
	l.again(s[2:], true)
}
