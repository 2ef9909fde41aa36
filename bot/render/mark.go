package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are the characters that Slack and Discord format by. In text they stand as
// they are unless two of them would make a pair.
const marks = "*_~`"

// lookAlikes stand for marks in mrkdwn, which has no way to escape them.
var lookAlikes = [len(marks)]string{"∗", "ˍ", "∼", "ˋ"}

func (p *printer) clearLoose() {
	for i := range p.loose {
		p.loose[i] = -1
	}
}

// literal writes a run of marks that are text. What follows it is needed to see
// whether it could open or close anything.
func (p *printer) literal(c byte, n int, next rune) {
	i := strings.IndexByte(marks, c)
	prev := ' '
	if !p.atLineStart() {
		prev, _ = utf8.DecodeLastRune(p.out[p.lineFrom:])
	}
	opens, closes := p.active(c, n, prev, next)
	p.begin()
	if closes && (p.loose[i] >= 0 || p.isOpen(c)) || c == '`' && (prev == '`' || n > 2) {
		p.defuseLoose(c)
		p.out = append(p.out, strings.Repeat(p.harmless(i), n)...)
		return
	}
	if opens && p.loose[i] < 0 {
		p.loose[i], p.looseN[i] = len(p.out), n
	}
	for range n {
		p.out = append(p.out, c)
	}
}

// active tells whether the platform would let a run of marks between two characters
// open or close formatting. In doubt it says yes.
func (p *printer) active(c byte, n int, prev, next rune) (opens, closes bool) {
	if c == '`' {
		return true, true
	}
	opens, closes = !unicode.IsSpace(next), !unicode.IsSpace(prev)
	if p.d == Discord {
		switch c {
		case '~':
			return opens && n > 1, closes && n > 1
		case '*':
			return opens, closes
		}
		return opens && (n > 1 || !wordRune(prev)), closes && (n > 1 || !wordRune(next))
	}
	return opens && !wordRune(prev), closes && !wordRune(next)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func (p *printer) isOpen(c byte) bool {
	for _, o := range p.open {
		if o.mark[0] == c {
			return true
		}
	}
	return false
}

// harmless is a mark as text.
func (p *printer) harmless(i int) string {
	if p.d == Discord {
		return "\\" + marks[i:i+1]
	}
	return lookAlikes[i]
}

// defuseLoose makes the mark that stood open on this line text, because one that
// could close it follows.
func (p *printer) defuseLoose(c byte) {
	i := strings.IndexByte(marks, c)
	if i < 0 || p.loose[i] < 0 {
		return
	}
	at := p.loose[i]
	p.loose[i] = -1
	p.replace(at, p.looseN[i], strings.Repeat(p.harmless(i), p.looseN[i]))
}

// replace changes n bytes of this line's output and keeps the books right.
func (p *printer) replace(at, n int, s string) {
	tail := len(p.out) - at - n
	p.out = append(p.out, s...)
	copy(p.out[at+len(s):], p.out[at+n:at+n+tail])
	copy(p.out[at:], s)
	p.out = p.out[:at+len(s)+tail]
	d := len(s) - n
	for i := range p.loose {
		if p.loose[i] > at {
			p.loose[i] += d
		}
	}
	for i := range p.open {
		if p.open[i].from > at {
			p.open[i].from += d
			p.open[i].to += d
		}
	}
	if p.runFrom > at {
		p.runFrom += d
	}
}
