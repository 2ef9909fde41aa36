package cite

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// unlinked is U+2060, which is not seen and keeps what it stands in from being
// read as a link.
const unlinked = "\u2060"

// Live lets only known addresses stay links. It reads Markdown while it streams:
// a link to any other address becomes its label in brackets, an image its
// alternative text in brackets, a bare URL text that is no link, and neither
// raw HTML nor a link definition works. Code stays as it is. So a text that was
// talked into it cannot carry what it knows to a place of somebody else's.
//
// It is not safe for concurrent use.
type Live struct {
	text  func(string)
	known map[string]bool

	state  liveState
	held   []byte // not decided yet
	out    []byte
	word   []byte // letters just before, which may be a URL's scheme
	wide   int    // of the fence or code span we are in
	lines  int    // of the fence that are over
	dent   bool   // the fence is indented
	dull   bool   // no code begins on this line
	slash  bool   // the character before is a backslash that escapes
	mark   byte   // of the fence
	quote  bool   // the fence stands in a block quote
	line   []byte // the line so far, as far as it decides about fences
	depth  int    // of parentheses in a target
	esc    bool   // the character before, in a target, was a backslash
	plain  bool   // held text is read again: it opens no code span
	broken bool   // and no link either
}

type liveState uint8

const (
	liveText   liveState = iota
	liveBang             // !
	liveLess             // <
	liveClose            // ]
	liveTarget           // ]( and a target
	liveColon            // : or :/ after a scheme, or . after www
	liveURL              // a bare URL
	liveTicks            // a run of backticks
	liveCode             // an inline code span
	liveFence            // a fence's opening line, or what it holds
)

// NewLive makes a filter that knows no address. The function gets what may be
// shown, in order, never empty.
func NewLive(text func(string)) *Live { return &Live{text: text, known: map[string]bool{}} }

// mostKnown bounds the addresses that are remembered.
const mostKnown = 10_000

// Allow makes an address one that stays a link, as it is and as this package
// writes it.
func (l *Live) Allow(url string) {
	url = strings.TrimSpace(url)
	if url == "" || len(l.known) >= mostKnown {
		return
	}
	l.known[url] = true
	scheme, _, _ := strings.Cut(url, ":")
	if safe, ok := linkURL(url, []string{scheme}); ok {
		l.known[safe] = true
	}
}

var addresses = regexp.MustCompile("(?i)(?:[a-z][a-z0-9+.-]{0,30}://|www\\.)[^\\s<>\"|`]+")

// AllowIn makes the addresses that stand in the text known.
func (l *Live) AllowIn(text string) {
	for _, url := range addresses.FindAllString(text, mostKnown) {
		l.Allow(url)
		l.Allow(url[:addressEnd([]byte(url))])
	}
}

// addressEnd is where an address ends that has punctuation behind it.
func addressEnd(url []byte) int {
	end, depth := len(url), 0
	for i, c := range url {
		if c == '(' {
			depth++
		} else if c == ')' {
			if depth--; depth < 0 {
				end = i
				break
			}
		}
	}
	for end > 0 && strings.IndexByte(".,;:!?'\"*_~]", url[end-1]) >= 0 {
		end--
	}
	return end
}

// Write takes the next piece, which may end anywhere.
func (l *Live) Write(s string) {
	for i := range len(s) {
		l.step(s[i])
	}
	l.flush()
}

// Close lets out what is held.
func (l *Live) Close() {
	for l.state != liveText {
		if l.state == liveFence {
			l.emit(l.take())
			break
		}
		l.end()
	}
	l.flush()
}

func (l *Live) flush() {
	// Half a letter waits for its other half.
	n := len(l.out)
	for i := n - 1; i >= 0 && i >= n-utf8.UTFMax; i-- {
		if utf8.RuneStart(l.out[i]) {
			if !utf8.FullRune(l.out[i:]) && l.state == liveText {
				n = i
			}
			break
		}
	}
	if n > 0 {
		text := string(l.out[:n])
		l.out = append(l.out[:0], l.out[n:]...)
		l.text(text)
	}
}

// emit writes text that is decided and keeps the book on line and word.
func (l *Live) emit(s string) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\n':
			l.line, l.dull = l.line[:0], false
		case len(l.line) < 64:
			l.line = append(l.line, c)
		}
		l.slash = c == '\\' && !l.slash
		if isSchemeByte(c) {
			if len(l.word) < 32 {
				l.word = append(l.word, c)
			}
		} else {
			l.word = l.word[:0]
		}
	}
	l.out = append(l.out, s...)
}

func isSchemeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-'
}

func (l *Live) hold(s liveState, c byte) {
	l.state, l.held = s, append(l.held, c)
}

// take leaves the state and returns what was held.
func (l *Live) take() string {
	s := string(l.held)
	l.state, l.held = liveText, l.held[:0]
	return s
}

// again reads text that was held once more.
func (l *Live) again(s string, plain bool) {
	before := l.plain
	l.plain = l.plain || plain
	for i := range len(s) {
		l.step(s[i])
	}
	l.plain = before
}

func (l *Live) step(c byte) {
	switch l.state {
	case liveText:
		l.begin(c)
	case liveBang:
		l.take()
		if c != '[' { // the sign of an image is left out
			l.emit("!")
		}
		l.step(c)
	case liveLess:
		l.take()
		l.emit("<")
		if isSchemeByte(c) || c == '/' || c == '!' || c == '?' {
			l.out = append(l.out, unlinked...)
		}
		l.step(c)
	case liveClose:
		l.closed(c)
	case liveTarget:
		l.target(c)
	case liveColon:
		l.colon(c)
	case liveURL:
		if c <= ' ' || c == 0x7f || strings.IndexByte("<>\"|`", c) >= 0 || len(l.held) > maxTarget {
			l.end()
			l.step(c)
			return
		}
		l.held = append(l.held, c)
	case liveTicks:
		if c == '`' {
			l.held = append(l.held, c)
			return
		}
		l.ticks()
		l.step(c)
	case liveCode:
		l.code(c)
	case liveFence:
		l.fence(c)
	}
}

// begin reads a character of plain text.
func (l *Live) begin(c byte) {
	switch {
	case c == '!':
		l.hold(liveBang, c)
	case c == '<':
		l.hold(liveLess, c)
	case c == ']':
		l.hold(liveClose, c)
	case c == ':' && len(l.word) > 0, c == '.' && strings.EqualFold(string(l.word), "www"):
		l.hold(liveColon, c)
	case c == '`' && !l.plain && !l.slash && !l.dull:
		l.hold(liveTicks, c)
	case c == '~' && !l.dull && strings.HasSuffix(string(l.line), "~~") && l.opens(l.line[:len(l.line)-2]):
		l.emit("~")
		l.openFence('~', 3)
	default:
		l.emit(string([]byte{c}))
	}
}

// end decides about what is held and does not go on.
func (l *Live) end() {
	was, scheme := l.state, string(l.word)
	s := l.take()
	switch was {
	case liveURL:
		l.endURL(scheme, s)
	case liveTarget:
		l.out = append(l.out, unlinked...) // no link
		l.emit("(")
		before := l.broken
		l.broken = true
		l.again(s[1:], true)
		l.broken = before
	case liveCode:
		body := s[l.wide:]
		if strings.HasSuffix(s, strings.Repeat("`", l.wide)) && len(body) > l.wide {
			l.emit(s)
			return
		}
		l.emit(s[:l.wide])
		l.again(body, true)
	case liveTicks:
		l.emit(s)
	default:
		l.emit(s)
	}
}
