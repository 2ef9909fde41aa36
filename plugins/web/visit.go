package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// maxPage is the largest page that is taken apart, in bytes; its tree takes many times
// as much memory.
const maxPage = 4 << 20

// visit looks at one page and sends what it finds. An error says that nothing is known
// of the page now; one of type lost, that the host is gone.
func (c *crawl) visit(ctx context.Context, k *known) error {
	u, err := url.Parse(k.URL)
	if err != nil {
		return c.dead(k)
	}
	r, err := c.rulesOf(ctx, u)
	if err != nil {
		return err
	}
	if !r.allow(u) {
		c.tally.forbidden++
		return c.absent(k)
	}
	a, err := c.ask(ctx, k, u)
	if err != nil {
		return err
	}
	if a == nil { // its redirects were seen to
		return nil
	}
	defer discard(a.Response)
	switch status := a.StatusCode; {
	case status == http.StatusNotModified && k.ETag+k.Modified != "":
		c.present(k)
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return c.dead(k)
	case status != http.StatusOK:
		return refusal(status)
	}
	if packed := a.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return sdk.Invalid(fmt.Errorf("the answer is packed in a way that was not asked for: %q", clip(packed, 40)))
	}
	return c.read(ctx, k, a)
}

// ask gets a page. Redirects that lead to the same page in another writing are
// followed; others are pages of their own, and the answer is nil then.
func (c *crawl) ask(ctx context.Context, k *known, u *url.URL) (*answer, error) {
	limit := c.src.web.time
	if media, _ := fileType(u.Path, ""); media != "" {
		limit = fileTime
	}
	for range mostHops + 1 {
		a, err := c.src.web.get(ctx, u, condition(k), limit)
		if err != nil || !redirects(a.StatusCode) {
			return a, err
		}
		to := a.target()
		discard(a.Response)
		if to == nil {
			return nil, c.dead(k)
		}
		to.Host, to.Fragment = hostOf(to), ""
		next := c.src.scope.normal(to)
		if keyOf(next.String()) != keyOf(k.URL) || to.Scheme != next.Scheme {
			return nil, c.leads(k, next)
		}
		u = next
	}
	return nil, fmt.Errorf("%s: more than %d redirects", show(u), mostHops)
}

// refusal is the error of an answer that brings no page. Most of them would come
// again.
func refusal(status int) error {
	err := fmt.Errorf("the server answered %d %s", status, http.StatusText(status))
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return sdk.FromStatus(status, 0, err)
	case http.StatusUnavailableForLegalReasons:
		return sdk.Denied(err)
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return err
	}
	return sdk.Invalid(err)
}

func condition(k *known) http.Header {
	h := http.Header{}
	if k.ETag != "" {
		h.Set("If-None-Match", k.ETag)
	}
	if k.Modified != "" {
		h.Set("If-Modified-Since", k.Modified)
	}
	return h
}

// leads is told that a page is a redirect, to an address in the form of normal.
func (c *crawl) leads(k *known, to *url.URL) error {
	switch {
	case keyOf(to.String()) == keyOf(k.URL):
		return fmt.Errorf("%s leads to itself with http or https in place of the other: write the site's address like that", k.URL)
	case c.src.scope.visits(to) && !skipped[extension(to.Path)]:
		return c.stands(k, to)
	case c.src.scope.named[keyOf(k.URL)]:
		return fmt.Errorf("%s leads to %s, outside of what is read: write that address where the site has moved there", k.URL, show(to))
	}
	if c.tally.away++; c.tally.firstAway == "" {
		c.tally.firstAway = fmt.Sprintf("%s to %s", k.URL, show(to))
	}
	return c.dead(k)
}

// present notes that a page is as a document has to be.
func (c *crawl) present(k *known) {
	k.Misses, k.Dead, k.Unread, k.To = 0, false, false, ""
	if k.Print != "" && k.Sent != "" {
		if first := c.prints[k.Print]; first == "" {
			c.prints[k.Print] = keyOf(k.URL)
		}
	}
}

// absent notes that a page is no document. One that was is missing from now on; it is
// read anew when it is back.
func (c *crawl) absent(k *known) error {
	k.ETag, k.Modified, k.Print, k.Dead, k.Unread, k.To = "", "", "", false, false, ""
	if k.Sent != "" {
		k.Misses++
	}
	return nil
}

// stands notes that another page of the site stands for this one.
func (c *crawl) stands(k *known, to *url.URL) error {
	c.found(to, k.Depth, k.Named)
	err := c.absent(k)
	k.To = keyOf(to.String())
	c.waiting[k.To] = append(c.waiting[k.To], k)
	return err
}

// look reads those pages anew, each once in a round, for which one was to stand that
// turned out to be none itself.
func (c *crawl) look(k *known) {
	if !k.Dead && k.To == "" {
		return
	}
	key := keyOf(k.URL)
	for _, other := range c.waiting[key] {
		if other.To == key && other.Round == c.state.Round && !c.twice[other] {
			other.Round, c.twice[other] = 0, true
			c.later = append(c.later, other)
		}
	}
	delete(c.waiting, key)
}

// dead notes that an address leads nowhere. Where reading begins that is trouble, and
// no deletion.
func (c *crawl) dead(k *known) error {
	if c.src.scope.named[keyOf(k.URL)] {
		return fmt.Errorf("%s leads nowhere: is it still where the site begins?", k.URL)
	}
	k.ETag, k.Modified, k.Print, k.Dead, k.Unread, k.To = "", "", "", true, false, ""
	k.Misses++
	return nil
}
