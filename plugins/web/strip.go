package web

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped are elements that say nothing to a reader and change with each answer.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Object: true,
	atom.Embed: true, atom.Svg: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Input: true,
	atom.Link: true, atom.Meta: true, atom.Base: true,
}

var keptAttributes = set("id name class href src alt title colspan rowspan lang role hidden start datetime")

// strip removes what is no content and makes addresses absolute. What is the subject
// of a page is the host's to find: it reads pages of other connectors too.
func strip(base *url.URL, doc *html.Node) {
	var drop []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.CommentNode, n.Type == html.ElementNode && dropped[n.DataAtom]:
			drop = append(drop, n)
		case n.Type == html.ElementNode:
			n.Attr = attributes(base, n.Attr)
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

func attributes(base *url.URL, list []html.Attribute) []html.Attribute {
	out := list[:0]
	for _, a := range list {
		if !keptAttributes[a.Key] {
			continue
		}
		if (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(strings.TrimSpace(a.Val), "#") {
			to, err := base.Parse(strings.TrimSpace(a.Val))
			if err != nil || to.Scheme != "http" && to.Scheme != "https" && to.Scheme != "mailto" {
				continue
			}
			a.Val = to.String()
		}
		out = append(out, a)
	}
	return out
}
