package toolcall

import (
	"html"
	"strings"
)

// quotations knows which calls stand in the texts that the model was given.
type quotations struct {
	known map[string]bool
	plain []string
	last  string // the markup that was compared last, and what came out: the
	same  bool   // calls of one list share it
}

// newQuotations reads the texts as they are and, where they are JSON or HTML
// source, as they would be read.
func newQuotations(s *toolset, texts []string) *quotations {
	q := &quotations{known: map[string]bool{}}
	for _, t := range texts {
		q.read(s, t)
		if strings.Contains(t, "\\\"") || strings.Contains(t, "\\u") {
			q.read(s, unescape.Replace(t))
		}
		if strings.Contains(t, "&lt;") || strings.Contains(t, "&quot;") || strings.Contains(t, "&#") {
			q.read(s, html.UnescapeString(t))
		}
		q.plain = append(q.plain, squash(t))
	}
	return q
}

var unescape = strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`, `\u003c`, "<", `\u003C`, "<", `\u003e`, ">",
	`\u003E`, ">", `\u0026`, "&")

func (q *quotations) read(s *toolset, text string) {
	for _, call := range s.extract(text, true) {
		q.known[callKey(call)] = true
	}
}

// quoted tells whether the call stands in one of the texts: the same tool with
// the same arguments in any shape, or the same markup.
func (q *quotations) quoted(call found) bool {
	if !call.bare && q.known[callKey(call)] {
		return true
	}
	if call.raw != q.last {
		q.last, q.same = call.raw, q.copied(squash(call.raw))
	}
	return q.same
}

func (q *quotations) copied(raw string) bool {
	for _, p := range q.plain {
		if raw != "" && strings.Contains(p, raw) {
			return true
		}
	}
	return false
}

func callKey(call found) string { return call.tool.name + "\x00" + string(encode(call.args)) }

// squash leaves out what differs between two ways to write the same markup:
// blanks, quotes, backslashes and character references.
func squash(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		s = unescape.Replace(s)
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isBlank(c) || c == '"' || c == '\'' || c == '\\':
		case c == 0xE2 && i+2 < len(s) && curlyKind(s[i:i+3]) != 0:
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
