package jsonapi

import (
	"context"
	"slices"
	"strings"
)

// next tells where the page after one is, nil if that was the last.
func (w *walk) next(ctx context.Context, at position, a *answer, got int, s scope) (*position, error) {
	g := w.pages.Paging
	if g.More.set() {
		more, err := g.More.one(ctx, a.value, s)
		if err != nil || !truthy(more) {
			return nil, err
		}
	}
	switch g.Kind {
	case "page", "offset":
		if got == 0 || !g.More.set() && got < g.Size {
			return nil, nil
		}
		if g.Kind == "page" {
			return &position{N: at.N + 1}, nil
		}
		return &position{N: at.N + got}, nil
	case "cursor", "next":
		v, err := g.Next.one(ctx, a.value, s)
		if err != nil || !truthy(v) || v == "" {
			return nil, err
		}
		return &position{Next: w.absolute(a, written(v))}, nil
	case "link":
		if to := linkNext(a.header.Values("Link")); to != "" {
			return &position{Next: w.absolute(a, to)}, nil
		}
	}
	return nil, nil
}

// absolute makes an address that is relative to the page whole.
func (w *walk) absolute(a *answer, to string) string {
	if w.pages.Paging.Kind == "cursor" {
		return to
	}
	if u, err := a.url.Parse(to); err == nil {
		return u.String()
	}
	return to
}

// linkNext finds the next page in headers of the form <address>; rel="next".
func linkNext(headers []string) string {
	for _, h := range headers {
		for h != "" {
			_, rest, ok := strings.Cut(h, "<")
			if !ok {
				break
			}
			to, rest, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			params, after, _ := strings.Cut(rest, "<")
			if h = after; after != "" {
				h = "<" + after
			}
			for _, p := range strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ',' }) {
				name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.ToLower(strings.Trim(value, `"`))), "next") {
					return to
				}
			}
		}
	}
	return ""
}
