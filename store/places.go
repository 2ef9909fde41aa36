package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// PlaceSetting is what was set for a place, in a form that the store does not
// look into.
type PlaceSetting struct {
	Place    string // id
	Settings json.RawMessage
	Origin   core.Origin
}

// NotedPlace is a place as it was met last.
type NotedPlace struct {
	ID      string
	Kind    string
	Class   string // of its audience
	Name    string
	Former  string    // the class before this one; "" if there was none
	Changed time.Time // when it got its class
}

// PutPlaceSettings keeps the settings of a place, one JSON object, in place of
// earlier ones. Without an origin they count as made by a command. Errors are of
// kind invalid.
func (s *Store) PutPlaceSettings(ctx context.Context, id string, settings json.RawMessage, origin core.Origin) error {
	if err := checkPlace(id); err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, settings); err != nil || compact.Bytes()[0] != '{' {
		return core.Errorf(core.KindInvalid, "The settings of the place %s are not a JSON object.", id)
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO place_settings (place, settings, origin) VALUES (?, ?, ?)
			ON CONFLICT (place) DO UPDATE SET settings = excluded.settings, origin = excluded.origin`,
			id, compact.String(), originOf(origin))
		return err
	})
}

// PlaceSettings lists what was set for the place, at most one; "" lists the
// settings of all places, by id.
func (s *Store) PlaceSettings(ctx context.Context, id string) ([]PlaceSetting, error) {
	out, err := recallOr(ctx, s, ofPlaces, "settings\x00"+id, func(tx *session) (out []PlaceSetting, err error) {
		rows, err := tx.QueryContext(ctx, `SELECT place, settings, origin FROM place_settings
			WHERE place = ?1 OR ?1 = '' ORDER BY place`, id)
		err = scanAll(rows, err, func(rows *sql.Rows) error {
			var p PlaceSetting
			var settings string
			err := rows.Scan(&p.Place, &settings, &p.Origin)
			p.Settings = json.RawMessage(settings)
			out = append(out, p)
			return err
		})
		return out, err
	})
	out = slices.Clone(out)
	for i := range out {
		out[i].Settings = slices.Clone(out[i].Settings)
	}
	return out, err
}

// RemovePlaceSettings forgets what was set for a place; the error is of kind
// not_found if nothing was.
func (s *Store) RemovePlaceSettings(ctx context.Context, id string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM place_settings WHERE place = ?`, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return core.Errorf(core.KindNotFound, "There are no settings of the place %q that a command made.", id)
	})
}

// NotePlace remembers the class that a place has now and gives the one that it
// had when it was noted last, "" if it never was. Noting the same again writes
// nothing.
func (s *Store) NotePlace(ctx context.Context, id, kind, class, name string, now time.Time) (before string, err error) {
	if err := checkPlace(id); err != nil {
		return "", err
	}
	err = s.short(ctx, func(tx *session) error {
		var oldKind, oldName string
		err := tx.QueryRowContext(ctx, `SELECT kind, class, name FROM noted_places WHERE place = ?`, id).
			Scan(&oldKind, &before, &oldName)
		isNew := errors.Is(err, sql.ErrNoRows)
		if err != nil && !isNew {
			return err
		}
		if !isNew && oldKind == kind && before == class && oldName == name {
			return nil
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO noted_places AS p (place, kind, class, name, former, changed) VALUES (?, ?, ?, ?, '', ?)
			ON CONFLICT (place) DO UPDATE SET kind = excluded.kind, name = excluded.name, class = excluded.class,
				former = iif(p.class = excluded.class, p.former, p.class),
				changed = iif(p.class = excluded.class, p.changed, excluded.changed)`,
			id, kind, class, name, now.UnixMicro())
		return err
	})
	if err != nil {
		return "", err
	}
	return before, nil
}

// NotedPlaces lists all places that were noted, by id.
func (s *Store) NotedPlaces(ctx context.Context) ([]NotedPlace, error) {
	var out []NotedPlace
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT place, kind, class, name, former, changed FROM noted_places ORDER BY place`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var p NotedPlace
			var changed sql.NullInt64
			err := rows.Scan(&p.ID, &p.Kind, &p.Class, &p.Name, &p.Former, &changed)
			p.Changed = fromMicros(changed)
			out = append(out, p)
			return err
		})
	})
	return out, err
}
