package web

import "fmt"

// notes tells the owner what was left out.
func (c *crawl) notes() error {
	var list []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, append([]any{n}, args...)...))
		}
	}
	t := c.tally
	add(t.full, "%d addresses were left out because max_pages is %d", c.src.MaxPages)
	add(t.endless, "%d addresses were left out because they look like a calendar, a filter or another list without end; a sitemap that names them lets them in")
	add(t.forbidden, "%d pages were left alone because robots.txt says so; a group for %s in it may let them in", agent)
	add(t.noindex, "%d pages were left out because they say noindex")
	add(t.away, "%d pages lead away from the site and were not followed, the first from %s", t.firstAway)
	add(t.other, "%d files of types that are not read were left out")
	if sent := len(c.state.documents(c.src.GoneAfter)); t.thin > 3 && 2*t.thin > sent {
		add(t.thin, "%d pages hold hardly any text: they may be written by JavaScript, which is not run")
	}
	missing := 0
	for _, k := range c.state.order {
		if k.Sent != "" && k.Misses > 0 && k.Misses < c.src.GoneAfter {
			missing++
		}
	}
	add(missing, "%d pages were missing, and count as deleted when they are missing in %d crawls in a row", c.src.GoneAfter)
	for _, text := range list {
		if err := c.out.Note(text); err != nil {
			return err
		}
	}
	return nil
}

// doubt takes back what a round says of pages that are missing where that is most of
// them: a site that asks for a login, or shows the same page for everything, has lost
// nothing.
func (c *crawl) doubt() error {
	var missing []*known
	there := 0
	for _, k := range c.state.order {
		switch {
		case k.Sent == "" || k.Round != c.state.Round:
		case k.Misses == 0:
			there++
		case k.Misses <= c.src.GoneAfter:
			missing = append(missing, k)
		}
	}
	if len(missing) < fewMissing || len(missing) <= there {
		return nil
	}
	for _, k := range missing {
		k.Misses = 0
		c.state.looked(k)
	}
	return c.out.Note(fmt.Sprintf("%d of %d pages were missing at once, so none of them counts as deleted; where the site did drop them, a sync with --full says so",
		len(missing), len(missing)+there))
}

// fewMissing is how many pages may always be missing.
const fewMissing = 3
