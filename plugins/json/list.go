package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// List names all that the lists hold, without reading any item.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, func(id string) error { return out.Document(id, "") })
}

func (s *Source) list(ctx context.Context, each func(id string) error) error {
	for i := range s.recipe.Lists {
		if err := s.items(ctx, &s.recipe.Lists[i], func(id string, _ any) error { return each(id) }); err != nil {
			return err
		}
	}
	return nil
}

// items names all that a list holds, each once.
func (s *Source) items(ctx context.Context, l *list, each func(id string, item any) error) error {
	named, sc := map[string]bool{}, s.client.scope()
	w := walk{client: s.client, pages: &l.List, scope: sc, looks: true, each: func(ctx context.Context, g page) (int, error) {
		fresh := 0
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
			if o.gone || named[id] {
				continue
			}
			named[id] = true
			fresh++
			if err := each(id, item); err != nil {
				return 0, err
			}
		}
		return fresh, nil
	}}
	return voided(l.Name, w.run(ctx, w.first()))
}

// Grants tells who is in which group, where the recipe says how to find out, and
// who may read what, where it has rules for that.
func (s *Source) Grants(ctx context.Context, since sdk.Cursor, out *sdk.Grants) error {
	now := sdk.Cursor(s.fingerprint())
	if len(since) > 0 {
		out.AllGroups()
	}
	if err := s.grants(ctx, string(since) != string(now), out); err != nil {
		return err
	}
	return out.Checkpoint(now)
}

// teller is the part of sdk.Grants that takes readers.
type teller interface {
	Group(sdk.Group) error
	Document(id string, readers sdk.Access) error
}

func (s *Source) grants(ctx context.Context, whole bool, out teller) error {
	members, err := s.members(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := out.Group(sdk.Group{Name: name, Users: slices.Sorted(maps.Keys(members[name]))}); err != nil {
			return err
		}
	}
	for i := range s.recipe.Lists {
		l := &s.recipe.Lists[i]
		if a := &l.Document.Access; !a.set() || a.constant() && !whole {
			continue
		}
		if err := s.items(ctx, l, func(id string, item any) error {
			sc := s.client.scope()
			sc.item = item
			readers, err := l.Document.Access.of(ctx, sc)
			var wrong *mistake
			if err != nil && !errors.As(err, &wrong) {
				return err
			}
			return out.Document(id, readers) // nobody where it cannot be told
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) members(ctx context.Context) (map[string]map[string]bool, error) {
	out := map[string]map[string]bool{}
	for i := range s.recipe.Groups {
		g := &s.recipe.Groups[i]
		sc := s.client.scope()
		seen := map[uint64]bool{}
		w := walk{client: s.client, pages: &g.List, scope: sc, looks: true, each: func(ctx context.Context, p page) (fresh int, err error) {
			for n, item := range p.items {
				if !seen[p.prints[n]] {
					seen[p.prints[n]] = true
					fresh++
				}
				m := mapper{ctx: ctx, in: item, scope: sc}
				names, users := m.texts(&g.Names), m.texts(&g.Users)
				if m.err != nil {
					return 0, m.err
				}
				for _, name := range names {
					if out[name] == nil {
						out[name] = map[string]bool{}
					}
					for _, user := range users {
						out[name][strings.ToLower(user)] = true
					}
				}
			}
			return fresh, nil
		}}
		if err := w.run(ctx, w.first()); err != nil {
			return nil, voided(fmt.Sprintf("groups[%d]", i), err)
		}
	}
	return out, nil
}
