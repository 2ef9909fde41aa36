package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

const sourceColumns = `name, connector, config, access, every, origin, discretion, max_age, list_every, access_every, fresh_within`

// Sources lists all sources by name.
func (s *Store) Sources(ctx context.Context) ([]core.Source, error) {
	var out []core.Source
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+sourceColumns+` FROM sources ORDER BY name`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			src, err := tx.unseal(scanSource(rows.Scan))
			out = append(out, src)
			return err
		})
	})
	return out, err
}

// Source finds one by name; the error is of kind not_found if there is none.
func (s *Store) Source(ctx context.Context, name string) (core.Source, error) {
	var out core.Source
	err := s.read(ctx, func(tx *session) (err error) {
		out, err = tx.unseal(getSource(ctx, tx, name))
		return err
	})
	return out, err
}

// PutSource adds a source or changes it. A change of its access reaches its
// documents in the same transaction; of its discretion and of MaxAge, too, as the
// gate reads them here. A change of connector or config forgets
// the cursors, because they may have been made for another set of documents.
func (s *Store) PutSource(ctx context.Context, src core.Source) error {
	config, err := compactConfig(src)
	if err := errors.Join(checkName(src.Name), checkRights(src), err); err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		old, err := tx.unseal(getSource(ctx, tx, src.Name))
		isNew := core.KindOf(err) == core.KindNotFound
		if err != nil && !isNew {
			return err
		}
		access := core.NewAccess(src.Access...)
		sameSettings := old.Connector == src.Connector && string(old.Config) == config
		sameAccess := slices.Equal(access, old.Access)
		if !isNew && sameSettings && sameAccess && sameCadence(old, src) && old.Origin == src.Origin &&
			old.Discretion == src.Discretion && old.MaxAge == src.MaxAge {
			return nil // every start lists the configured sources again: nothing is written
		}
		if err := upsertSource(ctx, tx, src, config); err != nil || isNew {
			return err
		}
		if err := setGroupsAge(ctx, tx, src); err != nil {
			return err
		}
		if !sameSettings {
			if err := errors.Join(forgetCursors(ctx, tx, src.Name), dueAtOnce(ctx, tx, src.Name)); err != nil {
				return err
			}
		}
		if !sameAccess {
			return setHostAccess(ctx, tx, src.Name, access)
		}
		return nil
	})
}

// RemoveSource forgets a source and all its documents. The index is told later
// of the deletions; the gate lets nothing of them out from now on.
func (s *Store) RemoveSource(ctx context.Context, name string) error {
	return s.write(ctx, func(tx *session) error {
		if _, err := getSource(ctx, tx, name); err != nil {
			return err
		}
		for _, statement := range []string{
			`INSERT OR IGNORE INTO tombstones (document) SELECT id FROM documents WHERE source = ?`,
			`DELETE FROM documents WHERE source = ?`,
			`DELETE FROM jobs WHERE source = ?`,
			`DELETE FROM sources WHERE name = ?`,
		} {
			if _, err := tx.ExecContext(ctx, statement, name); err != nil {
				return err
			}
		}
		return nil
	})
}

func getSource(ctx context.Context, tx *session, name string) (core.Source, error) {
	row := tx.QueryRowContext(ctx, `SELECT `+sourceColumns+` FROM sources WHERE name = ?`, name)
	src, err := scanSource(row.Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return src, core.Errorf(core.KindNotFound, "There is no source %q; footnote source list shows all there are.", name)
	}
	return src, err
}

func upsertSource(ctx context.Context, tx *session, src core.Source, config string) error {
	access, err := asJSON(core.NewAccess(src.Access...))
	if err != nil {
		return err
	}
	if config, err = tx.ring().seal(src.Name, config); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sources (`+sourceColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET connector = excluded.connector, config = excluded.config,
			access = excluded.access, every = excluded.every, origin = excluded.origin,
			discretion = excluded.discretion, max_age = excluded.max_age, list_every = excluded.list_every,
			access_every = excluded.access_every, fresh_within = excluded.fresh_within`,
		src.Name, src.Connector, config, access, int64(src.Every), string(src.Origin), int(src.Discretion), int64(src.MaxAge),
		int64(src.ListEvery), int64(src.AccessEvery), int64(src.FreshWithin))
	return err
}

func sameCadence(a, b core.Source) bool {
	return a.Every == b.Every && a.ListEvery == b.ListEvery && a.AccessEvery == b.AccessEvery && a.FreshWithin == b.FreshWithin
}

func scanSource(scan func(...any) error) (core.Source, error) {
	var src core.Source
	var config string
	err := scan(&src.Name, &src.Connector, &config, jsonColumn{&src.Access}, &src.Every, &src.Origin,
		&src.Discretion, &src.MaxAge, &src.ListEvery, &src.AccessEvery, &src.FreshWithin)
	src.Config = json.RawMessage(config)
	return src, err
}

// compactConfig makes configs comparable whatever their spacing.
func compactConfig(src core.Source) (string, error) {
	if len(src.Config) == 0 {
		return "{}", nil
	}
	var out bytes.Buffer
	err := json.Compact(&out, src.Config)
	if err == nil && !strings.HasPrefix(out.String(), "{") {
		err = errors.New("it is another kind of value")
	}
	if err != nil {
		return "", core.Errorf(core.KindInvalid, "The config of source %q is not a JSON object: %w.", src.Name, err)
	}
	return out.String(), nil
}

// checkName keeps document ids unambiguous: they are cut at their first slash.
func checkName(name string) error {
	odd := strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
	if name == "" || odd >= 0 {
		return core.Errorf(core.KindInvalid, "%q cannot be the name of a source; use lower-case letters, digits, - and _.", name)
	}
	return nil
}

func checkRights(src core.Source) error {
	switch {
	case src.Name == core.ConfigGroups:
		return core.Errorf(core.KindInvalid, "No source can be named %q: the groups of footnote.yaml stand under that name; choose another.", src.Name)
	case src.Discretion < core.ShowAsPlace || src.Discretion > core.NeverShown:
		return core.Errorf(core.KindInvalid, "Source %q has a discretion of %d, which is none that is known.", src.Name, src.Discretion)
	case src.MaxAge < 0:
		return core.Errorf(core.KindInvalid, "Source %q trusts access for %s; the time must be above zero, or left out for %s.",
			src.Name, src.MaxAge, core.DefaultMaxAge)
	}
	return nil
}
