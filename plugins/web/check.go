package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Check looks at robots.txt, the pages where reading begins and the sitemaps that are
// configured.
func (s *Source) Check(ctx context.Context) error {
	var warnings []error
	warn := func(format string, args ...any) {
		warnings = append(warnings, sdk.Warning(fmt.Sprintf(format, args...)))
	}
	for i, start := range s.scope.starts {
		field := "site"
		if i > 0 {
			field = "also"
		}
		if err := s.checkStart(ctx, field, start, warn); err != nil {
			return err
		}
	}
	if s.noSitemaps() {
		return errors.Join(warnings...)
	}
	for _, address := range s.Sitemaps {
		found := 0
		m := &sitemaps{web: s.web, seen: map[string]bool{}, each: func(string) { found++ }, note: func(text string) { warn("%s", text) }}
		if err := m.read(ctx, address, sitemapLevels); err != nil { // of an index no more than itself
			return err
		}
	}
	return errors.Join(warnings...)
}

func (s *Source) checkStart(ctx context.Context, field string, start *url.URL, warn func(string, ...any)) error {
	c := s.crawl(newState(""), silent{})
	r, err := c.rulesOf(ctx, start)
	if err != nil {
		return err
	}
	if !r.allow(start) {
		return sdk.Config(field, fmt.Errorf("the robots.txt of %s forbids %s: a group for %s in it may let it in", start.Host, start.Path, agent))
	}
	k := &known{URL: start.String(), Named: true}
	if err := c.visit(ctx, k); err != nil {
		if kind := sdk.KindOf(c.whole(err)); kind != "" && kind != "gone" {
			return c.whole(err)
		}
		return sdk.Config(field, err)
	}
	switch {
	case c.tally.thin > 0:
		warn("%s holds hardly any text: if it is written by JavaScript, which is not run, there is nothing to read", k.URL)
	case len(c.state.pages) == 0 && s.Depth > 0 && len(s.Sitemaps) == 0 && len(r.sitemaps) == 0:
		warn("%s links to no other page of the site", k.URL)
	}
	return nil
}
