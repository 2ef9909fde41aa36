package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textOfTags reads a page token by token, without a tree: the way for pages
// whose tree would be too deep.
func textOfTags(body string) Content {
	var c Content
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(body))
	skip := atom.Atom(0)
	inTitle := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			c.Blocks = paragraphs(b.String())
			return c
		case html.TextToken:
			text := string(z.Text())
			switch {
			case inTitle && c.Title == "":
				c.Title = oneLine(text)
			case skip == 0:
				b.WriteString(oneLine(text) + " ")
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			inTitle = tag == atom.Title
			if skip == 0 && (tag == atom.Script || tag == atom.Style || tag == atom.Nav || tag == atom.Template) {
				skip = tag
			}
			if breaksText[tag] {
				b.WriteString("\n\n")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			inTitle = false
			if tag := atom.Lookup(name); tag == skip {
				skip = 0
			}
		}
	}
}

var breaksText = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Li: true, atom.Tr: true, atom.Pre: true, atom.Section: true, atom.Article: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Table: true, atom.Ul: true,
}
