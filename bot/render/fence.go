package render

import (
	"bytes"
	"strings"
)

// zeroWidth is a blank without width. It breaks a token that must not be one.
const zeroWidth = "\u200b"

// fence prints a code block. Its lines keep the quote's mark but, except in
// Markdown, no indentation: Slack and Discord know a fence at the margin only.
func (p *printer) fence(language string, code []byte) {
	prefix := p.prefix
	if !p.bol && p.d != MarkdownBlock { // behind an item's marker
		p.newline()
	}
	if p.d != MarkdownBlock {
		p.prefix = nil
		if p.quoted {
			p.prefix = []byte("> ")
		}
	}
	ticks, code := p.fenceTicks(code)
	if ticks != "" {
		p.raw(ticks + p.language(language))
		p.codeLine()
	}
	for line := range bytes.SplitSeq(code, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) == 0:
			p.begin()
		case p.d == Plain: // nobody can tell that it is code
			p.plainText(line)
			p.sweep()
		default:
			p.raw(p.escapeCode(string(line)))
		}
		p.codeLine()
	}
	if ticks != "" {
		p.raw(ticks)
	} else {
		p.out = p.out[:len(p.out)-1] // the newline behind the last line
		p.bol, p.lineFrom = false, bytes.LastIndexByte(p.out, '\n')+1
	}
	p.runFrom = len(p.out)
	p.prefix = prefix
}

// codeLine ends a line as it is.
func (p *printer) codeLine() {
	p.out = append(p.out, '\n')
	p.bol, p.empty, p.lineFrom, p.runFrom = true, false, len(p.out), len(p.out)
}

// fenceTicks is the fence for a code, and the code as it may stand inside.
func (p *printer) fenceTicks(code []byte) (string, []byte) {
	if p.d == Plain {
		return "", code
	}
	run := longestRun(code, '`')
	if run < 3 {
		return "```", code
	}
	if p.d == MarkdownBlock {
		return strings.Repeat("`", run+1), code
	}
	return "```", breakTicks(code)
}

// breakTicks puts something between backticks that would end the fence.
func breakTicks(code []byte) []byte {
	var b []byte
	for {
		i := bytes.Index(code, []byte("```"))
		if i < 0 {
			return append(b, code...)
		}
		b = append(b, code[:i+1]...)
		b = append(b, zeroWidth...)
		code = code[i+1:]
		// Two are left; a third would make a fence again.
		b = append(b, code[:2]...)
		code = code[2:]
		if bytes.HasPrefix(code, []byte("`")) {
			b = append(b, zeroWidth...)
		}
	}
}

func longestRun(s []byte, c byte) int {
	longest, run := 0, 0
	for _, x := range s {
		if x == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// language is the name behind a fence, where it is drawn.
func (p *printer) language(name string) string {
	if p.d == Mrkdwn || len(name) > 30 {
		return ""
	}
	for i := range len(name) {
		if !isWord(name[i]) && strings.IndexByte("+-_.#", name[i]) < 0 {
			return ""
		}
	}
	return name
}

// escapeCode makes code safe. Slack reads its tokens in code too.
func (p *printer) escapeCode(s string) string {
	switch p.d {
	case Mrkdwn:
		return escapeSlack.Replace(s)
	case MarkdownBlock:
		return escapeBlock.Replace(s)
	default:
		return s
	}
}

var (
	escapeSlack = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	// escapeBlock leaves & alone: Slack's markdown block would show &amp; and
	// break the links that hold it.
	escapeBlock = strings.NewReplacer("<", "&lt;", ">", "&gt;")
)
