package web

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// read is told of a page that came with content.
func (c *crawl) read(ctx context.Context, k *known, a *answer) error {
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	ending, _ := fileType(a.url.Path, "")
	if media == "" && ending == "" || media == "text/html" || media == "application/xhtml+xml" {
		return c.readHTML(ctx, k, a)
	}
	p := &page{}
	p.robotsHeader(a.Header.Values("X-Robots-Tag"))
	media, text := fileType(a.url.Path, media)
	switch {
	case p.noindex:
		c.tally.noindex++
		return c.absent(k)
	case media == "":
		c.tally.other++
		return c.absent(k)
	case text:
		return c.readText(k, a, media)
	}
	return c.readFile(k, a, media)
}

// body reads a page's content as far as it may be.
func body(a *answer, most int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(a.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the page broke off: %w", bare(err))
	case int64(len(raw)) > most:
		return nil, sdk.TooLarge(fmt.Errorf("the page has more than %d bytes", most))
	}
	return raw, nil
}

func (c *crawl) readHTML(_ context.Context, k *known, a *answer) error {
	raw, err := body(a, min(maxPage, c.src.maxBytes()))
	if err != nil {
		return err
	}
	text, err := decodePage(raw, a.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	p, err := readPage(a.url, text)
	if err != nil {
		return err
	}
	p.robotsHeader(a.Header.Values("X-Robots-Tag"))
	if !p.nofollow {
		for _, link := range p.links {
			if to := c.src.scope.parse(a.url, link); to != nil {
				c.found(to, k.Depth+1, false)
			}
		}
	}
	own, _ := url.Parse(k.URL) // as it was when it was asked for
	switch other := c.canonical(k, a.url, p); {
	case p.noindex:
		c.tally.noindex++
		return c.absent(k)
	case !c.src.scope.reads(own):
		return c.absent(k)
	case other != nil:
		return c.stands(k, other)
	case p.text == 0:
		c.tally.thin++
		return c.absent(k)
	}
	if first := c.prints[p.print]; first != "" && first != keyOf(k.URL) {
		return c.absent(k) // the same text at another address
	}
	if p.text < shortText/4 {
		c.tally.thin++
	}
	c.prints[p.print], k.Print = keyOf(k.URL), p.print
	return c.send(k, a, c.src.document(k, a, p))
}

// canonical is another page of the site that stands for this one, nil for none. One
// that leads nowhere or elsewhere, and the site's root in all its pages, are mistakes of
// the site.
func (c *crawl) canonical(k *known, base *url.URL, p *page) *url.URL {
	if p.canonical == "" {
		return nil
	}
	to := c.src.scope.parse(base, p.canonical)
	if to == nil || keyOf(to.String()) == keyOf(k.URL) || !c.src.scope.reads(to) {
		return nil
	}
	if to.Path == "/" && base.Path != "/" {
		return nil
	}
	if other := c.state.pages[keyOf(to.String())]; other != nil && (other.Dead || other.To != "") {
		return nil
	}
	return to
}

func (c *crawl) readText(k *known, a *answer, media string) error {
	raw, err := body(a, sdk.MaxBody)
	if sdk.KindOf(err) == "too_large" {
		return c.readFile(k, a, media)
	}
	if err != nil {
		return err
	}
	text, err := decodePage(raw, a.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if len(text) > sdk.MaxBody {
		return c.readFile(k, a, media)
	}
	return c.send(k, a, c.src.textDocument(k, a, media, text))
}

// send sends a document, unless it is as it was sent before.
func (c *crawl) send(k *known, a *answer, d sdk.Document) error {
	c.validate(k, a)
	digest := digestOf(&d)
	missed := k.Misses > 0
	c.present(k)
	if k.Sent == digest && !missed {
		return nil
	}
	k.Sent = digest
	if err := c.out.Document(d); err != nil {
		return lost{err}
	}
	return nil
}

// dynamic is how young a Last-Modified may be at most to say anything: a page that was
// made for the answer, or changed within the second, is not known again by it.
const dynamic = 5 * time.Second

func (c *crawl) validate(k *known, a *answer) {
	k.ETag, k.Modified = clip(a.Header.Get("ETag"), 300), ""
	if len(a.Header.Get("ETag")) > 300 {
		k.ETag = ""
	}
	if at := modified(a); !at.IsZero() {
		k.Modified = a.Header.Get("Last-Modified")
	}
}

// modified is when the server says that a page changed, zero where that says nothing.
func modified(a *answer) time.Time {
	at, err := http.ParseTime(a.Header.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	if now, err := http.ParseTime(a.Header.Get("Date")); err != nil || now.Sub(at) < dynamic {
		return time.Time{}
	}
	return at
}
