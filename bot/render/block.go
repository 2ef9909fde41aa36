package render

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// blocks prints the blocks below a node with the distance they have in the source,
// at most one blank line.
func (p *printer) blocks(n ast.Node) {
	first, blank := true, false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		blank = blank || c.HasBlankPreviousLines()
		if !p.visible(c) {
			continue
		}
		switch {
		case first:
		case blank:
			p.blank()
		default:
			p.newline()
		}
		first, blank = false, false
		p.block(c)
	}
}

// visible tells whether a block prints anything.
func (p *printer) visible(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindThematicBreak:
		return p.d == MarkdownBlock
	case ast.KindHTMLBlock:
		return len(afterComment(n.(*ast.HTMLBlock), p.src)) > 0
	case ast.KindHeading:
		return n.HasChildren()
	case ast.KindBlockquote:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if p.visible(c) {
				return true
			}
		}
		return false
	}
	return true
}

func (p *printer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		p.heading(n)
	case *ast.Blockquote:
		p.quote(n)
	case *ast.List:
		p.list(n)
	case *ast.FencedCodeBlock:
		p.fence(string(n.Language(p.src)), lines(n, p.src))
	case *ast.CodeBlock:
		p.fence("", lines(n, p.src))
	case *ast.ThematicBreak:
		p.raw("---")
	case *ast.HTMLBlock:
		p.plainText(afterComment(n, p.src))
		p.sweep()
	case *extast.Table:
		p.table(n)
	default:
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			p.blocks(n)
			return
		}
		p.inlines(n)
	}
}

// lines is the content of a code block, without the last end of line.
func lines(n ast.Node, src []byte) []byte {
	var b []byte
	all := n.Lines()
	for i := range all.Len() {
		at := all.At(i)
		b = append(b, at.Value(src)...)
	}
	return bytes.TrimRight(b, "\r\n")
}

// afterComment is what stands behind a comment on its last line.
func afterComment(n *ast.HTMLBlock, src []byte) []byte {
	var last text.Segment
	switch {
	case n.HasClosure():
		last = n.ClosureLine
	case n.Lines().Len() > 0:
		last = n.Lines().At(n.Lines().Len() - 1)
	}
	_, after, _ := bytes.Cut(last.Value(src), []byte("-->"))
	return bytes.TrimSpace(after)
}

func (p *printer) heading(n *ast.Heading) {
	level := n.Level
	switch {
	case p.d == MarkdownBlock || p.d == Discord && level <= 3:
		p.mark(strings.Repeat("#", level) + " ")
		p.inlines(n)
	case p.d == Plain:
		p.inlines(n)
	default:
		p.strong(func() { p.inlines(n) })
	}
}

// strong prints something bold in which nothing else is.
func (p *printer) strong(inner func()) {
	mark := p.strongMark()
	if mark == "" || p.bold {
		inner()
		return
	}
	p.bold = true
	p.openMark(mark)
	inner()
	p.endMark()
	p.bold = false
}

func (p *printer) strongMark() string {
	switch p.d {
	case Mrkdwn:
		return "*"
	case Plain:
		return ""
	default:
		return "**"
	}
}

// quote prints a block quote. Only Markdown nests them; elsewhere a mark counts at
// the beginning of a line only, so that it stands before any indentation.
func (p *printer) quote(n *ast.Blockquote) {
	prefix, quoted := p.prefix, p.quoted
	switch {
	case p.d == MarkdownBlock:
		if !p.bol { // behind an item's marker
			p.mark("> ")
		}
		p.prefix = append(bytes.Clone(prefix), "> "...)
	case !quoted:
		if !p.bol {
			p.newline()
		}
		p.prefix = []byte("> ")
	}
	p.quoted = true
	p.blocks(n)
	p.prefix, p.quoted = prefix, quoted
}

func (p *printer) list(n *ast.List) {
	prefix := p.prefix
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() {
			if c.HasBlankPreviousLines() && !n.IsTight {
				p.blank()
			} else {
				p.newline()
			}
		}
		marker := p.bullet(n, number, c)
		number++
		p.mark(marker)
		p.prefix = append(bytes.Clone(prefix), strings.Repeat(" ", p.indent(marker))...)
		p.blocks(c)
		p.prefix = prefix
	}
}

// indent is how far the lines of an item stand in.
func (p *printer) indent(marker string) int {
	if p.d == MarkdownBlock || p.d == Discord {
		return strings.IndexByte(marker, ' ') + 1
	}
	return 2
}

func (p *printer) bullet(n *ast.List, number int, item ast.Node) string {
	task, done := taskOf(item)
	full := p.d == MarkdownBlock
	switch {
	case n.IsOrdered() && full:
		return strconv.Itoa(number) + string(n.Marker) + " "
	case n.IsOrdered():
		return strconv.Itoa(number) + ". "
	case task && full && done:
		return "- [x] "
	case task && full:
		return "- [ ] "
	case task && done:
		return p.dash() + "☑ "
	case task:
		return p.dash() + "☐ "
	case full || p.d == Discord:
		return "- "
	default:
		return "• "
	}
}

// dash keeps a task in Discord's list; elsewhere its box is mark enough.
func (p *printer) dash() string {
	if p.d == Discord {
		return "- "
	}
	return ""
}

// taskOf tells whether an item begins with a box and whether it is ticked.
func taskOf(item ast.Node) (task, done bool) {
	if item.FirstChild() == nil {
		return false, false
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	if !ok {
		return false, false
	}
	return true, box.IsChecked
}
