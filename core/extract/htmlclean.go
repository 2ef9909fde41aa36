package extract

import (
	"net/url"
	"strconv"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// notContent are elements that never hold text for readers.
var notContent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Object: true,
	atom.Embed: true, atom.Svg: true, atom.Math: false, atom.Canvas: true, atom.Audio: true, atom.Video: true,
	atom.Nav: true, atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true, atom.Dialog: true,
	atom.Link: true, atom.Meta: true, atom.Head: true,
}

var notContentRole = map[string]bool{
	"navigation": true, "banner": true, "contentinfo": true, "search": true, "dialog": true, "alertdialog": true, "menu": true,
}

// clean removes what is not content and bounds what would blow up a table.
func clean(doc *html.Node) {
	var drop []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			drop = append(drop, n)
		case n.Type != html.ElementNode:
		case unwanted(n):
			drop = append(drop, n)
		default:
			clampSpans(n)
			dropDataImage(n)
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

func unwanted(n *html.Node) bool {
	if notContent[n.DataAtom] || notContentRole[attr(n, "role")] {
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" && a.Val != "until-found" {
			return true
		}
	}
	switch n.DataAtom {
	case atom.A:
		return inHeading(n) && isPermalink(n)
	case atom.Footer:
		return n.Parent != nil && n.Parent.DataAtom == atom.Body
	}
	return false
}

func inHeading(n *html.Node) bool {
	return n.Parent != nil && (headingLevel(n.Parent) > 0 || n.Parent.Parent != nil && headingLevel(n.Parent.Parent) > 0)
}

// isPermalink recognises the sign beside a heading that links to itself. One
// that carries the anchor is kept: it has no text of its own anyway.
func isPermalink(a *html.Node) bool {
	if !strings.HasPrefix(attr(a, "href"), "#") || attr(a, "id") != "" || attr(a, "name") != "" {
		return false
	}
	switch strings.TrimSpace(textOf(a)) {
	case "", "#", "¶", "§", "🔗", "\uf0c1", "Permalink", "Link to this heading":
		return true
	}
	return false
}

// clampSpans keeps a table cell from claiming a million columns.
func clampSpans(n *html.Node) {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		return
	}
	for i, a := range n.Attr {
		if a.Key == "colspan" || a.Key == "rowspan" {
			v, err := strconv.Atoi(strings.TrimSpace(a.Val))
			if err != nil || v < 1 || v > 50 {
				n.Attr[i].Val = "1"
			}
		}
	}
}

// dropDataImage removes pictures that are embedded as text.
func dropDataImage(n *html.Node) {
	if n.DataAtom != atom.Img {
		return
	}
	for i, a := range n.Attr {
		if a.Key == "src" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "data:") {
			n.Attr[i].Val = "#"
		}
	}
}

// shape is what must not get lost when a page is narrowed to its main part.
type shape struct{ text, headings, tables, code int }

func shapeOf(root *html.Node) shape {
	var s shape
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			s.text += len(strings.TrimSpace(n.Data))
		case headingLevel(n) > 1: // the title's own heading may go, it is kept as title
			s.headings++
		case n.DataAtom == atom.Table:
			s.tables++
		case n.DataAtom == atom.Pre:
			s.code++
		}
	}
	return s
}

// keeps tells whether a part may stand for the whole: no code, no table and no
// heading is gone, and at least the share of the text is there.
func (whole shape) keeps(part shape, share float64) bool {
	return part.code >= whole.code && part.tables >= whole.tables && part.headings >= whole.headings &&
		float64(part.text) >= share*float64(whole.text)
}

// mainContent is the part of a page that is its subject: what the page marks as
// such, else what readability finds if that loses nothing, else everything.
func mainContent(doc *html.Node) *html.Node {
	whole := shapeOf(doc)
	if marked := markedMain(doc); marked != nil && shapeOf(marked).text*3 >= whole.text {
		return marked
	}
	const longEnough, shortEnough = 1500, 2 << 20
	if whole.text < longEnough || whole.text > shortEnough || !hasFurniture(doc) {
		return doc
	}
	if part := readable(doc); part != nil && whole.keeps(shapeOf(part), 0.7) {
		return part
	}
	return doc
}

func markedMain(doc *html.Node) *html.Node {
	var found, article *html.Node
	articles := 0
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Main || attr(n, "role") == "main":
			if found == nil {
				found = n
			}
		case n.DataAtom == atom.Article:
			articles++
			article = n
		}
	}
	if found == nil && articles == 1 {
		return article
	}
	return found
}

// hasFurniture tells whether there is something around the text that is worth a
// search: plain reference pages have none and are kept whole.
func hasFurniture(doc *html.Node) bool {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Aside || n.DataAtom == atom.Footer || n.DataAtom == atom.Header {
			return true
		}
		if n.DataAtom != atom.Div && n.DataAtom != atom.Section {
			continue
		}
		if class := strings.ToLower(attr(n, "class") + " " + attr(n, "id")); len(class) > 1 {
			for _, word := range []string{"sidebar", "breadcrumb", "cookie", "newsletter", "related", "share", "comments", "menu"} {
				if strings.Contains(class, word) {
					return true
				}
			}
		}
	}
	return false
}

// readable runs on a copy, since it takes the tree apart.
func readable(doc *html.Node) (part *html.Node) {
	defer func() {
		if recover() != nil {
			part = nil
		}
	}()
	p := readability.NewParser()
	p.KeepClasses = true
	article, err := p.ParseDocument(cloneTree(doc), &url.URL{})
	if err != nil {
		return nil
	}
	return article.Node
}

func cloneTree(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.AppendChild(cloneTree(child))
	}
	return c
}
