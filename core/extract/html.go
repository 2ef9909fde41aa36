package extract

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parseHTML drops what is not content, converts the rest to Markdown and reads
// that. Pages nested deeper than the parser goes are read as running text.
func parseHTML(ctx context.Context, _, body string) (Content, error) {
	doc, err := parseTree(body)
	if err != nil {
		c := textOfTags(body)
		c.Notes = append(c.Notes, "This page is nested too deeply for its structure to be kept; only its text was read.")
		return c, nil
	}
	title := pageTitle(doc)
	lang := htmlLanguage(doc)
	clean(doc)
	root := mainContent(doc)
	ids := markHeadings(root)
	if err := ctx.Err(); err != nil {
		return Content{}, err
	}
	md, err := newConverter().ConvertNode(root, converter.WithContext(ctx))
	if err != nil {
		return Content{}, err
	}
	blocks, err := markdownBlocks(ctx, string(md))
	if err != nil {
		return Content{}, err
	}
	blocks = resolveMarks(blocks, ids)
	if title == "" {
		title = firstTitle(blocks)
	}
	c := Content{Title: title, Blocks: blocks}
	if c.Language = Language(prose(blocks)); c.Language == "" {
		c.Language = lang
	}
	return c, nil
}

func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithHeadingStyle(commonmark.HeadingStyleATX)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true),
			table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
			table.WithSpanCellBehavior(table.SpanBehaviorEmpty),
		),
	))
}

func parseTree(body string) (doc *html.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errTooDeep
		}
	}()
	return html.Parse(strings.NewReader(body))
}

// pageTitle is the <title>, else the title in the JSON comment that Go's own
// documentation pages start with. The first heading is left to the caller.
func pageTitle(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			if t := oneLine(textOf(n)); t != "" {
				return t
			}
		}
	}
	for n := doc.FirstChild; n != nil; n = n.NextSibling {
		var head struct{ Title string }
		if n.Type == html.CommentNode && json.Unmarshal([]byte(n.Data), &head) == nil && head.Title != "" {
			return oneLine(head.Title)
		}
	}
	return ""
}

func htmlLanguage(doc *html.Node) string {
	for n := doc.FirstChild; n != nil; n = n.NextSibling {
		if n.DataAtom == atom.Html {
			code, _, _ := strings.Cut(strings.ToLower(attr(n, "lang")), "-")
			if len(code) == 2 {
				return code
			}
		}
	}
	return ""
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// Headings carry their anchors through the conversion as a number between two
// private-use characters, which no escaping rule touches.
const markOpen, markClose = "\uE0F0", "\uE0F1"

var headingMark = regexp.MustCompile(`[ ]?` + markOpen + `(\d{1,9})` + markClose)

func markHeadings(root *html.Node) (ids []string) {
	for n := range root.Descendants() {
		if headingLevel(n) == 0 {
			continue
		}
		if id := anchorOf(n); id != "" {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: " " + markOpen + strconv.Itoa(len(ids)) + markClose})
			ids = append(ids, id)
		}
	}
	return ids
}

func resolveMarks(blocks []Block, ids []string) []Block {
	out := blocks[:0]
	for _, b := range blocks {
		if strings.Contains(b.Text, markOpen) {
			if m := headingMark.FindStringSubmatch(b.Text); m != nil && b.Kind == KindHeading {
				b.Anchor = ""
				if i, err := strconv.Atoi(m[1]); err == nil && i < len(ids) {
					b.Anchor = ids[i]
				}
			}
			b.Text = strings.TrimSpace(headingMark.ReplaceAllString(b.Text, ""))
		} else if b.Kind == KindHeading {
			b.Anchor = "" // a page without ids has nothing to jump to
		}
		if b.Text != "" {
			out = append(out, b)
		}
	}
	return out
}

func headingLevel(n *html.Node) int {
	if n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && '1' <= n.Data[1] && n.Data[1] <= '6' {
		return int(n.Data[1] - '0')
	}
	return 0
}

// anchorOf looks where generators put the id: on the heading, inside it, or on
// the section that it opens.
func anchorOf(h *html.Node) string {
	if id := attr(h, "id"); id != "" {
		return id
	}
	for d := range h.Descendants() {
		if id := attr(d, "id"); id != "" {
			return id
		}
		if id := attr(d, "name"); id != "" && d.DataAtom == atom.A {
			return id
		}
	}
	prev := h.PrevSibling
	for prev != nil && prev.Type == html.TextNode && strings.TrimSpace(prev.Data) == "" {
		prev = prev.PrevSibling
	}
	switch {
	case prev == nil && h.Parent != nil && (h.Parent.DataAtom == atom.Section || h.Parent.DataAtom == atom.Div):
		return attr(h.Parent, "id")
	case prev != nil && prev.DataAtom == atom.A && prev.FirstChild == nil:
		if id := attr(prev, "id"); id != "" {
			return id
		}
		return attr(prev, "name")
	}
	return ""
}
