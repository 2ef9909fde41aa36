package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// setHostAccess gives the access to all documents that leave it to the source.
func setHostAccess(ctx context.Context, tx *session, source string, access core.Access) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM access WHERE document IN
		(SELECT n FROM documents WHERE source = ? AND host_access)`, source); err != nil {
		return err
	}
	for _, p := range access {
		if _, err := tx.ExecContext(ctx, `INSERT INTO access (document, principal)
			SELECT n, ? FROM documents WHERE source = ? AND host_access`, string(p), source); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE documents SET facts_generation = facts_generation + 1
		WHERE source = ? AND host_access`, source)
	return err
}

// accessOf reads the access of documents by row number, given as a JSON list.
func accessOf(ctx context.Context, tx *session, documents string) (map[int64]core.Access, error) {
	out := map[int64]core.Access{}
	rows, err := tx.QueryContext(ctx, `SELECT document, principal FROM access
		WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, principal`, documents)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var n int64
		var p core.Principal
		if err := rows.Scan(&n, &p); err != nil {
			return err
		}
		out[n] = append(out[n], p)
		return nil
	})
	return out, err
}
