package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// selectPassages also returns the row number of each passage's document.
func selectPassages(ctx context.Context, tx *session, where string, args []any) (out []core.Passage, documents []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, document, ordinal, heading, page, anchor, text
		FROM passages WHERE `+where+` ORDER BY document, ordinal`, args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Passage
		var n int64
		if err := rows.Scan(&p.ID, &n, &p.Ordinal, &p.Heading, &p.Page, &p.Anchor, &p.Text); err != nil {
			return err
		}
		out, documents = append(out, p), append(documents, n)
		return nil
	})
	return out, documents, err
}

func replacePassages(ctx context.Context, tx *session, document int64, passages []core.Passage) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM passages WHERE document = ?`, document); err != nil {
		return err
	}
	for _, p := range passages {
		if _, err := tx.ExecContext(ctx, `INSERT INTO passages (document, ordinal, heading, page, anchor, text)
			VALUES (?, ?, ?, ?, ?, ?)`, document, p.Ordinal, p.Heading, p.Page, p.Anchor, p.Text); err != nil {
			return err
		}
	}
	return nil
}
