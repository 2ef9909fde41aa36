package jsonapi

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// problem finds what each part says by itself rightly and the whole does not.
func (r *recipe) problem() error {
	if err := r.Auth.problem(); err != nil {
		return err
	}
	if len(r.Lists) == 0 {
		return fmt.Errorf("lists: there is none, so that nothing would be read")
	}
	names := map[string]bool{}
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.Name == "" {
			return fmt.Errorf("lists[%d]: it has no name", i)
		}
		if names[l.Name] {
			return fmt.Errorf("lists[%d]: there are two of the name %q", i, l.Name)
		}
		names[l.Name] = true
		if err := l.problem(); err != nil {
			return fmt.Errorf("lists[%d] (%s): %w", i, l.Name, err)
		}
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		if err := g.List.problem(); err != nil {
			return fmt.Errorf("groups[%d]: %w", i, err)
		}
		if !g.Names.set() || !g.Users.set() {
			return fmt.Errorf("groups[%d]: it needs names and users", i)
		}
	}
	return nil
}

func (a auth) problem() error {
	kinds := []string{"", "bearer", "header", "basic", "query"}
	switch {
	case !slices.Contains(kinds, a.Kind):
		return fmt.Errorf("auth.kind: %q is not possible: choose of %s", a.Kind, strings.Join(kinds[1:], ", "))
	case (a.Kind == "header" || a.Kind == "query") && a.Name == "":
		return fmt.Errorf("auth.name: the name of the %s is needed", a.Kind)
	case a.Kind == "" && a.Required:
		return fmt.Errorf("auth.required: there is no auth.kind")
	}
	return nil
}

func (l *list) problem() error {
	if err := l.List.problem(); err != nil {
		return err
	}
	for key, e := range map[string]expr{"id": l.Document.ID, "title": l.Document.Title, "body": l.Document.Body} {
		if !e.set() {
			return fmt.Errorf("document.%s is missing", key)
		}
	}
	if l.Detail != nil && !l.Detail.Request.Path.set() {
		return fmt.Errorf("detail.request.path is missing")
	}
	if l.Children != nil {
		if err := l.Children.problem(); err != nil {
			return fmt.Errorf("children: %w", err)
		}
	}
	if l.Since.Stop && !l.Since.Field.set() {
		return fmt.Errorf("since.stop: it needs since.field, to see how old an item is")
	}
	if _, err := l.Since.overlap(); err != nil {
		return err
	}
	return nil
}

func (p *pages) problem() error {
	kinds := []string{"", "none", "page", "offset", "cursor", "link", "next"}
	g := p.Paging
	m := strings.ToUpper(p.Request.Method)
	switch {
	case !p.Request.Path.set():
		return fmt.Errorf("request.path is missing")
	case m != "" && m != "GET" && m != "POST":
		return fmt.Errorf("request.method: %q is not possible: choose GET or POST", p.Request.Method)
	case !p.Items.set():
		return fmt.Errorf("items is missing: where in an answer the items are, such as .data")
	case !slices.Contains(kinds, g.Kind):
		return fmt.Errorf("paging.kind: %q is not possible: choose of %s", g.Kind, strings.Join(kinds[1:], ", "))
	case (g.Kind == "cursor" || g.Kind == "next") && !g.Next.set():
		return fmt.Errorf("paging.next: where in an answer stands what comes next")
	case g.Size < 0:
		return fmt.Errorf("paging.size: it has to be more than 0")
	}
	return nil
}

// usualOverlap is taken off the time of the last pass: clocks differ, and lists lag
// behind what they list.
const usualOverlap = 5 * time.Minute

func (s since) overlap() (time.Duration, error) {
	if s.Overlap == "" {
		return usualOverlap, nil
	}
	d, err := time.ParseDuration(s.Overlap)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("since.overlap: %q is not a duration such as 5m", s.Overlap)
	}
	return d, nil
}
