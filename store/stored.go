package store

import (
	"context"
	"database/sql"
)

// Stored tells which of the documents with the ids are in the ledger, whoever may
// read them and whether or not they are hidden; all others are absent.
func (s *Store) Stored(ctx context.Context, documents []string) (map[string]bool, error) {
	out := make(map[string]bool, len(documents))
	list, err := asJSON(documents)
	if err != nil || len(documents) == 0 {
		return out, err
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))`, list)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			out[id] = true
			return err
		})
	})
	return out, err
}
