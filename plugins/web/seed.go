package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
)

// remember counts what is known already: the shapes of addresses, and the texts that
// were seen in a round that goes on.
func (c *crawl) remember() {
	for _, k := range c.state.order {
		if u, err := url.Parse(k.URL); err == nil && !k.Named {
			c.shapes.endless(u)
		}
		if k.Round == c.state.Round && k.Sent != "" && k.Misses == 0 && k.Print != "" {
			c.prints[k.Print] = keyOf(k.URL)
		}
		if k.Round == c.state.Round && k.To != "" {
			c.waiting[k.To] = append(c.waiting[k.To], k)
		}
	}
}

// seed puts in where reading begins, and what sitemaps name. Robots.txt comes first:
// without it nothing may be read.
func (c *crawl) seed(ctx context.Context) error {
	for _, start := range c.src.scope.starts {
		c.found(start, 0, true)
	}
	list := slices.Clone(c.src.Sitemaps)
	for _, start := range c.src.scope.starts {
		r, err := c.rulesOf(ctx, start)
		if err != nil {
			return err
		}
		if len(c.src.Sitemaps) == 0 {
			list = append(list, robotsSitemaps(start, r.sitemaps)...)
		}
	}
	if !c.src.noSitemaps() {
		var problem error
		m := &sitemaps{web: c.src.web, seen: map[string]bool{}, each: c.named, note: func(text string) {
			problem = errors.Join(problem, c.out.Note(text))
		}}
		for _, address := range list {
			if err := errors.Join(m.read(ctx, address, 1), problem); err != nil {
				return err
			}
		}
	}
	c.state.set(func() { c.state.Named = true })
	return nil
}

// named takes an address of a sitemap.
func (c *crawl) named(address string) {
	if u := c.src.scope.parse(c.src.scope.starts[0], address); u != nil {
		c.found(u, 0, true)
	}
}

// found takes an address of the site, in the form of normal.
func (c *crawl) found(u *url.URL, depth int, named bool) {
	if old := c.state.pages[keyOf(u.String())]; old != nil {
		if depth < old.Depth || named && !old.Named {
			old.Depth, old.Named = min(old.Depth, depth), old.Named || named
			old.ETag, old.Modified = "", "" // so that its links are seen, which may be near enough now
			c.state.add(old)
		}
		return
	}
	switch {
	case depth > c.src.Depth:
	case len(c.state.pages) >= c.src.MaxPages:
		c.tally.full++
	case !named && c.shapes.endless(u):
		c.tally.endless++
	default:
		c.state.add(&known{URL: u.String(), Depth: depth, Named: named})
	}
}

// rulesOf are what the host of an address asks of crawlers.
func (c *crawl) rulesOf(ctx context.Context, u *url.URL) (*rules, error) {
	if r := c.rules[u.Host]; r != nil {
		return r, nil
	}
	r, err := c.src.web.robots(ctx, u)
	if err != nil {
		return nil, c.whole(err)
	}
	c.rules[u.Host] = r
	return r, nil
}
