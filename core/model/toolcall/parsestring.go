package toolcall

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
