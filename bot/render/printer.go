package render

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// printer writes one tree. Lines get their prefix (quote marks, indentation) when
// their first text is written, so that blank ends of lines never are.
type printer struct {
	d   Dialect
	src []byte
	out []byte

	quoted   bool   // inside a block quote
	prefix   []byte // of each line, without the quote marks where they are not nested
	bol      bool   // the line has nothing on it yet
	empty    bool   // the line before has nothing on it
	lineFrom int    // where the line's text begins in out
	runFrom  int    // where the run of plain text begins that is not swept yet

	open    []opened // emphasis that is open, outermost first
	reopen  bool     // it was closed at the end of the line before
	gap     bool     // what comes next needs a blank if it is wide
	label   int      // inside the label of a link: no formatting, no links
	oneLine bool     // line breaks are blanks
	bold    bool     // inside a heading or a card's title, where strong is on already

	loose  [len(marks)]int // where on this line literal marks stand that could open, -1 none
	looseN [len(marks)]int // how many they are
}

// opened is an emphasis marker in the output.
type opened struct {
	mark     string
	from, to int // of the marker; nothing was written inside while len(out) == to
}

func newPrinter(d Dialect, src []byte) *printer {
	p := &printer{d: d, src: src, out: make([]byte, 0, len(src)+len(src)/8+16), bol: true}
	p.clearLoose()
	return p
}

// inner is a printer of a part that is put into the output as one piece: a label, a
// cell.
func (p *printer) inner(d Dialect) *printer {
	q := &printer{d: d, src: p.src, oneLine: true}
	q.clearLoose()
	return q
}

func (p *printer) finish() string {
	p.sweep()
	return string(bytes.TrimRight(bytes.TrimLeft(p.out, "\n"), " \t\n"))
}

// unparsed writes the whole source as text.
func (p *printer) unparsed() {
	for line := range bytes.Lines(p.src) {
		p.plainText(bytes.TrimRight(line, "\r\n"))
		p.newline()
	}
}

// raw writes what needs no escaping, with the line's prefix if it begins one.
func (p *printer) raw(s string) {
	if s == "" {
		return
	}
	p.begin()
	p.out = append(p.out, s...)
	p.gap = false
}

// begin makes the line ready for text.
func (p *printer) begin() {
	if p.bol {
		p.bol = false
		p.out = append(p.out, p.prefix...)
		p.lineFrom, p.runFrom = len(p.out), len(p.out)
	}
	if p.reopen {
		p.reopen = false
		for i := range p.open {
			o := &p.open[i]
			o.from = len(p.out)
			p.out = append(p.out, o.mark...)
			o.to = len(p.out)
		}
		p.runFrom = len(p.out)
	}
}

// newline ends a line. Slack's emphasis ends with it and is begun again on the next.
func (p *printer) newline() {
	p.sweep()
	if p.d == Mrkdwn && !p.reopen {
		for i := len(p.open) - 1; i >= 0; i-- {
			p.closeMark(p.open[i])
		}
		p.reopen = len(p.open) > 0
	}
	if from := p.lineFrom; !p.bol && (from == 0 || p.out[from-1] == '\n') && len(bytes.Trim(p.out[from:], " \t")) == 0 {
		p.out, p.bol = p.out[:from], true // blanks, or all that was on it was taken back
	}
	if p.empty = p.bol && p.empty; p.empty || p.bol && len(p.out) == 0 {
		return // one blank line is there
	}
	p.empty = p.bol
	if p.bol && p.quoted {
		p.out = append(p.out, bytes.TrimRight(p.prefix, " ")...)
	}
	p.out = append(bytes.TrimRight(p.out, " \t"), '\n')
	p.bol, p.gap, p.lineFrom, p.runFrom = true, false, len(p.out), len(p.out)
	p.clearLoose()
}

// mark writes what a line's text stands behind.
func (p *printer) mark(s string) {
	p.begin()
	p.out = append(p.out, s...)
	p.lineFrom, p.runFrom = len(p.out), len(p.out)
}

// blank ends a line and leaves one empty.
func (p *printer) blank() {
	p.newline()
	p.newline()
}

// atLineStart tells whether nothing was written on the line but its prefix.
func (p *printer) atLineStart() bool { return p.bol || len(p.out) == p.lineFrom }

// openMark writes the beginning of emphasis.
func (p *printer) openMark(mark string) {
	p.sweep()
	p.begin()
	if p.d == Mrkdwn {
		p.boundary()
		p.defuseLoose(mark[0])
	} else if p.d == Discord {
		p.defuseLoose(mark[0])
	}
	from := len(p.out)
	p.out = append(p.out, mark...)
	p.runFrom, p.gap = len(p.out), false
	p.open = append(p.open, opened{mark, from, len(p.out)})
}

// endMark writes the end of the innermost emphasis.
func (p *printer) endMark() {
	p.sweep()
	last := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if p.reopen {
		p.reopen = len(p.open) > 0
		return
	}
	p.closeMark(last)
}

// closeMark ends emphasis, or takes its beginning back if nothing is inside.
func (p *printer) closeMark(o opened) {
	if len(p.out) == o.to {
		p.out = p.out[:o.from]
		p.runFrom = len(p.out)
		return
	}
	p.out = append(p.out, o.mark...)
	p.runFrom, p.gap = len(p.out), p.d == Mrkdwn
}

// boundary puts a blank before a marker of Slack's that would otherwise touch a
// wide character: Slack takes it for text there.
func (p *printer) boundary() {
	if p.bol || len(p.out) == p.lineFrom {
		return
	}
	if r, _ := utf8.DecodeLastRune(p.out); wide(r) {
		p.out = append(p.out, ' ')
	}
}

// inlines prints what stands below a node.
func (p *printer) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.inline(c)
	}
}
