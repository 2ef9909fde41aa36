package render

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// Stream lets a growing answer out in pieces that can be appended to a message,
// for Slack's native streams (MarkdownBlock) or a Discord message. A piece never
// ends inside a link, an address, a token, inline code, a word that calls everybody
// or a character, and what goes out does not depend on how the answer was cut.
// It works on the surface of the text, so it holds back little: the final text,
// which Render makes, may differ in detail. Mrkdwn cannot be appended to, as its
// emphasis has to be known whole; use Draft there. Foreign links are decided before,
// by the core. Words that call everybody are broken in fences too, because what is
// a fence may turn out later.
//
// A Stream is not safe for concurrent use.
type Stream struct {
	d    Dialect
	text func(piece string)
	held string
	out  strings.Builder

	again string // is read before the rest of held, in the place of what a token took

	line  []byte // what came on this line, as far as it decides about fences and quotes
	last  byte   // the byte before
	fence *block // that is open
	quit  bool   // what comes on this line is no quote mark
}

// maxHeld is how many bytes of a label or of inline code are waited for.
const maxHeld = 1000

// NewStream makes a stream. The function gets the pieces in order, none empty, from
// within Write and Close.
func NewStream(d Dialect, text func(piece string)) *Stream {
	return &Stream{d: d, text: text, last: '\n'}
}

// Write takes the next piece of the answer, which may end anywhere.
func (s *Stream) Write(delta string) {
	s.held += delta
	s.run(false)
}

// Close lets out what is held. The stream must not be used afterwards.
func (s *Stream) Close() { s.run(true) }

func (s *Stream) run(final bool) {
	for s.held != "" {
		out, n := s.token(s.held, final)
		if n == 0 {
			break
		}
		switch taken := s.held[:n]; out {
		case "": // goes out later or not at all
		case "\n":
			s.note(out) // also for <br>
		default:
			s.note(taken)
		}
		s.out.WriteString(out)
		s.held, s.again = s.again+s.held[n:], ""
	}
	if s.out.Len() > 0 {
		piece := s.out.String()
		s.out.Reset()
		s.text(piece)
	}
}

// note keeps the book on line and fence.
func (s *Stream) note(taken string) {
	for i := range len(taken) {
		if taken[i] != '\n' {
			if len(s.line) < 200 {
				s.line = append(s.line, taken[i])
			}
			continue
		}
		s.endLine()
		s.line, s.quit = s.line[:0], false
	}
	s.last = taken[len(taken)-1]
}

func (s *Stream) endLine() {
	text := string(s.line)
	if s.fence != nil {
		if closes(text, s.fence) {
			s.fence = nil
		}
		return
	}
	s.fence = opening(text)
}

// token reads what stands first in h: what goes out for it and how long it is, 0 if
// more has to come first.
func (s *Stream) token(h string, final bool) (string, int) {
	c := h[0]
	if s.fence != nil && c != '@' || c >= utf8.RuneSelf {
		if n := runeEnd(h, final); n == 0 {
			return "", 0
		} else {
			return s.code(h[:n]), n
		}
	}
	switch c {
	case '\\':
		return s.backslash(h, final)
	case '`':
		return s.ticks(h, final)
	case '@':
		return s.at(h, final)
	case '<':
		return s.angle(h, final)
	case '>':
		return s.greater(h, final)
	case '[':
		return s.bracket(h, final)
	case '!':
		return s.image(h, final)
	case 'h', 'H':
		if !isWord(s.last) {
			return s.address(h, final)
		}
	}
	return h[:1], 1
}

func runeEnd(h string, final bool) int {
	if !utf8.FullRuneInString(h) && !final {
		return 0
	}
	_, n := utf8.DecodeRuneInString(h)
	return n
}

func (s *Stream) code(text string) string {
	if s.d == MarkdownBlock || s.d == Mrkdwn {
		return escapeBlock.Replace(text)
	}
	return text
}

func (s *Stream) backslash(h string, final bool) (string, int) {
	switch {
	case len(h) == 1 && !final:
		return "", 0
	case len(h) > 1 && util.IsPunct(h[1]) && h[1] != '@':
		return h[:1] + s.code(h[1:2]), 2
	}
	return h[:1], 1
}

// ticks reads a fence's line or inline code.
func (s *Stream) ticks(h string, final bool) (string, int) {
	run := len(h) - len(strings.TrimLeft(h, "`"))
	switch {
	case run >= maxHeld:
		return h[:maxHeld], maxHeld
	case run == len(h) && !final:
		return "", 0
	}
	if run >= 3 && strings.Trim(string(s.line), " >") == "" {
		return h[:run], run
	}
	// A span that ends where we stop looking may go on with more backticks.
	room := min(len(h), maxHeld)
	if end := codeEnd(h[:room]); end > run && (end < room || final && end == len(h)) {
		return s.code(h[:end]), end
	}
	if !final && len(h) < maxHeld && !strings.Contains(h, "\n") {
		return "", 0
	}
	return h[:run], run
}

// at reads a word that may call everybody.
func (s *Stream) at(h string, final bool) (string, int) {
	word := strings.ToLower(h[1:min(len(h), 9)])
	for _, w := range broadcasts {
		switch {
		case strings.HasPrefix(word, w):
			return "@" + zeroWidth, 1
		case strings.HasPrefix(w, word) && !final:
			return "", 0
		}
	}
	return "@", 1
}

// greater reads quote marks at the beginning of a line; three in a row are none.
func (s *Stream) greater(h string, final bool) (string, int) {
	if s.quit || strings.Trim(string(s.line), " >") != "" {
		return s.code(">"), 1
	}
	run := len(h) - len(strings.TrimLeft(h, ">"))
	if run == len(h) && run < 3 && !final {
		return "", 0
	}
	if run < 3 {
		return h[:run], run
	}
	s.quit = true
	if s.d == Discord {
		return "\\>>>", 3
	}
	return s.code(">>>"), 3
}
