package cite

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// unlinked is U+2060, which is not seen and keeps what it stands in from being
// read as a link.
const unlinked = "\u2060"

// Live lets only known addresses stay links. It reads Markdown while it streams:
// a link to any other address becomes its label, an image its alternative text, a
// bare URL text that is no link, and neither raw HTML nor a definition of such a
// link works; comments are left out. Code stays as it is. So a text that was talked
// into it cannot carry what it knows to a place of somebody else's.
//
// Where a label without its brackets could be read as something else together with
// what stands around it, the unlinked character takes the place of the brackets.
// What a label holds waits until its end is known, for at most 1,000 bytes.
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

	labels  []liveOpen // brackets in out that may begin a label, outermost first
	joint   bool       // something was left out just here
	above   bool       // the line above is blank, or a definition
	defined bool       // this line is a definition
	wary    bool       // it is not sure whether a fence is open: no code is, from here on
	stray   bool       // backticks that opened no code stand in this paragraph
	sent    byte       // the last byte that went out
}

type liveState uint8

const (
	liveText   liveState = iota
	liveBang             // !
	liveLess             // <
	liveAngle            // < and letters, or a comment
	liveDefine           // ]: and what a definition holds
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
func NewLive(text func(string)) *Live {
	return &Live{text: text, known: map[string]bool{}, above: true, sent: '\n'}
}

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

// Addresses of other schemes run programs or open files where they are followed.
var addresses = regexp.MustCompile("(?i)\\b(?:https?://|www\\.)[^\\s<>\"|`]+")

// AllowIn makes the addresses of web pages that stand in the text known.
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
	l.labels = nil
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
	if len(l.labels) > 0 {
		n = min(n, l.labels[0].from())
	}
	if n > 0 {
		text := string(l.out[:n])
		l.sent = l.out[n-1]
		l.out = append(l.out[:0], l.out[n:]...)
		for i := range l.labels {
			l.labels[i].at -= n
		}
		l.text(text)
	}
}

// emit writes text that is decided and keeps the book on line and word.
func (l *Live) emit(s string) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\n':
			if len(l.line) == 0 { // the end of the paragraph
				l.labels, l.stray = l.labels[:0], false
			}
			l.above, l.defined = len(l.line) == 0 || l.defined, false
			l.line, l.dull = l.line[:0], false
		case len(l.line) < 64:
			l.line = append(l.line, c)
		}
		l.slash = c == '\\' && !l.slash
		if isSchemeByte(c) {
			if len(l.word) == 32 {
				l.word = append(l.word[:0], l.word[1:]...)
			}
			l.word = append(l.word, c)
		} else {
			l.word = l.word[:0]
		}
	}
	l.out = append(l.out, s...)
	l.release()
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
	if l.plain = l.plain || plain; l.plain {
		l.straying(s)
	}
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
		l.emit("!")
		if c == '[' && !l.slash {
			l.bracket(true)
			return
		}
		l.step(c)
	case liveLess:
		if (isSchemeByte(c) || c == '!') && !l.slash {
			l.hold(liveAngle, c)
			return
		}
		l.take()
		l.emit("<")
		// HTML, and what chat platforms take for a mention.
		if isSchemeByte(c) || strings.IndexByte("/!?@#", c) >= 0 {
			l.unlink()
		}
		l.step(c)
	case liveAngle:
		l.angle(c)
	case liveDefine:
		l.define(c)
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
	if l.joint {
		l.joint = false
		l.part(c)
	}
	if l.dull && (c == '`' || c == '~') {
		l.wary = true
	}
	switch {
	case c == '[' && !l.slash:
		l.bracket(false)
	case c == '!':
		l.hold(liveBang, c)
	case c == '<':
		l.hold(liveLess, c)
	case c == ']':
		l.hold(liveClose, c)
	case c == ':' && len(l.word) > 0, c == '.' && endsWWW(l.word):
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

func endsWWW(word []byte) bool {
	return len(word) >= 3 && bytes.EqualFold(word[len(word)-3:], []byte("www"))
}

// end decides about what is held and does not go on.
func (l *Live) end() {
	was, scheme := l.state, string(l.word)
	s := l.take()
	switch was {
	case liveURL:
		l.endURL(scheme, s)
	case liveAngle:
		l.emit("<")
		l.unlink()
		l.again(s[1:], false)
	case liveDefine:
		l.endDefinition(s)
	case liveTarget:
		l.noLink()
		before := l.broken
		l.broken = true
		l.again(s[1:], true)
		l.broken = before
	case liveCode:
		body := s[l.wide:]
		if run := len(body) - len(strings.TrimRight(body, "`")); run == l.wide && len(body) > run {
			l.emit(s)
			return
		}
		l.straying(s[:l.wide])
		l.emit(s[:l.wide])
		l.again(body, true)
	case liveTicks:
		l.emit(s)
	default:
		l.emit(s)
	}
}
