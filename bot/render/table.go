package render

import (
	"bytes"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// maxTableWidth is the widest table that is drawn with columns. A wider one would
// be broken by every window, and padding it could make it many times as long.
const maxTableWidth = 120

// table prints a table: as Markdown where the platform draws it, with columns in a
// fence elsewhere, or row by row where cells hold links, which do not work in a
// fence, or are too wide.
func (p *printer) table(t *extast.Table) {
	rows := tableRows(t, p.src)
	if p.d == MarkdownBlock {
		p.markdownTable(t, rows)
		return
	}
	if !hasLinks(t) {
		if grid, widths, ok := p.grid(rows); ok {
			p.fence("", []byte(drawTable(grid, widths, t.Alignments)))
			return
		}
	}
	p.cards(rows)
}

// row is a table's line. More cells than the heading has are not in the tree; they
// are kept as text.
type row struct {
	cells []ast.Node
	extra string
}

func tableRows(t *extast.Table, src []byte) []row {
	var rows []row
	for c := t.FirstChild(); c != nil; c = c.NextSibling() {
		var r row
		for cell := c.FirstChild(); cell != nil; cell = cell.NextSibling() {
			r.cells = append(r.cells, cell)
		}
		r.extra = extraCells(r.cells, src)
		rows = append(rows, r)
	}
	return rows
}

// extraCells is what stands on the line behind the last cell.
func extraCells(cells []ast.Node, src []byte) string {
	if len(cells) == 0 || cells[len(cells)-1].Lines().Len() == 0 {
		return ""
	}
	from := cells[len(cells)-1].Lines().At(0).Stop
	line, _, _ := bytes.Cut(src[from:], []byte{'\n'})
	line = bytes.Trim(line, " \t\r|")
	return strings.TrimSpace(string(line))
}

func hasLinks(n ast.Node) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink:
			return true
		}
		if hasLinks(c) {
			return true
		}
	}
	return false
}

// cellText is a cell without formatting, on one line.
func (p *printer) cellText(cell ast.Node) string {
	return strings.Join(strings.Fields(p.textOf(cell)), " ")
}

// grid is the text of all cells and the width of each column, if it can be drawn.
func (p *printer) grid(rows []row) (grid [][]string, widths []int, ok bool) {
	for _, r := range rows {
		var line []string
		for i, cell := range r.cells {
			s := p.cellText(cell)
			if i == len(r.cells)-1 && r.extra != "" {
				s = strings.TrimSpace(s + " | " + r.extra)
			}
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(s))
			line = append(line, s)
		}
		grid = append(grid, line)
	}
	total := 3 * len(widths)
	for _, w := range widths {
		total += w
	}
	return grid, widths, total <= maxTableWidth
}

func drawTable(grid [][]string, widths []int, align []extast.Alignment) string {
	var b strings.Builder
	for y, line := range grid {
		var out strings.Builder
		for x, s := range line {
			if x > 0 {
				out.WriteString(" | ")
			}
			out.WriteString(pad(s, widths[x], align[x]))
		}
		b.WriteString(strings.TrimRight(out.String(), " "))
		b.WriteByte('\n')
		if y == 0 {
			for x, w := range widths {
				if x > 0 {
					b.WriteString("-+-")
				}
				b.WriteString(strings.Repeat("-", w))
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func pad(s string, width int, align extast.Alignment) string {
	n := max(0, width-uniseg.StringWidth(s))
	switch align {
	case extast.AlignRight:
		return strings.Repeat(" ", n) + s
	case extast.AlignCenter:
		return strings.Repeat(" ", n/2) + s + strings.Repeat(" ", n-n/2)
	default:
		return s + strings.Repeat(" ", n)
	}
}

// cards prints each row as its first cell and, below, the others with the heading
// of their column.
func (p *printer) cards(rows []row) {
	if len(rows) == 0 {
		return
	}
	if len(rows) == 1 { // only a heading
		rows = append(rows[:1:1], rows[0])
	}
	bullet := "  • "
	if p.d == Discord {
		bullet = "  - "
	}
	for i, r := range rows[1:] {
		if i > 0 {
			p.blank()
		}
		p.oneLine = true
		p.strong(func() { p.inlines(r.cells[0]) })
		for x, cell := range r.cells[1:] {
			if !cell.HasChildren() {
				continue
			}
			p.newline()
			p.mark(bullet)
			if head := p.cellText(rows[0].cells[x+1]); head != "" {
				p.plainText([]byte(head + ": "))
			}
			p.inlines(cell)
		}
		if r.extra != "" {
			p.newline()
			p.mark(bullet)
			p.plainText([]byte(r.extra))
		}
		p.sweep()
		p.oneLine = false
	}
}

// markdownTable prints a table as Markdown.
func (p *printer) markdownTable(t *extast.Table, rows []row) {
	for y, r := range rows {
		if y > 0 {
			p.newline()
		}
		p.raw("|")
		for x, cell := range r.cells {
			q := p.inner(p.d)
			q.inlines(cell)
			q.sweep()
			s := strings.TrimSpace(strings.ReplaceAll(string(q.out), "\n", " "))
			if x == len(r.cells)-1 && r.extra != "" {
				s += " / " + calm(escapeBlock.Replace(r.extra))
			}
			p.out = append(p.out, " "+tableCell(s)+" |"...)
		}
		p.runFrom = len(p.out)
		if y == 0 {
			p.newline()
			p.raw("|" + alignmentRow(t.Alignments))
		}
	}
	p.runFrom = len(p.out)
}

// tableCell escapes the bars that are not escaped yet.
func tableCell(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func alignmentRow(align []extast.Alignment) string {
	var b strings.Builder
	for _, a := range align {
		switch a {
		case extast.AlignLeft:
			b.WriteString(":---|")
		case extast.AlignRight:
			b.WriteString("---:|")
		case extast.AlignCenter:
			b.WriteString(":---:|")
		default:
			b.WriteString("---|")
		}
	}
	return b.String()
}
