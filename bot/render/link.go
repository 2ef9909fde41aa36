package render

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// link prints a link or an image, which is a link to it: no platform loads
// pictures from a message, and an answer must not make anybody's client do so.
func (p *printer) link(n ast.Node, destination string) {
	if p.label > 0 {
		p.inlines(n)
		return
	}
	to := destination
	if strings.ContainsAny(to, "\\&") {
		to = string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(to)))))
	}
	safe, ok := safeURL(p.d, to)
	if !ok {
		p.dead(n, to)
		return
	}
	label := p.labelOf(n)
	if p.d == Plain { // a word may go on in the label
		p.begin()
		p.out = append(p.out, label+" ("+safe+")"...)
		return
	}
	p.sweep()
	switch p.d {
	case Mrkdwn:
		if strings.TrimSpace(label) == "" {
			p.raw("<" + safe + ">")
			break
		}
		p.raw("<" + safe + "|" + label + ">")
	case Discord:
		if strings.TrimSpace(label) == "" {
			p.raw("<" + safe + ">")
			break
		}
		p.raw("[" + label + "](<" + safe + ">)")
	default:
		if strings.TrimSpace(label) == "" {
			label = escapeBlock.Replace(to)
		}
		p.raw("[" + label + "](" + safe + ")")
	}
	if strings.IndexByte(label, '.') >= 0 {
		if host := otherHost(p.textOf(n), to); host != "" {
			p.raw(" (" + host + ")")
		}
	}
	p.runFrom = len(p.out)
}

// dead prints a link that goes nowhere: its label, or all of it where it is no
// address but a remark in parentheses.
func (p *printer) dead(n ast.Node, to string) {
	if _, image := n.(*ast.Image); image || leadsAway(to) {
		p.inlines(n)
		return
	}
	p.plainText([]byte("["))
	p.inlines(n)
	p.plainText([]byte("](" + to + ")"))
}

// leadsAway tells that what stands behind a label is no remark in parentheses.
func leadsAway(to string) bool { return to == "" || strings.ContainsAny(to, ":/#?.%&\\<>") }

// labelOf prints what stands below a link on one line, without formatting, and with
// brackets that are balanced where brackets end it.
func (p *printer) labelOf(n ast.Node) string {
	q := p.inner(p.d)
	q.label = 1
	q.inlines(n)
	q.sweep()
	label := strings.TrimSpace(strings.ReplaceAll(string(q.out), "\n", " "))
	if (p.d == Discord || p.d == MarkdownBlock) && !balanced(label) {
		label = brackets(p.d).Replace(label)
	}
	return label
}

// brackets replaces brackets that would end a label too early.
func brackets(d Dialect) *strings.Replacer {
	if d == MarkdownBlock {
		return strings.NewReplacer("[", `\[`, "]", `\]`)
	}
	return strings.NewReplacer("[", "(", "]", ")") // Discord does not say whether it reads escapes there
}

// textOf is the label of a link as its reader sees it.
func (p *printer) textOf(n ast.Node) string {
	q := p.inner(Plain)
	q.label = 1
	q.inlines(n)
	q.sweep()
	return string(q.out)
}

func balanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// hasScheme tells whether an address may become a link.
func hasScheme[T string | []byte](to T) bool {
	s := string(to)
	for _, scheme := range []string{"https://", "http://"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return true
		}
	}
	return len(s) > 7 && strings.EqualFold(s[:7], "mailto:")
}

// safeURL is an address as it may stand in a link of the dialect, and whether it
// may at all.
func safeURL(d Dialect, to string) (string, bool) {
	if !hasScheme(to) || len(to) > maxURL {
		return "", false
	}
	var b strings.Builder
	closed := parenthesesBalance(to)
	b.Grow(len(to))
	for i := range len(to) {
		c := to[i]
		switch {
		case c == '@' && broadcast([]byte(to[i+1:])) > 0, c <= ' ' || c == 0x7f || strings.IndexByte("<>|\"`\\", c) >= 0, (c == '(' || c == ')') && d == MarkdownBlock && !closed:
			const hex = "0123456789ABCDEF"
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		case c == '&' && d == Mrkdwn:
			b.WriteString("&amp;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func parenthesesBalance(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// otherHost is the host of an address if the label looks like an address of
// another one.
func otherHost(label, to string) string {
	shown := hostIn(label)
	if shown == "" {
		return ""
	}
	target, err := url.Parse(to)
	if err != nil || target.Hostname() == "" || plainHost(shown) == plainHost(target.Hostname()) {
		return ""
	}
	return target.Hostname()
}

func plainHost(h string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(h), "www."), ".")
}

// hostIn is the host of the address that a label looks like.
func hostIn(label string) string {
	label = strings.TrimSpace(label)
	rest := label
	if _, behind, ok := strings.Cut(label, "://"); ok {
		rest = behind
	} else if i := strings.Index(strings.ToLower(label), "www."); i >= 0 {
		rest = label[i:]
	} else if !looksLikeDomain(label) {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune("/?#:|<> \t\n", r) })
	if end >= 0 {
		rest = rest[:end]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return rest
}

// commonDomains end host names that people write without a scheme. Others are more
// often the names of files.
var commonDomains = []string{".com", ".org", ".net", ".edu", ".gov", ".int"}

func looksLikeDomain(label string) bool {
	host, _, _ := strings.Cut(label, "/")
	if strings.ContainsAny(host, " @") {
		return false
	}
	for _, end := range commonDomains {
		if strings.HasSuffix(strings.ToLower(host), end) {
			return true
		}
	}
	return false
}
