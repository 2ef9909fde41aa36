package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// PutGrant binds a collection to a place, or changes for whom. Without an origin
// it counts as made by a command. Errors: not_found for a collection that is not
// kept here, invalid for what cannot be a place.
func (s *Store) PutGrant(ctx context.Context, g core.Grant) error {
	if err := checkPlace(g.Place); err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		var known int
		err := tx.QueryRowContext(ctx, `SELECT 1 FROM collections WHERE name = ?`, g.Collection).Scan(&known)
		if errors.Is(err, sql.ErrNoRows) {
			return noCollection(g.Collection)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO grants (place, collection, external, origin) VALUES (?, ?, ?, ?)
			ON CONFLICT (place, collection) DO UPDATE SET external = excluded.external, origin = excluded.origin`,
			g.Place, g.Collection, g.External, originOf(g.Origin))
		return err
	})
}

// Grants lists what is bound to the place, by collection; "" lists the grants of
// all places.
func (s *Store) Grants(ctx context.Context, place string) ([]core.Grant, error) {
	out, err := recallOr(ctx, s, ofPlaces, "grants\x00"+place, func(tx *session) ([]core.Grant, error) {
		if place == "" {
			return listGrants(ctx, tx, ``)
		}
		return listGrants(ctx, tx, `WHERE place = ?`, place)
	})
	return slices.Clone(out), err
}

// RemoveGrant takes a grant back; the error is of kind not_found if there is none.
func (s *Store) RemoveGrant(ctx context.Context, place, collection string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM grants WHERE place = ? AND collection = ?`, place, collection)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return core.Errorf(core.KindNotFound, "The collection %q is not granted to %s; footnote grant list shows all grants.", collection, place)
	})
}

func listGrants(ctx context.Context, tx *session, where string, args ...any) ([]core.Grant, error) {
	var out []core.Grant
	rows, err := tx.QueryContext(ctx, `SELECT place, collection, external, origin FROM grants `+where+` ORDER BY place, collection`, args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var g core.Grant
		err := rows.Scan(&g.Place, &g.Collection, &g.External, &g.Origin)
		out = append(out, g)
		return err
	})
	return out, err
}

// checkPlace catches what could never be met as a place, such as a bare channel.
func checkPlace(id string) error {
	platform, rest, ok := strings.Cut(id, ":")
	if !ok || platform == "" || rest == "" || strings.TrimSpace(id) != id {
		return core.Errorf(core.KindInvalid, "%q is not a place; write PLATFORM:TEAM/CHANNEL, as in slack:T1/C1.", id)
	}
	return nil
}
