package toolcall

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parser reads JSON. Strictly, or forgiving the faults that models make: single
// and curly quotes, trailing commas, raw line breaks, Python's words, closers
// that are missing inside or at the end. It is the one repair: what it cannot
// read is not a call.
type parser struct {
	src    string
	pos    int
	depth  int
	strict bool
	cut    bool // the text ended before the value was closed
	arrays int  // lists that are open around the position
}

// faultError names the byte where reading stopped. It never quotes the text.
type faultError struct {
	at   int
	what string
}

func (e *faultError) Error() string { return fmt.Sprintf("%s at byte %d", e.what, e.at) }

func (p *parser) fail(what string) error { return &faultError{p.pos, what} }

// parseLenient reads one value at the start of src, after blanks, and returns
// where it ends.
func parseLenient(src string) (v any, end int, cut bool, err error) {
	p := parser{src: src}
	v, err = p.value()
	return v, p.pos, p.cut, err
}

// parseWhole reads src as exactly one complete value.
func parseWhole(src string, strict bool) (any, error) {
	p := parser{src: src, strict: strict}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.cut {
		return nil, p.fail("the JSON is cut off")
	}
	p.blanks()
	if p.pos < len(p.src) {
		return nil, p.fail("more text after the JSON value")
	}
	return v, nil
}

func (p *parser) blanks() {
	for p.pos < len(p.src) && (isBlank(p.src[p.pos]) || p.src[p.pos] == 0) {
		p.pos++
	}
}

// peek skips blanks and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.blanks()
	if p.pos == len(p.src) {
		return 0
	}
	return p.src[p.pos]
}

func (p *parser) value() (any, error) {
	c := p.peek()
	switch {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		p.arrays++
		v, err := p.nested(p.list)
		p.arrays--
		return v, err
	case p.quoteAt() != 0:
		return p.str()
	case p.pos == len(p.src):
		return nil, p.fail("the JSON is cut off")
	}
	return p.literal()
}

func (p *parser) nested(read func() (any, error)) (any, error) {
	if p.depth == MaxDepth {
		return nil, p.fail(fmt.Sprintf("nesting deeper than %d levels", MaxDepth))
	}
	p.depth++
	p.pos++
	v, err := read()
	p.depth--
	return v, err
}

func (p *parser) object() (any, error) {
	o := object{}
	for comma := true; ; {
		switch c := p.peek(); {
		case p.pos == len(p.src):
			return p.cutOff(o, comma && len(o) > 0)
		case c == '}' && (!p.strict || !comma || len(o) == 0):
			p.pos++
			return o, nil
		case c == ']' && !p.strict && !comma && p.arrays > 0:
			return o, nil // closer of the list around: ours is missing
		case c == ',' && !comma:
			p.pos++
			comma = true
			continue
		case !comma:
			return nil, p.fail("a comma or closing brace is missing")
		case p.quoteAt() == 0:
			return nil, p.fail("a quoted key is missing")
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, p.fail("a colon is missing")
		}
		p.pos++
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		o = append(o, member{key, v})
		comma = false
	}
}

