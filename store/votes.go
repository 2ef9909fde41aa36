package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// Standing tells what curators think of those of the documents that any of them
// voted on.
func (s *Store) Standing(ctx context.Context, documents []string) (map[string]core.Standing, error) {
	out := map[string]core.Standing{}
	list, err := asJSON(documents)
	if err != nil || len(documents) == 0 {
		return out, err
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT document, sum(up), sum(1 - up) FROM document_votes
			WHERE document IN (SELECT value FROM json_each(?)) GROUP BY document`, list)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			var st core.Standing
			err := rows.Scan(&id, &st.Up, &st.Down)
			out[id] = st
			return err
		})
	})
	return out, err
}
