package render

import "strings"

// Split cuts a rendered text (or Markdown) into pieces within a limit. It cuts at
// the end of a paragraph, else of a line, else of a sentence, else at a blank, each
// only in the second half of the room, else between any two characters. Links,
// citations, platform tokens, inline code, entities and grapheme clusters stay
// whole, unless one alone is longer than the limit. A fence that is cut is closed
// and opened again with its language. Nothing is lost but the blanks at a cut.
// A text of blanks has no pieces; a limit below 1 is taken for 1.
func Split(text string, l Limit) []string {
	l.N = max(1, l.N)
	text = strings.TrimRight(strings.TrimLeft(text, "\n"), " \t\n")
	var pieces []string
	if l.Fits(text) {
		if text != "" {
			pieces = append(pieces, text)
		}
		return pieces
	}
	c := cutter{atoms: newAtoms(text, l), l: l}
	for c.at < len(text) {
		if piece := c.next(); strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

// cutter takes pieces off the front of a text.
type cutter struct {
	*atoms
	l     Limit
	at    int    // where the rest begins
	fence *block // that the rest begins in
	cuts  [grapheme + 1]cut
	early cut // the last place to cut in the first half
}

// block is a fence that is open.
type block struct {
	open, close string // its first line, and the one that ends it
	from        int    // where its content begins
}

// kind is a sort of place to cut at, the best first.
type kind uint8

const (
	paragraph kind = iota
	line
	sentence
	blank
	grapheme
)

// cut is a place to cut at.
type cut struct {
	ok    bool
	at    int
	fence *block
}

// next takes one piece off.
func (c *cutter) next() string {
	c.cuts, c.early = [grapheme + 1]cut{}, cut{}
	fence, used := c.fence, 0
	head := ""
	if fence != nil {
		head = fence.open + "\n"
		used = c.l.Len(head)
	}
	i, bol := c.at, c.at == 0 || c.text[c.at-1] == '\n'
	for i < len(c.text) {
		c.offer(i, used, fence)
		end, after := c.step(i, bol, fence)
		cost := c.l.Len(c.text[i:end])
		if used+cost+c.reserve(after) > c.l.N {
			return c.take(head, i, end, fence)
		}
		bol = c.text[end-1] == '\n'
		used += cost
		i, fence = end, after
	}
	return c.piece(head, len(c.text), fence)
}

// step is the next thing that is not cut, and the fence behind it.
func (c *cutter) step(i int, bol bool, fence *block) (int, *block) {
	if bol {
		end := lineEnd(c.text, i)
		switch {
		case fence == nil:
			if f := c.opens(c.text[i:min(end, i+200)]); f != nil && end-i < 200 {
				f.from = end + 1
				return end, f
			}
		case closes(c.text[i:end], fence):
			return end, nil
		}
	}
	if fence != nil {
		return i + clusterEnd(c.text[i:]), fence
	}
	return c.end(i), nil
}

// reserve is what closing a fence costs.
func (c *cutter) reserve(f *block) int {
	if f == nil {
		return 0
	}
	return 1 + c.l.Len(f.close)
}

// opens reads a line that may open a fence. One that would take most of the room
// is text.
func (c *cutter) opens(s string) *block {
	f := opening(s)
	if f == nil || 2*(c.l.Len(f.open)+c.l.Len(f.close)+2) > c.l.N {
		return nil
	}
	return f
}

// opening reads a line that opens a fence; nil if it does not.
func opening(s string) *block {
	mark, width := fenceMark(s)
	if width == 0 {
		return nil
	}
	end := strings.IndexByte(s, mark) + width
	if mark == '`' && strings.IndexByte(s[end:], '`') >= 0 {
		return nil
	}
	return &block{open: s, close: s[:end]}
}

// fenceMark is the character and the width of the fence on a line, behind quote
// marks and indentation; 0 if there is none.
func fenceMark(s string) (byte, int) {
	rest := strings.TrimLeft(s, " >")
	for _, mark := range []byte{'`', '~'} {
		width := len(rest) - len(strings.TrimLeft(rest, string(mark)))
		if width >= 3 {
			return mark, width
		}
	}
	return 0, 0
}

func closes(s string, f *block) bool {
	mark, width := fenceMark(s)
	open, least := fenceMark(f.close)
	return mark == open && width >= least && strings.TrimLeft(s, " >"+string(mark)) == ""
}

// offer notes the places to cut at that begin at i.
func (c *cutter) offer(i, used int, fence *block) {
	if i == c.at || fence != nil && i < fence.from {
		return
	}
	if fence == nil && c.text[i] != '\n' {
		if _, width := fenceMark(c.text[i:min(len(c.text), i+40)]); width > 0 {
			return // it would be a fence at the beginning of a piece
		}
	}
	k := grapheme
	switch c.text[i] {
	case '\n':
		k = line
		if fence == nil && i+1 < len(c.text) && strings.HasPrefix(strings.TrimLeft(c.text[i+1:min(len(c.text), i+40)], " >"), "\n") {
			k = paragraph
		}
		if fence != nil && i+1 == fence.from {
			return
		}
	case ' ':
		k = blank
		if fence == nil && endsSentence(c.text[c.at:i]) {
			k = sentence
		}
	default:
		if fence == nil && endsWideSentence(c.text[c.at:i]) {
			k = sentence
		}
	}
	here := cut{true, i, fence}
	if 2*used >= c.l.N {
		c.cuts[k] = here
	} else {
		c.early = here
	}
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, "\"')]*_”’»")
	return s != "" && strings.IndexByte(".!?", s[len(s)-1]) >= 0 || endsWideSentence(s)
}

func endsWideSentence(s string) bool {
	for _, end := range []string{"。", "！", "？", "…"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// take cuts at the best place, with an atom from i to end that does not fit.
func (c *cutter) take(head string, i, end int, fence *block) string {
	for _, at := range c.cuts {
		if at.ok {
			return c.piece(head, at.at, at.fence)
		}
	}
	if c.early.ok {
		return c.piece(head, c.early.at, c.early.fence)
	}
	if i > c.at {
		return c.piece(head, i, fence)
	}
	return c.piece(head, c.hard(head, i, end), c.fence)
}

// hard cuts an atom that is longer than the limit.
func (c *cutter) hard(head string, i, end int) int {
	room := max(1, c.l.N-c.l.Len(head)-c.reserve(c.fence))
	at := i
	for at < end {
		n := clusterEnd(c.text[at:end])
		if c.l.Len(c.text[i:at+n]) > room {
			break
		}
		at += n
	}
	if at > i {
		return at
	}
	for n := range c.text[i:end] { // a cluster that is too long itself
		if n > 0 && c.l.Len(c.text[i:i+n]) > room {
			break
		}
		at = i + n
	}
	if at > i {
		return at
	}
	return end
}

// piece ends a piece and moves on behind the blanks at the cut.
func (c *cutter) piece(head string, at int, fence *block) string {
	body := c.text[c.at:at]
	if fence != nil {
		if strings.HasPrefix(c.text[at:], "\n") {
			at++
		}
		c.at, c.fence = at, fence
		return head + strings.TrimSuffix(body, "\n") + "\n" + fence.close
	}
	rest := strings.TrimLeft(c.text[at:], " ")
	if strings.HasPrefix(rest, "\n") { // a line keeps its indentation
		for {
			line, behind, _ := strings.Cut(rest, "\n")
			if strings.TrimSpace(line) != "" || rest == "" {
				break
			}
			rest = behind
		}
	}
	c.at, c.fence = len(c.text)-len(rest), nil
	return head + strings.TrimRight(body, " \t\n")
}
