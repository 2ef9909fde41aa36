package toolcall

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A parsed value is one of: nil, bool, string, number, list, object.
type (
	number string // valid JSON number text, kept as written
	list   []any
	object []member // in the order written; later members win
)

type member struct {
	key   string
	value any
}

// get returns the last member of that exact key.
func (o object) get(key string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].key == key {
			return o[i].value, true
		}
	}
	return nil, false
}

// set replaces a member or adds it.
func (o object) set(key string, v any) object {
	for i := range o {
		if o[i].key == key {
			o[i].value = v
			return o
		}
	}
	return append(o, member{key, v})
}

// encode writes a value as JSON with sorted keys, so that equal values have
// equal bytes.
func encode(v any) json.RawMessage { return appendValue(nil, v) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case number:
		return append(b, v...)
	case list:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case object:
		return appendObject(b, v)
	}
	return append(b, "null"...)
}

func appendObject(b []byte, o object) []byte {
	sorted := slices.Clone(o)
	slices.SortStableFunc(sorted, func(a, c member) int { return strings.Compare(a.key, c.key) })
	b = append(b, '{')
	first := true
	for i, m := range sorted {
		if i+1 < len(sorted) && sorted[i+1].key == m.key {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendString(b, m.key), ':')
		b = appendValue(b, m.value)
	}
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}
