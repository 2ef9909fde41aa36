package render

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// angle reads what stands in angle brackets.
func (s *Stream) angle(h string, final bool) (string, int) {
	end := strings.IndexAny(h[1:min(len(h), maxTag)], "<>\n") + 1
	if end == 0 {
		if len(h) < maxTag && !final {
			return "", 0
		}
		return s.code("<"), 1
	}
	if h[end] != '>' {
		return s.code("<"), 1
	}
	whole, inner := h[:end+1], h[1:end]
	url, label, labelled := strings.Cut(inner, "|")
	safe, ok := safeURL(s.d, url)
	switch {
	case isBreak([]byte(inner)):
		return "\n", end + 1
	case ok && !strings.ContainsAny(url, " \t") && labelled && strings.TrimSpace(label) != "":
		return s.link(s.inside(label), safe), end + 1
	case ok && !strings.ContainsAny(url, " \t"):
		return "<" + safe + ">", end + 1
	case s.d == Discord:
		return whole, end + 1
	}
	return s.code("<"), 1
}

func (s *Stream) link(label, safe string) string {
	if !balanced(label) {
		label = strings.NewReplacer("[", "(", "]", ")").Replace(label)
	}
	if s.d == Discord {
		return "[" + label + "](<" + safe + ">)"
	}
	return "[" + label + "](" + safe + ")"
}

// inside is a label as it goes out.
func (s *Stream) inside(label string) string {
	var b strings.Builder
	for i := 0; i < len(label); i++ {
		b.WriteString(s.code(label[i : i+1]))
		if label[i] == '@' && broadcast([]byte(label[i+1:])) > 0 {
			b.WriteString(zeroWidth)
		}
	}
	return b.String()
}

// bracket reads a link.
func (s *Stream) bracket(h string, final bool) (string, int) {
	close, wait := labelEnd(h)
	if close == 0 {
		if wait && !final {
			return "", 0
		}
		return "[", 1
	}
	if close == len(h)-1 && !final {
		return "", 0
	}
	if close == len(h)-1 || h[close+1] != '(' {
		return "[", 1
	}
	end := targetEnd(h[close+1:])
	if end == 0 {
		if !final && len(h)-close < maxURL+200 && !strings.Contains(h[close:], "\n") {
			return "", 0
		}
		return "[", 1
	}
	end += close + 2
	if end == len(h) && !final { // what follows decides how a dead link ends
		if _, alive := s.alive(h[close+2 : end-1]); !alive {
			return "", 0
		}
	}
	return s.target(h[1:close], h[close+2:end-1], h[end:])
}

// target writes a link whose label and target are known. What no platform opens, a
// file for example, leaves its label, as in the final text: it is read again as text,
// kept apart from what stands around it where both together would say something else.
func (s *Stream) target(label, target, rest string) (string, int) {
	n := len(label) + len(target) + 4
	to, alive := s.alive(target)
	if alive {
		return s.link(s.inside(label), to), n
	}
	if !leadsAway(to) {
		return "[", 1
	}
	s.again, s.quit = label, true
	if merges(s.last, label+rest) {
		s.again = zeroWidth + label
	}
	if label != "" && merges(label[len(label)-1], rest) {
		s.again += zeroWidth
	}
	return "", n
}

// image reads a picture like the link that the final text makes of it.
func (s *Stream) image(h string, final bool) (string, int) {
	if len(h) == 1 && !final {
		return "", 0
	}
	if len(h) > 1 && h[1] == '[' {
		switch out, n := s.bracket(h[1:], final); {
		case n == 0:
			return "", 0
		case n > 1:
			return out, n + 1
		}
	}
	return "!", 1
}

// alive is the address in a link's target, and whether a platform opens it.
func (s *Stream) alive(target string) (to string, ok bool) {
	to = strings.TrimSpace(target)
	if inner, ok := strings.CutPrefix(to, "<"); ok {
		to, _, _ = strings.Cut(inner, ">")
	} else {
		to, _, _ = strings.Cut(to, " ")
	}
	to = string(util.UnescapePunctuations([]byte(to)))
	if safe, ok := safeURL(s.d, to); ok {
		return safe, true
	}
	return to, false
}

// merges tells that a byte and the text behind it may be an address, a link or a word
// that calls everybody together, which none of them is alone.
func merges(last byte, rest string) bool {
	if rest == "" {
		return false
	}
	between := func(c byte) bool { return isWord(c) || strings.IndexByte("@:/", c) >= 0 }
	return last == ']' && rest[0] == '(' || between(last) && between(rest[0])
}

// labelEnd is the bracket that closes the one at the beginning; wait tells that it
// may still come.
func labelEnd(h string) (end int, wait bool) {
	depth := 0
	for i := 0; i < len(h); i++ {
		if i > maxHeld {
			return 0, false
		}
		switch h[i] {
		case '\\':
			i++
		case '\n':
			return 0, false
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i, false
			}
		}
	}
	return 0, true
}

// targetEnd is the parenthesis that closes the one at the beginning; 0 if it has
// not come.
func targetEnd(h string) int {
	depth := 0
	for i := 0; i < len(h) && h[i] != '\n'; i++ {
		switch h[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// address reads a bare address to its end.
func (s *Stream) address(h string, final bool) (string, int) {
	for _, scheme := range []string{"https://", "http://"} {
		switch {
		case len(h) < len(scheme):
			if !final && strings.EqualFold(h, scheme[:len(h)]) {
				return "", 0
			}
		case strings.EqualFold(h[:len(scheme)], scheme):
			stop := addressStop([]byte(h[:min(len(h), maxURL+1)]))
			if !final && len(h) <= maxURL && (stop == len(h) || !utf8.FullRuneInString(h[stop:])) {
				return "", 0
			}
			end := addressEnd([]byte(h[:min(len(h), maxURL+1)]))
			if end == 0 {
				return h[:1], 1
			}
			safe, _ := safeURL(s.d, h[:end])
			if s.d == Discord {
				return "<" + safe + ">", end
			}
			return safe, end
		}
	}
	return h[:1], 1
}
