package store

import (
	"context"
	"database/sql"
)

// replaceUsed keeps the first of each id. Empty ones name nothing.
func replaceUsed(ctx context.Context, tx *session, turn int64, documents []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM turn_documents WHERE turn = ?`, turn); err != nil || len(documents) == 0 {
		return err
	}
	list, err := asJSON(documents)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO turn_documents (turn, position, document)
		SELECT ?, min(key), value FROM json_each(?) WHERE value <> '' GROUP BY value`, turn, list)
	return err
}

// usedIn returns nil where a turn used nothing.
func usedIn(ctx context.Context, tx *session, turn int64) ([]string, error) {
	var out []string
	rows, err := tx.QueryContext(ctx, `SELECT document FROM turn_documents WHERE turn = ? ORDER BY position`, turn)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
