package toolcall

import "strings"

// expression reads a call expression, name(arguments), at the start of src and
// returns where it ends; print(call) is the call. The value false means that it
// is none.
func (s *toolset) expression(src string) (found, int, bool) {
	if inner, ok := strings.CutPrefix(src, "print("); ok {
		call, end, ok := s.callExpression(inner)
		end = skipBlank(inner, end)
		return call, len("print(") + end + 1, ok && end < len(inner) && inner[end] == ')'
	}
	return s.callExpression(src)
}

func (s *toolset) callExpression(src string) (found, int, bool) {
	n := 0
	for n < len(src) && isNameByte(src[n]) && src[n] != ':' {
		n++
	}
	name := src[:n]
	if n == 0 || n == len(src) || src[n] != '(' {
		return found{}, 0, false
	}
	t := s.resolve(trimCall(name))
	if t == nil {
		return found{}, 0, false
	}
	args, end, ok := expressionArguments(src[n+1:], t)
	return found{tool: t, args: args}, n + 1 + end, ok
}

// trimCall drops the method name that Llama writes for its built-in tools.
func trimCall(name string) string {
	if cut := len(name) - len(".call"); cut > 0 && name[cut:] == ".call" {
		return name[:cut]
	}
	return name
}

// expressionArguments reads keyword arguments, or one value that the tool's
// only field takes, up to the closing parenthesis.
func expressionArguments(src string, t *tool) (object, int, bool) {
	p := parser{src: src}
	named := object{}
	for {
		c := p.peek()
		switch {
		case c == ')':
			p.pos++
			return coerceObject(named, t.schema, 0), p.pos, true
		case c == ',' && len(named) > 0:
			p.pos++
			continue
		case !isLetter(c) || !p.keyword():
			return positional(&p, t, named)
		}
		start := p.pos
		for isIdent(p.src[p.pos]) {
			p.pos++
		}
		key := p.src[start:p.pos]
		p.peek() // the sign that keyword has seen
		p.pos++
		v, err := p.value()
		if err != nil || p.cut {
			return nil, 0, false
		}
		named = append(named, member{key, v})
		if c := p.peek(); c != ',' && c != ')' {
			return nil, 0, false
		}
	}
}

// keyword looks ahead for a word that is followed by "=" or ":".
func (p *parser) keyword() bool {
	i := p.pos
	for i < len(p.src) && isIdent(p.src[i]) {
		i++
	}
	for i < len(p.src) && isBlank(p.src[i]) {
		i++
	}
	return i < len(p.src) && (p.src[i] == '=' || p.src[i] == ':')
}

func positional(p *parser, t *tool, named object) (object, int, bool) {
	if len(named) > 0 {
		return nil, 0, false
	}
	v, err := p.value()
	if err != nil || p.cut || p.peek() != ')' {
		return nil, 0, false
	}
	p.pos++
	args, ok := coerceArguments(v, t.schema)
	return args, p.pos, ok
}

// expressions reads text that consists of call expressions alone, as a list in
// brackets too, or of one name followed by an object of arguments.
func (s *toolset) expressions(src string) []found {
	i := skipBlank(src, 0)
	bracket := i < len(src) && src[i] == '['
	if bracket {
		i++
	}
	var calls []found
	for {
		i = skipAny(src, i, " \t\r\n,;")
		if i == len(src) || bracket && src[i] == ']' {
			break
		}
		call, n, ok := s.expression(src[i:])
		if !ok {
			return nil
		}
		call.raw = src[i : i+n]
		calls = append(calls, call)
		i += n
	}
	if bracket && skipBlank(src, min(i+1, len(src))) != len(src) {
		return nil
	}
	return calls
}

// nameThenObject reads name {arguments} at the start of src.
func (s *toolset) nameThenObject(src string) (found, int, bool) {
	n := 0
	for n < len(src) && isNameByte(src[n]) {
		n++
	}
	open := skipBlank(src, n)
	if n == 0 || open == len(src) || src[open] != '{' {
		return found{}, 0, false
	}
	t := s.resolve(src[:n])
	if t == nil {
		return found{}, 0, false
	}
	v, end, cut, err := parseLenient(src[open:])
	o, ok := v.(object)
	if err != nil || !ok || cut && len(o) == 0 || describes(t, o) {
		return found{}, 0, false
	}
	return found{tool: t, args: coerceObject(o, t.schema, 0)}, open + end, true
}

func skipBlank(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

func skipAny(s string, i int, set string) int {
	for i < len(s) {
		in := false
		for j := range len(set) {
			in = in || s[i] == set[j]
		}
		if !in {
			return i
		}
		i++
	}
	return i
}
