package render

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// special tells which bytes of a text a dialect has to look at.
var special = func() (t [Plain + 1][256]bool) {
	for d, chars := range map[Dialect]string{
		Mrkdwn:        "\\&<>" + marks,
		MarkdownBlock: "\\&<>`~",
		Discord:       "\\&<>|" + marks,
		Plain:         "\\&",
	} {
		for _, c := range []byte(chars) {
			t[d][c] = true
		}
	}
	return t
}()

// kept lists, per dialect, what keeps the backslash that it had in the source.
var kept = [Plain + 1]string{MarkdownBlock: "\\`*_[]()#~|!-+.", Discord: "\\`*_[]()#~|-:@"}

// text writes a piece of Markdown text, in which backslashes and entities stand
// for characters.
func (p *printer) text(s []byte) { p.write(s, true) }

// plainText writes text that is no Markdown.
func (p *printer) plainText(s []byte) { p.write(s, false) }

func (p *printer) write(s []byte, decode bool) {
	if len(s) == 0 {
		return
	}
	if p.gap {
		p.gap = false
		if r, _ := utf8.DecodeRune(s); wide(r) {
			p.out = append(p.out, ' ')
		}
	}
	p.begin()
	table := &special[p.d]
	for len(s) > 0 {
		i := 0
		for i < len(s) && !table[s[i]] {
			i++
		}
		p.out = append(p.out, s[:i]...)
		if i == len(s) {
			return
		}
		c, rest := s[i], s[i+1:]
		switch {
		case c == '\\' && decode && len(rest) > 0 && util.IsPunct(rest[0]):
			p.escaped(rest[0], after(rest[1:]))
			s = rest[1:]
		case c == '&' && decode:
			s = p.entity(s[i:])
		default:
			n := 1
			for n < len(s)-i && s[i+n] == c && bytes.IndexByte([]byte(marks), c) >= 0 {
				n++
			}
			rest = s[i+n:]
			p.chars(c, n, after(rest))
			s = rest
			if c == '<' && (p.d == Mrkdwn || p.d == MarkdownBlock) {
				s = bytes.TrimPrefix(s, []byte(broken)) // which the core put there
			}
		}
	}
}

// broken is the character by which the core keeps text from being a link or a tag.
// Behind a < that is escaped it has nothing to keep.
const broken = "\u2060"

// after is the character that follows; at the end of a piece, one that stands for
// "anything".
func after(s []byte) rune {
	if len(s) == 0 {
		return '.'
	}
	r, _ := utf8.DecodeRune(s)
	return r
}

// escaped writes a character that had a backslash before it.
func (p *printer) escaped(c byte, next rune) {
	if p.label == 0 && bytes.IndexByte([]byte(kept[p.d]), c) >= 0 {
		p.out = append(p.out, '\\', c)
		return
	}
	p.char(c, next)
}

// char writes a character that means itself.
func (p *printer) char(c byte, next rune) { p.chars(c, 1, next) }

// chars writes a run of one character; it is longer than one for marks only.
func (p *printer) chars(c byte, n int, next rune) {
	switch {
	case p.d == Plain:
	case p.d != Discord && c == '<':
		p.out = append(p.out, "&lt;"...)
		return
	case p.d != Discord && c == '>':
		p.out = append(p.out, "&gt;"...)
		return
	case p.d == Mrkdwn && c == '&':
		p.out = append(p.out, "&amp;"...)
		return
	case p.d == MarkdownBlock && (c == '`' || c == '~' && p.atLineStart() && n > 2):
		for range n {
			p.out = append(p.out, '\\', c)
		}
		return
	case p.d == Discord && c == '>' && p.atLineStart():
		p.out = append(p.out, '\\')
	case p.d == Discord && c == '|' && (next == '|' || bytes.HasSuffix(p.out, []byte(`\|`))):
		p.out = append(p.out, '\\')
	case p.d == Discord && c == '\\' && next < utf8.RuneSelf && util.IsPunct(byte(next)):
		p.out = append(p.out, '\\')
	case (p.d == Mrkdwn || p.d == Discord) && bytes.IndexByte([]byte(marks), c) >= 0:
		switch {
		case c == '`' && p.label > 0: // it could meet one outside
			p.out = append(p.out, strings.Repeat(p.harmless(3), n)...)
			return
		case p.label == 0 || p.d == Discord:
			p.literal(c, n, next)
			return
		}
	}
	for range n {
		p.out = append(p.out, c)
	}
}

// namesEntity tells whether s behind an & would be an entity.
func namesEntity(s []byte) bool {
	i := 0
	for i < len(s) && (isWord(s[i]) || s[i] == '#') {
		i++
	}
	return i > 0 && i < len(s) && s[i] == ';'
}

// entity writes the character that an entity at the beginning of s stands for and
// returns what is behind it.
func (p *printer) entity(s []byte) []byte {
	end := bytes.IndexByte(s[:min(len(s), 36)], ';')
	if end < 2 {
		p.char('&', after(s[1:]))
		return s[1:]
	}
	name := s[:end+1]
	decoded := util.ResolveEntityNames(util.ResolveNumericReferences(name))
	if bytes.Equal(decoded, name) {
		p.char('&', after(s[1:]))
		return s[1:]
	}
	for len(decoded) > 0 {
		r, n := utf8.DecodeRune(decoded)
		switch {
		case r == '\n' || r == '\r':
			p.out = append(p.out, ' ')
		case r == '&' && p.d == MarkdownBlock && bytes.HasPrefix(name, []byte("&amp;")) && namesEntity(s[end+1:]):
			p.out = append(p.out, name...)
		case n > 1:
			p.out = append(p.out, decoded[:n]...)
		case p.d == MarkdownBlock && bytes.IndexByte([]byte(kept[p.d]), decoded[0]) >= 0:
			p.out = append(p.out, '\\', decoded[0])
		default:
			p.char(decoded[0], after(decoded[1:]))
		}
		decoded = decoded[n:]
	}
	return s[end+1:]
}
