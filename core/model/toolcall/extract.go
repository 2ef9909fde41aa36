package toolcall

import "strings"

// extractor reads all calls of a text that is known as a whole: the inside of a
// marker block, or a text the model was given. It goes from left to right and
// does not look into what it has read as a call.
type extractor struct {
	*toolset
	src   string
	inner bool // look into JSON that is no call
	work  int  // bytes that may still be read in vain
	calls []found
}

func (s *toolset) extract(src string, inner bool) []found {
	e := extractor{toolset: s, src: src, inner: inner, work: 8*len(src) + 1024}
	for i := 0; i < len(src); {
		i = e.at(i)
	}
	return e.calls
}

// at reads what begins at i and returns where to go on.
func (e *extractor) at(i int) int {
	c := e.src[i]
	switch {
	case c == '<':
		return e.tag(i)
	case c == '{' || c == '[':
		return e.json(i)
	case isLetter(c):
		return e.word(i)
	}
	return i + 1
}

func (e *extractor) add(call found, from, to int) int {
	call.raw = e.src[from:to]
	e.calls = append(e.calls, call)
	return to
}

func (e *extractor) json(i int) int {
	first := skipBlank(e.src, i+1)
	if first == len(e.src) || e.src[i] == '[' && e.src[first] != '{' || e.src[i] == '{' && e.src[first] == '{' {
		return i + 1
	}
	v, n, cut, err := parseLenient(e.src[i:])
	if err != nil {
		e.work -= n
		if e.work < 0 {
			return i + max(n, 1)
		}
		return i + 1
	}
	calls := e.namedCalls(v, 0)
	for _, call := range calls {
		if cut && len(call.args) == 0 {
			continue
		}
		e.add(call, i, i+n)
	}
	if len(calls) > 0 || !e.inner {
		return i + n
	}
	e.work -= n
	if e.work < 0 {
		return i + n
	}
	return i + 1
}

func (e *extractor) tag(i int) int {
	t, ok := readTag(e.src, i)
	if !ok {
		return i + 1
	}
	switch {
	case t.name == "invoke" || t.name == "function":
		call, end, ok := e.invoke(e.src, t)
		if ok {
			return e.add(call, i, end)
		}
		e.work -= end - i
		if t.attrs != "" && !e.inner || e.work < 0 {
			return max(end, t.end)
		}
	case t.name == "|tool_call_begin|" || t.name == "|tool_calls_begin|":
		if call, end, ok := e.tokenCall(t.end); ok {
			return e.add(call, i, end)
		}
	case t.name == "tool_call" || t.name == "function_call":
		if call, n, ok := e.keyed(e.src[t.end:]); ok {
			return e.add(call, i, t.end+n)
		}
	}
	return t.end
}

// tokenCall reads one call of DeepSeek or Kimi: up to two names around a
// separator token, then an object, which DeepSeek may put into a fence.
func (e *extractor) tokenCall(from int) (found, int, bool) {
	limit := min(len(e.src), from+512)
	open := strings.IndexByte(e.src[from:limit], '{')
	if open < 0 {
		return found{}, 0, false
	}
	head := plainBars.Replace(e.src[from : from+open])
	head = strings.ReplaceAll(head, "```json", "")
	left, right, ok := strings.Cut(strings.ReplaceAll(head, "<|tool_call_argument_begin|>", "<|tool_sep|>"), "<|tool_sep|>")
	if !ok {
		return found{}, 0, false
	}
	name := strings.TrimSpace(right)
	if name == "" {
		name = strings.TrimSpace(left)
	}
	t := e.resolve(name)
	if t == nil {
		return found{}, 0, false
	}
	v, n, cut, err := parseLenient(e.src[from+open:])
	o, isObject := v.(object)
	if err != nil || !isObject || cut && len(o) == 0 {
		return found{}, 0, false
	}
	return found{tool: t, args: coerceObject(o, t.schema, 0)}, from + open + n, true
}

// word reads the forms that begin with a tool's name: name(…), name {…},
// name[ARGS]{…}, harmony's to=name … {…} and ReAct's name, Action Input: {…}.
func (e *extractor) word(i int) int {
	end := i
	for end < len(e.src) && isNameByte(e.src[end]) {
		end++
	}
	next := skipBlank(e.src, end)
	if next == len(e.src) {
		return end
	}
	switch rest := e.src[end:]; {
	case rest[0] == '(':
		if call, n, ok := e.expression(e.src[i:]); ok {
			return e.add(call, i, i+n)
		}
		if e.src[i:end] == "print" {
			return end + 1
		}
	case e.src[next] == '{':
		if call, n, ok := e.nameThenObject(e.src[i:]); ok {
			return e.add(call, i, i+n)
		}
	case hasPrefixFold(e.src[next:], inputWord):
		return e.distant(i, end, "")
	case strings.HasPrefix(rest, "[ARGS]") || strings.HasPrefix(rest, "[CALL_ID]"):
		return e.distant(i, end, "[ARGS]")
	case e.src[i:end] == "to" && rest[0] == '=':
		from := end + 1
		for end = from; end < len(e.src) && isNameByte(e.src[end]); end++ {
		}
		return e.distant(from, end, "")
	}
	return end
}

// distant reads the object that follows a name after a few words or tokens.
func (e *extractor) distant(from, to int, after string) int {
	limit := min(len(e.src), to+256)
	n := strings.Index(e.src[to:limit], after+"{")
	t := e.resolve(e.src[from:to])
	if n < 0 && after != "" {
		n = strings.Index(e.src[to:limit], after+" {")
	}
	if n < 0 || t == nil {
		return to
	}
	open := to + n + strings.IndexByte(e.src[to+n:], '{')
	v, size, cut, err := parseLenient(e.src[open:])
	o, ok := v.(object)
	if err != nil || !ok || cut && len(o) == 0 {
		return to
	}
	return e.add(found{tool: t, args: coerceObject(o, t.schema, 0)}, from, open+size)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
