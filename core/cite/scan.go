package cite

import (
	"unicode/utf8"
)

// state is what the scanner is in the middle of.
type state uint8

const (
	inText   state = iota
	inMarker       // [ and what may follow in a marker
	inLabel        // [ and text that is no marker, where a link may have to go
	inImage        // ![ and its alternative text
	inTarget       // parenthesised target after a marker, label or image
	inURL          // what may become a URL that must not appear
	inCode         // inline code, or the opening line of a fence
	inFence        // fenced code
	inTildes       // tildes at the start of a line
	inMath         // an opener inside maths that may not be closed
	inPrefix       // ! or <, which goes with a deleted image or link
)

// Bounds of what is held, in bytes.
const (
	maxMarker = 1 << 10 // markers, labels, inline code
	maxTarget = 2 << 10 // link targets and bare URLs
)

// scanner is the reading half of a Writer.
type scanner struct {
	state state
	hold  []byte // raw input since the state began, where it holds any
	steps int    // characters read, again included
	part  []byte // a character cut by a token border
	again retry  // set while held text is read a second time

	prev rune // last character of plain text, 0 after anything else
	esc  bool // prev is a backslash that escapes
	line lineStart
	url  bareURL
	math rune // what closes the maths we are in: ) ] $ or 0

	mark    marker
	numbers []int // room for a marker's numbers
	roots   []int // and documents
	nest    int   // open brackets in an image's alternative text
	closed  bool
	target  target
	match   urlMatch
	angle   bool // the URL held began with <
	tick    ticks
	fence   fence
	tilde   int
	sums    mathHold
}

// retry says what must not be tried again on text that was held once, which
// keeps the work per byte constant.
type retry struct {
	noLabel  bool
	noTarget bool
	literal  bool // brackets are text
}

// feed reads input that may begin and end inside a character.
func (w *Writer) feed(s string) {
	if len(w.part) > 0 {
		s = string(w.part) + s
		w.part = w.part[:0]
	}
	for len(s) > 0 {
		if n := w.skip(s); n > 0 {
			s = s[n:]
			continue
		}
		if s[0] < utf8.RuneSelf {
			w.step(rune(s[0]), s[:1])
			s = s[1:]
			continue
		}
		if !utf8.FullRuneInString(s) {
			w.part = append(w.part[:0], s...)
			return
		}
		r, size := utf8.DecodeRuneInString(s)
		w.step(r, s[:size])
		s = s[size:]
	}
}

// reread reads held text again, without what already failed on it.
func (w *Writer) reread(s string, not retry) {
	before := w.again
	w.again = retry{
		noLabel:  before.noLabel || not.noLabel,
		noTarget: before.noTarget || not.noTarget,
		literal:  before.literal || not.literal,
	}
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		w.step(r, s[:size])
		s = s[size:]
	}
	w.again = before
}

// take leaves the held state and returns what was held.
func (w *Writer) take() string {
	s := string(w.hold)
	w.hold = w.hold[:0]
	w.state = inText
	return s
}

func (w *Writer) begin(s state, raw string) {
	w.state = s
	w.hold = append(w.hold[:0], raw...)
}

// step reads one character.
func (w *Writer) step(r rune, raw string) {
	w.steps++
	switch w.state {
	case inText:
		w.text(r, raw)
	case inMarker:
		w.markerStep(r, raw)
	case inLabel:
		w.labelStep(r, raw)
	case inImage:
		w.imageStep(r, raw)
	case inTarget:
		w.targetStep(r, raw)
	case inURL:
		w.urlStep(r, raw)
	case inCode:
		w.codeStep(r, raw)
	case inFence:
		w.fenceStep(r, raw)
	case inTildes:
		w.tildeStep(r, raw)
	case inMath:
		w.mathStep(r, raw)
	case inPrefix:
		w.prefixStep(r, raw)
	}
}

// text reads a character of plain text, which may begin something.
func (w *Writer) text(r rune, raw string) {
	if !w.begins(r, raw) {
		w.plain(r, raw)
	}
}

// begins enters another state if the character asks for one.
func (w *Writer) begins(r rune, raw string) bool {
	switch {
	case w.esc && (r == '`' || r == '~' || r == '!' || r == '<' || isOpener(r)):
		w.url.next(r, w.prev)
		return false
	case r == '`':
		w.beginCode(raw)
		return true
	case r == '~' && w.line.open():
		w.state, w.tilde = inTildes, 0
		w.tildeStep(r, raw)
		return true
	case r == '(' && w.prev == ']' && w.hiding() && !w.again.noTarget:
		w.beginTarget(afterText, raw)
		return true
	}
	w.url.next(r, w.prev)
	switch {
	case isOpener(r) && !w.url.inside && !w.again.literal:
		w.beginBracket(raw)
		return true
	case !w.hiding():
		return false
	case r == '<', r == '!' && !w.again.noLabel:
		w.begin(inPrefix, raw)
		return true
	}
	return w.beginURL(r, raw)
}

// beginBracket reads an opening bracket outside of code and URLs.
func (w *Writer) beginBracket(raw string) {
	switch {
	case w.math != 0:
		w.beginMathHold(raw)
	case w.prev == '!' && raw == "[" && !w.again.noLabel:
		w.beginImage(raw)
	default:
		w.beginMarker(raw)
	}
}

// prefixStep decides about a held ! or <.
func (w *Writer) prefixStep(r rune, raw string) {
	sign := w.take()
	if sign == "!" && r == '[' {
		w.beginImage(sign + raw)
		return
	}
	if sign == "<" && w.beginURL(r, raw) {
		w.hold = append(append(w.hold[:0], sign...), raw...)
		w.angle = true
		return
	}
	w.plain(rune(sign[0]), sign)
	w.step(r, raw)
}

// plain writes a character of plain text and keeps the book on it.
func (w *Writer) plain(r rune, raw string) {
	w.follow(r)
	w.line.next(r)
	w.sink.put(r, raw)
	if r < 0x80 && w.sources.hidden.first[byte(r)] {
		w.sink.risky = true
	}
	w.esc = r == '\\' && !w.esc
	w.prev = r
}

// content notes that something other than plain text was written.
func (w *Writer) content() {
	w.line.content()
	w.prev, w.esc = 0, false
	w.url = bareURL{}
}

func (w *Writer) hiding() bool { return w.sources.hidden.size > 0 }

// endHolds ends whatever is unfinished at the end of the answer. Each round
// releases at least one byte.
func (w *Writer) endHolds() {
	if len(w.part) > 0 {
		part := string(w.part)
		w.part = w.part[:0]
		w.reread(part, retry{})
	}
	for w.state != inText && w.state != inFence && w.state != inTildes {
		w.endHold()
	}
}

func (w *Writer) endHold() {
	switch w.state {
	case inMarker:
		w.endMarker()
	case inLabel, inImage:
		w.failLabel()
	case inTarget:
		w.failTarget()
	case inURL:
		w.endURL()
	case inCode:
		w.endCode()
	case inMath:
		w.failMath()
	case inPrefix:
		sign := w.take()
		w.plain(rune(sign[0]), sign)
	}
}
