package extract

import (
	"context"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parseMarkdown keeps every block's original Markdown. Front matter becomes
// metadata; the title is its title, else the first heading of level 1.
func parseMarkdown(ctx context.Context, _, body string) (Content, error) {
	meta, rest := cutFrontMatter(body)
	blocks, err := markdownBlocks(ctx, rest)
	c := Content{Title: meta["title"], Meta: meta, Blocks: blocks}
	if c.Title == "" {
		c.Title = firstTitle(blocks)
	}
	return c, err
}

func firstTitle(blocks []Block) string {
	for _, b := range blocks {
		if b.Kind == KindHeading && b.Level == 1 {
			return b.Text
		}
	}
	return ""
}

// newBlockParser parses block structure only. Inline markup is kept as written,
// so inline parsing, the part that hostile input can slow down, never runs.
// Link reference definitions stay paragraphs: removing them would lose URLs.
func newBlockParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
}

// markdownBlocks cuts the source at the starts of top-level blocks, so that
// every byte belongs to exactly one block.
func markdownBlocks(ctx context.Context, source string) ([]Block, error) {
	if tooNested(source) {
		return paragraphs(source), nil
	}
	src := []byte(source)
	doc := newBlockParser().Parse(text.NewReader(src))
	var out []Block
	slugs := map[string]int{}
	node := doc.FirstChild()
	for node != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, next := lineStart(src, nodeStart(node)), node.NextSibling()
		to := len(src)
		for next != nil {
			if at := nodeStart(next); at > from {
				to = max(lineStart(src, at), from)
				break
			}
			next = next.NextSibling()
		}
		if node.PreviousSibling() == nil {
			from = 0
		}
		out = appendBlock(out, node, src, source[from:to], slugs)
		node = next
	}
	return out, nil
}

// nodeStart is the offset of a node's first byte, -1 if the parser kept none.
func nodeStart(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 && n.Kind() == ast.KindParagraph {
		return n.Lines().At(0).Start
	}
	if n.Pos() >= 0 {
		return n.Pos()
	}
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	if c := n.FirstChild(); c != nil {
		return nodeStart(c)
	}
	return -1
}

func lineStart(src []byte, at int) int {
	at = min(max(at, 0), len(src))
	for at > 0 && src[at-1] != '\n' {
		at--
	}
	return at
}

func appendBlock(out []Block, n ast.Node, src []byte, raw string, slugs map[string]int) []Block {
	raw = strings.Trim(raw, "\n")
	if n.Kind() != ast.KindCodeBlock {
		raw = strings.TrimSpace(raw)
	}
	if strings.TrimSpace(raw) == "" {
		return out
	}
	switch n.Kind() {
	case ast.KindHeading:
		return appendHeading(out, n.(*ast.Heading), src, slugs)
	case ast.KindThematicBreak:
		return out
	case ast.KindHTMLBlock:
		if isComment(raw) {
			return out
		}
	}
	return append(out, Block{Kind: kindOf(n, raw), Text: raw})
}

func kindOf(n ast.Node, raw string) Kind {
	switch n.Kind() {
	case ast.KindList:
		return KindList
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		return KindCode
	case extast.KindTable:
		return KindTable
	}
	if soleImage.MatchString(raw) {
		return KindImage
	}
	return KindParagraph
}

var (
	soleImage    = regexp.MustCompile(`^!\[[^\]\n]*\]\([^)\n]*\)$`)
	explicitID   = regexp.MustCompile(`\s*\{#([^\s{}]+)[^{}]*\}\s*$`)
	inlineLink   = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	inlineMarks  = regexp.MustCompile(`\*\*|__|~~|</?(?:a|b|i|br|em|strong|code|img|sup|sub|span|kbd)(?:\s[^<>]*)?/?>`)
	singleMarks  = regexp.MustCompile(`(^|[\s(])[*_]([^*_]+)[*_]($|[\s).,:;!?])`)
	escapedMarks = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
)

// isComment tells whether the raw HTML is one comment and nothing after it.
func isComment(raw string) bool {
	return strings.HasPrefix(raw, "<!--") && strings.Index(raw, "-->") == len(raw)-3
}

func appendHeading(out []Block, h *ast.Heading, src []byte, slugs map[string]int) []Block {
	var lines []string
	for i := range h.Lines().Len() {
		seg := h.Lines().At(i)
		lines = append(lines, strings.TrimSpace(string(seg.Value(src))))
	}
	title, anchor := strings.Join(lines, " "), ""
	if m := explicitID.FindStringSubmatch(title); m != nil {
		title, anchor = strings.TrimSuffix(title, m[0]), m[1]
	}
	title = plainInline(title)
	if anchor == "" {
		anchor = slug(title, slugs)
	}
	if title != "" {
		out = append(out, Block{Kind: KindHeading, Text: title, Level: h.Level, Anchor: anchor})
	}
	return out
}

// plainInline drops inline markup from a heading, for paths and titles. What
// stands between backticks is kept to the letter.
func plainInline(s string) string {
	s = inlineLink.ReplaceAllString(s, "$1")
	parts := strings.Split(strings.ReplaceAll(s, "``", "`"), "`")
	for i := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			continue
		}
		p := inlineMarks.ReplaceAllString(parts[i], "")
		p = singleMarks.ReplaceAllString(p, "$1$2$3")
		parts[i] = escapedMarks.ReplaceAllString(p, "$1")
	}
	return strings.Join(strings.Fields(strings.Join(parts, "")), " ")
}
