package toolcall

import (
	"html"
	"strings"
)

// invoke reads an invoke or function element whose opening tag is t and returns
// the index after it. Children are parameters, or the body is one JSON object.
func (s *toolset) invoke(src string, t tag) (found, int, bool) {
	tool := s.resolve(html.UnescapeString(t.attr("name")))
	if t.empty {
		return found{tool: tool, args: object{}}, t.end, tool != nil
	}
	body := elementBody(src, t.end, t.name)
	end := t.end + len(body)
	if end < len(src) {
		if close, ok := readTag(src, end); ok && close.name == "/"+t.name {
			end = close.end
		}
	}
	if tool == nil {
		return found{}, end, false
	}
	if v := strings.TrimSpace(body); strings.HasPrefix(v, "{") {
		args, ok := objectBody(v, tool)
		return found{tool: tool, args: args}, end, ok
	}
	args, ok := parameters(body, tool, end == len(src) && end == t.end+len(body))
	return found{tool: tool, args: args}, end, ok
}

func objectBody(src string, t *tool) (object, bool) {
	v, _, cut, err := parseLenient(src)
	o, ok := v.(object)
	if err != nil || !ok || cut && len(o) == 0 {
		return nil, false
	}
	return coerceObject(o, t.schema, 0), true
}

// elementBody returns the text up to the closing tag, or up to the closing tag
// of what is around it, or all that is left. Closing tags inside parameters do
// not count while the parameter is open.
func elementBody(src string, from int, name string) string {
	for i := from; i < len(src); {
		n := strings.Index(src[i:], "</")
		if n < 0 {
			break
		}
		i += n
		t, ok := readTag(src, i)
		if ok && (t.name == "/"+name || elements[strings.TrimPrefix(t.name, "/")] != blockNone) {
			return src[from:i]
		}
		i += 2
	}
	return src[from:]
}

// parameters reads the parameter elements of a body. In a body that was cut off
// the last value counts only if it is complete JSON.
func parameters(body string, t *tool, cut bool) (object, bool) {
	args := object{}
	seen := map[string]int{}
	for i := 0; ; {
		n := strings.IndexByte(body[i:], '<')
		if n < 0 {
			break
		}
		i += n
		p, ok := readTag(body, i)
		if !ok {
			if cut {
				return nil, false // half an opening tag: something was still to come
			}
			i++
			continue
		}
		i = p.end
		if p.name != "parameter" && p.name != "param" && p.name != "arg" {
			continue
		}
		value, end, closed := parameterText(body, i, p.name)
		i = end
		v := parameterValue(value, t, p)
		if !closed && cut && !completeJSON(value) {
			return nil, false
		}
		args = addParameter(args, seen, html.UnescapeString(p.attr("name")), v)
	}
	if cut && len(args) == 0 {
		return nil, false // cut off before anything was given
	}
	return coerceObject(args, t.schema, 0), true
}

// addParameter collects repeated parameters into a list.
func addParameter(args object, seen map[string]int, name string, v any) object {
	seen[name]++
	if seen[name] == 1 {
		return append(args, member{name, v})
	}
	before, _ := args.get(name)
	if all, ok := before.(list); ok && seen[name] > 2 {
		return args.set(name, append(all, flat(v)...))
	}
	return args.set(name, append(flat(before), flat(v)...))
}

func flat(v any) list {
	if l, ok := v.(list); ok {
		return append(list{}, l...)
	}
	return list{v}
}

func parameterText(body string, from int, name string) (value string, end int, closed bool) {
	for i := from; ; {
		n := strings.Index(body[i:], "</")
		if n < 0 {
			return body[from:], len(body), false
		}
		i += n
		if t, ok := readTag(body, i); ok && t.name == "/"+name {
			return body[from:i], t.end, true
		}
		i += 2
	}
}

// parameterValue decodes a parameter's text by the type that the schema gives
// the field. string="true" keeps text as text, string="false" means JSON.
func parameterValue(text string, t *tool, p tag) any {
	var s *schema
	if prop := t.schema.property(html.UnescapeString(p.attr("name"))); prop != nil {
		s = prop.schema
	}
	return typedText(html.UnescapeString(text), s, p.attr("string"))
}

func typedText(text string, s *schema, isString string) any {
	if inner, ok := strings.CutPrefix(strings.TrimSpace(text), "<![CDATA["); ok {
		text = strings.TrimSuffix(inner, "]]>")
	}
	kept := strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	if isString == "true" {
		return kept
	}
	wantsText := s != nil && s.takes("string") && !s.takes("array") && !s.takes("object")
	if wantsText && isString != "false" {
		return kept
	}
	if v, err := parseWhole(strings.TrimSpace(text), false); err == nil {
		return v
	}
	if wantsText {
		return kept
	}
	return strings.TrimSpace(text)
}

// completeJSON tells whether a cut-off value is whole in itself. A bare word or
// number is not: more of it may have followed.
func completeJSON(text string) bool {
	text = strings.TrimSpace(html.UnescapeString(text))
	if text == "" || !strings.ContainsRune("{[\"", rune(text[0])) {
		return false
	}
	_, err := parseWhole(text, true)
	return err == nil
}

// keyed reads GLM's form: a name followed by arg_key and arg_value elements, or
// by nothing, up to the closing tag of the block or the end of the text.
func (s *toolset) keyed(src string) (found, int, bool) {
	n := strings.IndexByte(src, '<')
	head, rest := src, ""
	if n >= 0 {
		head, rest = src[:n], src[n:]
	}
	t := s.resolve(head)
	if t == nil || strings.TrimSpace(head) == "" {
		return found{}, 0, false
	}
	args := object{}
	for {
		key, n, ok := element(rest, "arg_key")
		if !ok {
			break
		}
		value, m, ok := element(rest[n:], "arg_value")
		if !ok {
			return found{}, 0, false
		}
		rest = rest[n+m:]
		p := t.schema.property(strings.TrimSpace(key))
		var prop *schema
		if p != nil {
			prop = p.schema
		}
		args = append(args, member{strings.TrimSpace(key), typedText(html.UnescapeString(value), prop, "")})
	}
	tail := strings.TrimSpace(rest)
	if tail == "" && len(args) == 0 || tail != "" && !strings.HasPrefix(tail, "</") {
		return found{}, 0, false // cut off, or no call at all
	}
	return found{tool: t, args: coerceObject(args, t.schema, 0)}, len(src) - len(rest), true
}

// element reads <name>text</name> after blanks; a value cut off at the end
// counts if it is complete JSON.
func element(src, name string) (text string, end int, ok bool) {
	i := skipBlank(src, 0)
	if i == len(src) || src[i] != '<' {
		return "", 0, false
	}
	open, ok := readTag(src, i)
	if !ok || open.name != name {
		return "", 0, false
	}
	text, end, closed := parameterText(src, open.end, name)
	return text, end, closed || completeJSON(text)
}
