package cite

import (
	"strings"
	"unicode/utf8"
)

// maxTail bounds the blanks and open parentheses that wait for a deletion, in
// bytes.
const maxTail = 1024

// endOfText stands for the character after the last one.
const endOfText rune = -1

// sink is the writing half: it keeps back what a deletion may still take away
// and tidies up after one.
type sink struct {
	tidy   bool   // something may be deleted
	out    output // final
	tail   []byte // blanks, and open parentheses with only separators after them
	blanks int    // how many bytes of blanks the tail ends in
	parens []paren
	gone   bool   // something was deleted right here
	after  []byte // blanks after the deleted place

	committed rune // last character of the final text, 0 at the start
	last      rune // last character including tail
	quote     bool // last is a straight quote that opens
	cited     int  // document shown by the last thing written, -1 based: 0 none
	marks     emphasis
	// risky is set in a word that holds a letter with which a hidden URL may
	// begin: a deletion inside it could put such a URL together.
	risky bool
}

// paren is an open parenthesis in the tail.
type paren struct {
	pos     int
	blanks  int  // bytes of blanks before it
	deleted bool // something inside it was deleted
}

// put writes one character.
func (s *sink) put(r rune, raw string) {
	if s.gone {
		if isBlank(r) && len(s.after) < maxTail {
			s.after = append(s.after, raw...)
			return
		}
		s.resolve(r)
	}
	s.cited = 0
	s.risky = s.risky && !strings.ContainsRune(wordEnds, r)
	if s.tidy && s.keepBack(r, raw) {
		return
	}
	s.commit()
	s.marks.next(r, s.last)
	s.quote = (r == '"' || r == '\'') && opensQuote(s.last)
	s.out.writeString(raw)
	s.committed, s.last = r, r
}

// keepBack puts a character in the tail if a deletion may still take it.
func (s *sink) keepBack(r rune, raw string) bool {
	if len(s.tail) >= maxTail {
		s.parens = s.parens[:0]
		return false
	}
	switch {
	case isBlank(r):
		s.blanks += len(raw)
	case len(s.parens) > 0 && isSeparator(r):
		s.blanks = 0
	case isOpenParen(r):
		s.parens = append(s.parens, paren{pos: len(s.tail), blanks: s.blanks})
		s.blanks = 0
	case len(s.parens) > 0 && isCloseParen(r) && s.parens[len(s.parens)-1].deleted:
		s.dropParens()
		return true
	default:
		return false
	}
	s.marks.next(r, s.last)
	s.tail = append(s.tail, raw...)
	s.last, s.quote = r, false
	return true
}

// dropParens takes back the innermost parenthesis, which held only what was
// deleted and separators.
func (s *sink) dropParens() {
	top := len(s.parens) - 1
	s.tail, s.blanks = s.tail[:s.parens[top].pos], s.parens[top].blanks
	s.parens = s.parens[:top]
	s.relast()
	s.delete()
}

// plain writes text that holds no character special to the sink except
// blanks. It must not be empty and must not end inside a character.
func (s *sink) plain(text string) {
	if s.gone || len(s.parens) > 0 {
		s.putAll(text)
		return
	}
	end := len(text)
	if s.tidy {
		for end > 0 && (text[end-1] == ' ' || text[end-1] == '\t') {
			end--
		}
	}
	s.cited = 0
	s.risky = s.risky && !strings.ContainsAny(text, wordEnds)
	if s.marks.run != 0 {
		s.marks.settle(firstRune(text))
	}
	if end > 0 {
		s.commit()
		s.out.writeString(text[:end])
		s.lastOf(text[:end])
	}
	s.putAll(text[end:])
}

func (s *sink) putAll(text string) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		s.put(r, text[:size])
		text = text[size:]
	}
}

// lastOf notes what the final text now ends in.
func (s *sink) lastOf(text string) {
	c, size := utf8.DecodeLastRuneInString(text)
	s.quote = false
	if c == '"' || c == '\'' {
		before := s.last
		if len(text) > size {
			before, _ = utf8.DecodeLastRuneInString(text[:len(text)-size])
		}
		s.quote = opensQuote(before)
	}
	s.committed, s.last = c, c
}

