package render

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

func (p *printer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.textNode(n)
	case *ast.Emphasis:
		p.emphasised(n)
	case *extast.Strikethrough:
		p.marked(map[Dialect]string{Mrkdwn: "~", MarkdownBlock: "~~", Discord: "~~"}[p.d], n)
	case *ast.CodeSpan:
		p.code(n)
	case *ast.Link:
		p.link(n, string(n.Destination))
	case *ast.Image:
		p.link(n, string(n.Destination))
	case *ast.AutoLink:
		p.autolink(n)
	case *extast.TaskCheckBox: // printed with the item's marker
	case *ast.String: // a comment, across which a word may go on
	default:
		p.inlines(n)
	}
}

func (p *printer) textNode(n *ast.Text) {
	if n.IsRaw() {
		p.plainText(n.Segment.Value(p.src))
	} else {
		p.text(n.Segment.Value(p.src))
	}
	switch {
	case !n.SoftLineBreak() && !n.HardLineBreak():
	case n.NextSibling() == nil && n.Parent().Type() == ast.TypeBlock:
		// The end of the paragraph is written by its container.
	case p.oneLine:
		p.text([]byte(" "))
	default:
		p.newline()
	}
}

func (p *printer) emphasised(n *ast.Emphasis) {
	strong := n.Level == 2
	switch {
	case strong && p.label == 0:
		p.strong(func() { p.inlines(n) })
	case strong:
		p.inlines(n)
	case p.d == Mrkdwn:
		p.marked("_", n)
	case p.d == Plain:
		p.marked("", n)
	default: // as it was written
		at := n.Pos()
		if at >= 0 && at < len(p.src) && p.src[at] == '_' {
			p.marked("_", n)
		} else {
			p.marked("*", n)
		}
	}
}

// marked prints emphasis, but not inside the same and not in a label of Slack's.
func (p *printer) marked(mark string, n ast.Node) {
	if mark == "" || p.label > 0 {
		p.inlines(n)
		return
	}
	for _, o := range p.open {
		if o.mark == mark {
			p.inlines(n)
			return
		}
	}
	p.openMark(mark)
	p.inlines(n)
	p.endMark()
}

// codeText is what a code span holds, on one line.
func (p *printer) codeText(n ast.Node) string {
	if t, ok := n.FirstChild().(*ast.Text); ok && t.NextSibling() == nil {
		return oneLine.Replace(string(t.Segment.Value(p.src)))
	}
	var b []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b = append(b, c.Segment.Value(p.src)...)
		case *ast.String:
			b = append(b, c.Value...)
		}
	}
	return oneLine.Replace(string(b))
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

func (p *printer) code(n *ast.CodeSpan) {
	code := p.codeText(n)
	if p.label > 0 || p.d == Plain { // where nobody can tell that it is code
		p.plainText(unlink([]byte(code)))
		return
	}
	p.sweep()
	p.begin()
	if p.gap && strings.HasPrefix(code, " ") {
		p.gap = false
	}
	if p.d == Mrkdwn {
		p.boundary()
	}
	p.defuseLoose('`')
	p.out = append(p.out, p.span(code)...)
	p.runFrom, p.gap = len(p.out), p.d == Mrkdwn
}

// span is a code span in the dialect. Slack has no way to hold a backtick; Discord
// takes three of them for a fence, so that a run inside is broken.
func (p *printer) span(code string) string {
	if strings.TrimSpace(code) == "" {
		code = strings.ReplaceAll(code, " ", "\u00a0")
	}
	if p.d == Mrkdwn {
		code = strings.ReplaceAll(code, "`", lookAlikes[3])
		return "`" + p.escapeCode(code) + "`"
	}
	for strings.Contains(code, "``") {
		code = strings.ReplaceAll(code, "``", "`"+zeroWidth+"`")
	}
	ticks := strings.Repeat("`", longestRun([]byte(code), '`')+1)
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return ticks + p.escapeCode(code) + ticks
}

// autolink prints an address that stands for itself.
func (p *printer) autolink(n *ast.AutoLink) {
	label := string(n.Label(p.src))
	url := label
	if bytes.Equal(n.Protocol, []byte("http")) {
		url = "http://" + label
	}
	mail := n.AutoLinkType == ast.AutoLinkEmail
	safe, ok := safeURL(p.d, url)
	switch {
	case p.label > 0: // the address that a label shows is compared with the link's
		p.sweep()
		p.plainText([]byte(calm(label)))
		p.runFrom = len(p.out)
		return
	case !mail && !ok || p.d == Plain:
		p.plainText([]byte(label))
		return
	case mail && p.d == Discord:
		p.plainText([]byte(label))
		return
	}
	p.sweep()
	switch {
	case p.d == Mrkdwn && mail:
		p.raw("<mailto:" + label + "|" + label + ">")
	case p.d == Mrkdwn && url != label:
		p.raw("<" + safe + "|" + escapeSlack.Replace(calm(label)) + ">")
	case p.d == Mrkdwn:
		p.raw("<" + safe + ">")
	case p.d == Discord && url != label: // not linked there
		p.plainText([]byte(calm(label)))
	case p.d == Discord:
		p.raw("<" + safe + ">")
	case bytes.Equal(n.Protocol, angled) && !mail:
		p.raw("<" + safe + ">")
	case mail || url != label:
		p.plainText([]byte(calm(label)))
	default:
		p.raw(safe)
	}
	p.runFrom = len(p.out)
}
