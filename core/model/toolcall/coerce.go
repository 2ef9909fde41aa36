package toolcall

import (
	"math"
	"strconv"
	"strings"
)

// coerceArguments makes the arguments object of a call from whatever stood in
// its place. False means that the value cannot be this tool's arguments.
func coerceArguments(v any, s *schema) (object, bool) {
	switch v := v.(type) {
	case nil:
		return object{}, true
	case object:
		return coerceObject(v, s, 0), true
	case string:
		if inner, ok := embedded(v); ok {
			return coerceArguments(inner, s)
		}
		trimmed := strings.TrimSpace(v)
		if trimmed == "" {
			return object{}, true
		}
		if trimmed[0] == '{' { // only closers may be missing
			inner, n, _, err := parseLenient(trimmed)
			if err != nil || n != len(trimmed) {
				return nil, false
			}
			return coerceArguments(inner, s)
		}
	}
	p := s.sole()
	if p == nil {
		return object{}, len(s.props) == 0 && !s.open // the tool takes nothing
	}
	if _, isList := v.(list); isList && !p.schema.takes("array") {
		return nil, false
	}
	return object{{p.name, coerce(v, p.schema, 0)}}, true
}

// embedded decodes a string that holds a JSON object or list.
func embedded(s string) (any, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '{' && s[0] != '[' {
		return nil, false
	}
	v, err := parseWhole(s, false)
	return v, err == nil
}

// coerceObject gives every known field its type and drops unknown ones unless
// the schema is open. A null in a field that takes none means "not given".
func coerceObject(o object, s *schema, depth int) object {
	out := object{}
	for _, m := range o {
		p := s.property(m.key)
		switch {
		case p == nil && s.open:
			out = out.set(m.key, m.value)
		case p == nil:
		case m.value == nil && len(p.schema.types) > 0 && !p.schema.takes("null"):
		default:
			out = out.set(p.name, coerce(m.value, p.schema, depth+1))
		}
	}
	return out
}

// coerce turns a value into the first type of the schema that it can be read
// as, and leaves it alone when there is none: the tool then says what is wrong.
func coerce(v any, s *schema, depth int) any {
	if depth > MaxDepth || len(s.types) == 0 && s.items == nil && len(s.props) == 0 {
		return v
	}
	if s.takes(kindOf(v)) || kindOf(v) == "integer" && s.takes("number") {
		return within(v, s, depth)
	}
	for _, kind := range s.types {
		if out, ok := convert(v, kind, s, depth); ok {
			return out
		}
	}
	return v
}

// within coerces the parts of a value that has the right type itself.
func within(v any, s *schema, depth int) any {
	switch v := v.(type) {
	case object:
		return coerceObject(v, s, depth)
	case list:
		return coerceList(v, s, depth)
	case number:
		if s.takes("integer") {
			if n, ok := integer(string(v)); ok {
				return n
			}
		}
	}
	return v
}

func coerceList(l list, s *schema, depth int) list {
	if s.items == nil {
		return l
	}
	out := make(list, len(l))
	for i, e := range l {
		out[i] = coerce(e, s.items, depth+1)
	}
	return out
}

func convert(v any, kind string, s *schema, depth int) (any, bool) {
	switch kind {
	case "array":
		return toList(v, s, depth)
	case "object":
		if text, ok := v.(string); ok {
			inner, _ := embedded(text)
			if o, ok := inner.(object); ok {
				return coerceObject(o, s, depth), true
			}
		}
	case "string":
		return toText(v)
	case "integer":
		if text, ok := v.(string); ok {
			return integer(strings.TrimSpace(text))
		}
	case "number":
		if text, ok := v.(string); ok {
			text = strings.TrimSpace(text)
			return number(text), validNumber(text)
		}
	case "boolean":
		if text, ok := v.(string); ok {
			text = strings.ToLower(strings.TrimSpace(text))
			return text == "true", text == "true" || text == "false"
		}
	}
	return nil, false
}

func toList(v any, s *schema, depth int) (any, bool) {
	if v == nil {
		return nil, false
	}
	if text, ok := v.(string); ok {
		inner, _ := embedded(text)
		if l, ok := inner.(list); ok {
			return coerceList(l, s, depth), true
		}
	}
	return coerceList(list{v}, s, depth), true
}

func toText(v any) (any, bool) {
	switch v := v.(type) {
	case number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case list:
		if len(v) == 1 {
			if one, ok := v[0].(string); ok {
				return one, true
			}
		}
		return string(encode(v)), true
	case object:
		return string(encode(v)), true
	}
	return nil, false
}

// integer reads "10", "10.0" and "1e1" as 10.
func integer(s string) (any, bool) {
	if !validNumber(s) {
		return nil, false
	}
	if !strings.ContainsAny(s, ".eE") {
		return number(s), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, false
	}
	return number(strconv.FormatInt(int64(f), 10)), true
}

// kindOf names a value's JSON Schema type.
func kindOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case number:
		if _, ok := integer(string(v)); ok {
			return "integer"
		}
		return "number"
	case list:
		return "array"
	case object:
		return "object"
	}
	return "null"
}
