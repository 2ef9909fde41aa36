package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Check reads the first page of each list, makes a document of its first item and
// shows it.
func (s *Source) Check(ctx context.Context) error {
	var out []error
	for i := range s.recipe.Lists {
		l := &s.recipe.Lists[i]
		shown, err := s.try(ctx, l)
		if err != nil {
			return voided(l.Name, err)
		}
		out = append(out, sdk.Warning(fmt.Sprintf("the list %s: %s", l.Name, shown)))
	}
	if _, err := s.members(ctx); err != nil {
		return err
	}
	return errors.Join(out...)
}

func (s *Source) try(ctx context.Context, l *list) (string, error) {
	shown, sc := "it is empty", s.client.scope()
	w := walk{client: s.client, pages: &l.List, scope: sc, each: func(ctx context.Context, g page) (int, error) {
		for _, item := range g.items {
			id, err := l.id(ctx, item, sc)
			if err != nil {
				return 0, err
			}
			p := pass{list: l}
			o, err := p.judge(ctx, id, item, sc)
			if err != nil {
				return 0, err
			}
			if o.gone {
				continue
			}
			d, err := s.client.whole(ctx, l, id, item, sc)
			if err != nil {
				return 0, err
			}
			shown = describe(d)
			break
		}
		return 0, errEnough
	}}
	return shown, w.run(ctx, w.first())
}

// describe shows what the recipe made of an item.
func describe(d sdk.Document) string {
	at := "no time"
	if !d.Updated.IsZero() {
		at = d.Updated.Format("2006-01-02 15:04")
	}
	text := fmt.Sprintf("the first document is %q, %q, %s, %d bytes of %s, read by %s", d.ID, clip(d.Title, 80), at, len(d.Body), d.MediaType, readers(d.Access))
	if d.URL == "" {
		return text + ", without an address"
	}
	return text + ", at " + clip(d.URL, 200)
}

func readers(a sdk.Access) string {
	var out []string
	for name, yes := range map[string]bool{"public": a.Public, "workspace": a.Workspace, "whom the source's access names": a.Host} {
		if yes {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	if n := len(a.Users) + len(a.Principals); n > 0 {
		out = append(out, fmt.Sprintf("%d people or principals", n))
	}
	if n := len(a.Groups); n > 0 {
		out = append(out, fmt.Sprintf("%d groups", n))
	}
	if len(out) == 0 {
		return "nobody"
	}
	return strings.Join(out, ", ")
}

// Guards against a method that is misspelt.
var (
	_ sdk.Starter    = (*Source)(nil)
	_ sdk.Checker    = (*Source)(nil)
	_ sdk.Lister     = (*Source)(nil)
	_ sdk.Granter    = (*Source)(nil)
	_ sdk.Limited    = (*Source)(nil)
	_ sdk.Authorizer = (*Source)(nil)
	_ sdk.Helper     = (*Source)(nil)
)