func (p *parser) list() (any, error) {
	l := list{}
	for comma := true; ; {
		switch c := p.peek(); {
		case p.pos == len(p.src):
			return p.cutOff(l, comma && len(l) > 0)
		case c == ']' && (!p.strict || !comma || len(l) == 0):
			p.pos++
			return l, nil
		case c == '}' && !p.strict && !comma && p.depth > p.arrays:
			return l, nil // closer of the object around: ours is missing
		case c == ',' && !comma:
			p.pos++
			comma = true
			continue
		case !comma:
			return nil, p.fail("a comma or closing bracket is missing")
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		l = append(l, v)
		comma = false
	}
}

// cutOff ends a value at the end of the text. After a comma something was still
// to come, so that is not repaired.
func (p *parser) cutOff(v any, open bool) (any, error) {
	if p.strict || open {
		return nil, p.fail("the JSON is cut off")
	}
	p.cut = true
	return v, nil
}

func (p *parser) literal() (any, error) {
	start := p.pos
	for p.pos < len(p.src) && isLiteralByte(p.src[p.pos]) {
		p.pos++
	}
	word := p.src[start:p.pos]
	switch word {
	case "true", "false":
		return word == "true", nil
	case "null":
		return nil, nil
	case "True", "False", "None":
		if !p.strict {
			if word == "None" {
				return nil, nil
			}
			return word == "True", nil
		}
	}
	if !validNumber(word) {
		p.pos = start
		return nil, p.fail("a value is missing")
	}
	if p.pos == len(p.src) && p.depth > 0 {
		return nil, p.fail("the JSON is cut off") // more digits may have followed
	}
	return number(word), nil
}

func isLiteralByte(c byte) bool { return isIdent(c) || c == '+' || c == '-' || c == '.' }

// validNumber checks JSON's number grammar.
func validNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := digits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// quoteAt returns the kind of the quote at the position, 0 if there is none.
func (p *parser) quoteAt() byte {
	if p.pos == len(p.src) {
		return 0
	}
	c := p.src[p.pos]
	if c == '"' {
		return c
	}
	if p.strict {
		return 0
	}
	if c == '\'' {
		return c
	}
	if c == 0xE2 && p.pos+2 < len(p.src) {
		return curlyKind(p.src[p.pos : p.pos+3])
	}
	return 0
}

// Kinds of curly quotes; straight ones are their own byte.
const (
	curlyDouble = 'D'
	curlySingle = 'S'
)

func curlyKind(s string) byte {
	switch s {
	case "“", "”", "„":
		return curlyDouble
	case "‘", "’":
		return curlySingle
	}
	return 0
}

// str reads a string. NUL and halves of surrogate pairs are left out, broken
// UTF-8 too.
func (p *parser) str() (string, error) {
	kind := p.quoteAt()
	p.pos += quoteLen(kind)
	var b strings.Builder
	from := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '\\':
			b.WriteString(p.src[from:p.pos])
			if err := p.escape(&b); err != nil {
				return "", err
			}
			from = p.pos
			continue
		case c < 0x20 && p.strict && c != 0:
			return "", p.fail("a control character stands in a string")
		case c == 0:
			b.WriteString(p.src[from:p.pos])
			from = p.pos + 1
		case p.closes(kind):
			b.WriteString(p.src[from:p.pos])
			p.pos += quoteLen(kind)
			return strings.ToValidUTF8(b.String(), ""), nil
		}
		p.pos++
	}
	return "", p.fail("the JSON is cut off inside a string")
}

func quoteLen(kind byte) int {
	if kind == curlyDouble || kind == curlySingle {
		return 3
	}
	return 1
}

// closes tells whether the quote at the position ends a string of the kind. An
// apostrophe inside a word does not.
func (p *parser) closes(kind byte) bool {
	if p.quoteAt() != kind {
		return false
	}
	if kind != '\'' && kind != curlySingle {
		return true
	}
	next := p.pos + quoteLen(kind)
	return next == len(p.src) || !isWordByte(p.src[next])
}

func isWordByte(c byte) bool { return isIdent(c) || c >= utf8.RuneSelf && c != 0xE2 }

func (p *parser) escape(b *strings.Builder) error {
	if p.pos+1 == len(p.src) {
		p.pos++
		return p.fail("the JSON is cut off inside a string")
	}
	c := p.src[p.pos+1]
	switch c {
	case '"', '\\', '/':
		b.WriteByte(c)
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'u':
		return p.unicode(b)
	default:
		if p.strict {
			return p.fail("an unknown escape stands in a string")
		}
		if c == '\'' {
			b.WriteByte(c)
		} else { // a Windows path or a regular expression: keep the backslash
			b.WriteByte('\\')
			p.pos++
			return nil
		}
	}
	p.pos += 2
	return nil
}

func (p *parser) unicode(b *strings.Builder) error {
	r, ok := p.hex(p.pos + 2)
	if !ok {
		return p.fail("a broken \\u escape stands in a string")
	}
	p.pos += 6
	switch {
	case r == 0:
		return nil
	case !utf16.IsSurrogate(r):
		b.WriteRune(r)
		return nil
	}
	if strings.HasPrefix(p.src[p.pos:], "\\u") {
		low, ok := p.hex(p.pos + 2)
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			b.WriteRune(pair)
			p.pos += 6
		}
	}
	return nil
}

func (p *parser) hex(at int) (rune, bool) {
	if at+4 > len(p.src) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.src[at : at+4]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
