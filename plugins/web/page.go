package web

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// page is what the HTML of one page says.
type page struct {
	title, description, language, author string
	created, updated                     time.Time
	canonical                            string // as it is written; "" for none
	noindex, nofollow                    bool
	links                                []string // absolute, as written
	body                                 string   // without scripts, forms and styles
	text                                 int      // letters of text
	print                                string   // of the text; the same for pages that say the same
}

// mostLinks is how many links of one page count.
const mostLinks = 5000

// decodePage turns the bytes of a page into UTF-8. What is valid UTF-8 is that,
// whatever the server says.
func decodePage(raw []byte, contentType string) (string, error) {
	if rest := strings.TrimPrefix(string(raw), "\uFEFF"); utf8.ValidString(rest) {
		return rest, nil
	}
	encoding, _, _ := charset.DetermineEncoding(raw[:min(len(raw), 16<<10)], contentType)
	text, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		return "", sdk.Invalid(errors.New("the page is in no character set that is known"))
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\uFEFF"), "\uFFFD"), nil
}

// readPage reads a page whose address is base.
func readPage(base *url.URL, text string) (p *page, err error) {
	defer func() {
		if recover() != nil {
			p, err = nil, sdk.Invalid(errors.New("the page is nested too deeply to be read"))
		}
	}()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, sdk.Invalid(errors.New("the page is nested too deeply to be read"))
	}
	p = &page{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.Base {
			if to, err := base.Parse(attr(n, "href")); err == nil && to.Host != "" {
				base = to
				break
			}
		}
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			p.element(base, n)
		}
	}
	strip(base, doc)
	p.fingerprint(doc)
	var out strings.Builder
	if err := html.Render(&out, doc); err != nil {
		return nil, sdk.Invalid(errors.New("the page cannot be written as text"))
	}
	p.body = out.String()
	return p, nil
}

// element notes what one element says of the page.
func (p *page) element(base *url.URL, n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		p.language = strings.ToLower(attr(n, "lang"))
	case atom.Title:
		if n.Namespace == "" && p.title == "" {
			p.title = oneLine(textOf(n))
		}
	case atom.Meta:
		p.meta(strings.ToLower(attr(n, "name")+attr(n, "property")), attr(n, "content"))
	case atom.Link:
		if has(attr(n, "rel"), "canonical") && p.canonical == "" {
			if to, err := base.Parse(attr(n, "href")); err == nil && attr(n, "href") != "" {
				p.canonical = to.String()
			}
		}
	case atom.A, atom.Area:
		if len(p.links) >= mostLinks || has(attr(n, "rel"), "nofollow") {
			return
		}
		if to, err := base.Parse(attr(n, "href")); err == nil && attr(n, "href") != "" {
			p.links = append(p.links, to.String())
		}
	}
}

func (p *page) meta(name, content string) {
	switch name {
	case "robots", strings.ToLower(agent):
		p.robots(content)
	case "description", "og:description":
		if p.description == "" {
			p.description = clip(oneLine(content), 500)
		}
	case "author":
		p.author = clip(oneLine(content), 200)
	case "article:published_time":
		p.created = timeOf(content)
	case "article:modified_time", "og:updated_time":
		p.updated = timeOf(content)
	}
}

// robots reads what a page asks of crawlers.
func (p *page) robots(content string) {
	for word := range strings.SplitSeq(strings.ToLower(content), ",") {
		switch strings.TrimSpace(word) {
		case "noindex":
			p.noindex = true
		case "nofollow":
			p.nofollow = true
		case "none":
			p.noindex, p.nofollow = true, true
		}
	}
}

// robotsHeader reads the headers that ask the same.
func (p *page) robotsHeader(values []string) {
	for _, value := range values {
		name, rest, named := strings.Cut(value, ":")
		switch {
		case named && strings.EqualFold(strings.TrimSpace(name), agent):
			p.robots(rest)
		case !named || strings.ContainsAny(name, ", "):
			p.robots(value)
		}
	}
}

func timeOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t
		}
	}
	return time.Time{}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func has(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// shortText is how many letters a page has at least that is known again by its text
// alone.
const shortText = 200

func (p *page) fingerprint(doc *html.Node) {
	sum := sha256.New()
	for n := range doc.Descendants() {
		if n.Type != html.TextNode || n.Parent != nil && n.Parent.DataAtom == atom.Title {
			continue
		}
		for word := range strings.FieldsSeq(n.Data) {
			p.text += utf8.RuneCountInString(word)
			sum.Write([]byte(word + " "))
		}
	}
	if p.text < shortText {
		sum.Write([]byte(p.title))
	}
	p.print = short(sum.Sum(nil))
}

func short(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum[:12]) }
