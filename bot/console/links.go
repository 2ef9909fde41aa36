package console

import (
	"fmt"
	"io"
	"strings"
)

// longestLink bounds how much of a link is held back.
const longestLink = 4 << 10

// links writes an answer's text and shows its citation links as [n]. It knows
// which numbers are cited before their links come, so it holds back only what
// may be the start of one.
type links struct {
	to    io.Writer
	tty   bool
	known []string // what the links start with: [[n]](
	held  string
	slash bool // a backslash stands before what comes next
}

func newLinks(to io.Writer, tty bool) *links { return &links{to: to, tty: tty} }

// expect announces links of a number.
func (l *links) expect(number int) {
	l.known = append(l.known, fmt.Sprintf("[[%d]](", number))
}

func hyperlink(url, label string) string {
	return "\x1b]8;;" + Clean(url) + "\x1b\\" + label + "\x1b]8;;\x1b\\"
}

func (l *links) write(delta string) error {
	text := l.held + delta
	l.held = ""
	var out strings.Builder
	for text != "" {
		at := strings.IndexByte(text, '[')
		if at < 0 {
			out.WriteString(Clean(text))
			l.slash = strings.HasSuffix(text, "\\")
			break
		}
		out.WriteString(Clean(text[:at]))
		if at > 0 {
			l.slash = text[at-1] == '\\'
		}
		text = text[at:]
		size, shown, partial := l.match(text)
		switch {
		case l.slash: // a bracket that is escaped begins no link
			out.WriteByte('[')
			text, l.slash = text[1:], false
		case size > 0:
			out.WriteString(shown)
			text = text[size:]
		case partial:
			l.held, text = text, ""
		default:
			out.WriteByte('[')
			text = text[1:]
		}
	}
	_, err := io.WriteString(l.to, out.String())
	return err
}

// match finds the citation link that the text starts with, or tells that the
// text may be the start of one. Targets hold no parenthesis of their own: the
// citation writer encodes them.
func (l *links) match(text string) (size int, shown string, partial bool) {
	for _, head := range l.known {
		if strings.HasPrefix(head, text) {
			partial = true
		}
		if !strings.HasPrefix(text, head) {
			continue
		}
		end := strings.IndexAny(text[len(head):], ")\n ")
		switch {
		case end < 0:
			partial = len(text) < longestLink
		case text[len(head)+end] == ')':
			label := head[1 : len(head)-2]
			if l.tty {
				label = hyperlink(text[len(head):len(head)+end], label)
			}
			return len(head) + end + 1, label, false
		}
	}
	return 0, "", partial
}

// flush writes what was held: the text has ended.
func (l *links) flush() error {
	held := l.held
	l.held = ""
	_, err := io.WriteString(l.to, Clean(held))
	return err
}
