package console

import (
	"fmt"
	"io"
	"strings"
)

// links writes an answer's text and shows the citation links that it was told
// of as [n]. It knows each link's exact text before it comes, so it holds back
// only what may be the start of one.
type links struct {
	to    io.Writer
	tty   bool
	known map[string]string // link as it stands in the text → what is shown
	held  string
}

func newLinks(to io.Writer, tty bool) *links {
	return &links{to: to, tty: tty, known: map[string]string{}}
}

// expect announces a link that the text will hold.
func (l *links) expect(number int, url string) {
	if url == "" {
		return
	}
	plain := fmt.Sprintf("[%d]", number)
	shown := plain
	if l.tty {
		shown = hyperlink(url, plain)
	}
	l.known[fmt.Sprintf("[%s](%s)", plain, url)] = shown
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
			break
		}
		out.WriteString(Clean(text[:at]))
		text = text[at:]
		link, shown, partial := l.match(text)
		switch {
		case link != "":
			out.WriteString(shown)
			text = text[len(link):]
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

// match finds the known link that the text starts with, or tells that the text
// is the start of one.
func (l *links) match(text string) (link, shown string, partial bool) {
	for candidate, as := range l.known {
		if strings.HasPrefix(text, candidate) {
			return candidate, as, false
		}
		partial = partial || strings.HasPrefix(candidate, text)
	}
	return "", "", partial
}

// flush writes what was held: the text has ended.
func (l *links) flush() error {
	held := l.held
	l.held = ""
	_, err := io.WriteString(l.to, Clean(held))
	return err
}
