package toolcall

import (
	"fmt"
	"strings"
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
