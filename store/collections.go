package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// PutCollection adds a collection or replaces the one of its name. Without an
// origin it counts as made by a command. Errors are of kind invalid for a name
// that a source could not have and for a rule that holds nothing.
func (s *Store) PutCollection(ctx context.Context, c core.Collection) error {
	if checkName(c.Name) != nil {
		return core.Errorf(core.KindInvalid, "%q cannot be the name of a collection; use lower-case letters, digits, - and _.", c.Name)
	}
	c.Sources, c.Folders, c.Tags = tidied(c.Sources), tidied(c.Folders), tidied(c.Tags)
	if c.Empty() {
		return core.Errorf(core.KindInvalid, "The collection %q would hold nothing; name at least one source, folder or tag.", c.Name)
	}
	lists := make([]any, 0, 3)
	for _, list := range [][]string{c.Sources, c.Folders, c.Tags} {
		text, err := asJSON(list)
		if err != nil {
			return err
		}
		lists = append(lists, text)
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO collections (name, sources, folders, tags, origin) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET sources = excluded.sources, folders = excluded.folders,
				tags = excluded.tags, origin = excluded.origin`,
			c.Name, lists[0], lists[1], lists[2], originOf(c.Origin))
		return err
	})
}

// Collection finds one by name; the error is of kind not_found if there is none.
func (s *Store) Collection(ctx context.Context, name string) (core.Collection, error) {
	found, err := s.collections(ctx, `WHERE name = ?`, name)
	if err == nil && len(found) == 0 {
		err = noCollection(name)
	}
	if err != nil {
		return core.Collection{}, err
	}
	return found[0], nil
}

// Collections lists all that are kept here, by name.
func (s *Store) Collections(ctx context.Context) ([]core.Collection, error) {
	return s.collections(ctx, `ORDER BY name`)
}

func (s *Store) collections(ctx context.Context, rest string, args ...any) ([]core.Collection, error) {
	var out []core.Collection
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT name, sources, folders, tags, origin FROM collections `+rest, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var c core.Collection
			err := rows.Scan(&c.Name, jsonColumn{&c.Sources}, jsonColumn{&c.Folders}, jsonColumn{&c.Tags}, &c.Origin)
			out = append(out, c)
			return err
		})
	})
	return out, err
}

// RemoveCollection forgets a collection. The error is of kind not_found if there
// is none of the name, and of kind conflict while it is granted somewhere.
func (s *Store) RemoveCollection(ctx context.Context, name string) error {
	return s.write(ctx, func(tx *session) error {
		granted, err := listGrants(ctx, tx, `WHERE collection = ?`, name)
		if err != nil {
			return err
		}
		if len(granted) > 0 {
			return core.Errorf(core.KindConflict, "The collection %q is granted to %s; take that back first with footnote grant remove PLACE %s.",
				name, placesOf(granted), name)
		}
		res, err := tx.ExecContext(ctx, `DELETE FROM collections WHERE name = ?`, name)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return noCollection(name)
	})
}

func placesOf(granted []core.Grant) string {
	places := make([]string, 0, len(granted))
	for _, g := range granted {
		places = append(places, g.Place)
	}
	return strings.Join(places, ", ")
}

func noCollection(name string) error {
	return core.Errorf(core.KindNotFound, "There is no collection %q; footnote collection list shows all there are.", name)
}

// tidied drops what is empty or comes again; nil if nothing is left.
func tidied(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// originOf is what a column says of who listed a thing.
func originOf(o core.Origin) string {
	if o == "" {
		o = core.FromCommand
	}
	return string(o)
}