// code writes text that is never looked at.
func (s *sink) code(raw []byte) {
	if len(raw) == 0 {
		return
	}
	first, _ := utf8.DecodeRune(raw)
	s.settle(first)
	s.commit()
	s.out.write(raw)
	s.committed = lastRune(raw)
	s.last, s.cited, s.quote, s.risky = s.committed, 0, false, false
	if s.committed == '\n' {
		s.marks.next('\n', '`')
	}
}

// citation writes one shown citation of a document. spaced asks for a space
// before it wherever F10 does.
func (s *sink) citation(text string, root int, spaced bool) {
	s.settle('[')
	if spaced && s.cited == 0 && !s.quote && wantsSpace(s.last) {
		s.tail = append(s.tail, ' ')
	}
	s.commit()
	s.out.writeString(text)
	s.committed, _ = utf8.DecodeLastRuneInString(text)
	s.last, s.quote = s.committed, false
	s.cited, s.risky = root+1, false
}

// settle ends what waits for the next character.
func (s *sink) settle(next rune) {
	if s.gone {
		s.resolve(next)
	}
	if s.marks.run != 0 {
		s.marks.settle(next)
	}
}

// delete notes that something was deleted here.
func (s *sink) delete() {
	s.settle('[')
	s.gone = true
	s.after = s.after[:0]
	if n := len(s.parens); n > 0 {
		s.parens[n-1].deleted = true
	}
}

// resolve applies the tidy table to the blanks before and after a deletion.
func (s *sink) resolve(next rune) {
	s.gone = false
	head := s.tail[:len(s.tail)-s.blanks]
	lineEnd := next == endOfText || next == '\n' || next == '\r'
	switch {
	case len(head) == 0 && (s.committed == 0 || s.committed == '\n'):
		if s.blanks > 0 {
			s.tail = append(s.tail, s.after...)
			s.blanks += len(s.after)
		}
	case len(s.after) == 0 && s.risky && s.blanks == 0 && isGraphic(next):
		s.tail, s.blanks = append(s.tail, ' '), 1
	case len(s.after) == 0:
		if lineEnd || closesSentence(next) || s.marks.closes(next) {
			s.tail, s.blanks = head, 0
		}
	case lineEnd:
		s.tail, s.blanks = head, 0
	default:
		s.tail, s.blanks = append(head, s.after...), len(s.after)
		s.cited = 0
	}
	s.after = s.after[:0]
	s.relast()
	if len(s.tail) > maxTail {
		s.commit()
	}
}

func (s *sink) relast() {
	if len(s.tail) > 0 {
		s.last = lastRune(s.tail)
		return
	}
	s.last = s.committed
}

func (s *sink) commit() {
	if len(s.tail) > 0 {
		s.out.write(s.tail)
		s.committed = s.last
		s.tail, s.blanks = s.tail[:0], 0
	}
	s.parens = s.parens[:0]
}

// end writes what is kept back at the end of the text.
func (s *sink) end() {
	if s.gone {
		s.resolve(endOfText)
	}
	s.commit()
}

// repeats reports whether a document's citation was the last thing written.
func (s *sink) repeats(root int) bool {
	if s.gone {
		s.resolve('[')
	}
	return s.cited == root+1
}

// join writes the blank between two citations of one marker.
func (s *sink) join() {
	s.commit()
	s.out.writeString(" ")
	s.committed, s.last = ' ', ' '
}

// codeString is code for text that is not held.
func (s *sink) codeString(raw string) {
	if s.gone || len(s.tail) > 0 || s.marks.run != 0 {
		s.code([]byte(raw))
		return
	}
	if raw == "" {
		return
	}
	s.out.writeString(raw)
	r, _ := utf8.DecodeLastRuneInString(raw)
	s.committed, s.last, s.cited, s.quote, s.risky = r, r, 0, false, false
}

// wordEnds are characters that no URL holds.
const wordEnds = " \t\n\r\u00a0\u3000\"<>|*"

// isGraphic reports a character that can go on in a URL after a deletion.
func isGraphic(r rune) bool {
	return r > ' ' && r != 0x7f && r != '[' && !closesSentence(r) || r == '.' || r == ':'
}
