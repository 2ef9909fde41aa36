package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// commitCursor writes what a batch says about the source as a whole.
func commitCursor(ctx context.Context, tx *session, b core.Batch) error {
	if b.Cursor != nil {
		cursor := []byte(*b.Cursor)
		if cursor == nil {
			cursor = []byte{}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO cursors (source, cursor, committed) VALUES (?, ?, ?)
			ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor, committed = excluded.committed`,
			b.Source, cursor, micros(time.Now())); err != nil {
			return err
		}
	}
	if b.Held == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO cursors (source, held) VALUES (?, ?)
		ON CONFLICT (source) DO UPDATE SET held = excluded.held`, b.Source, *b.Held)
	return err
}

// getCursor returns nil, a zero time and 0 where nothing was committed yet.
func getCursor(ctx context.Context, tx *session, source string) (cursor core.Cursor, committed time.Time, held int, err error) {
	var at sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT cursor, committed, held FROM cursors WHERE source = ?`, source).
		Scan((*[]byte)(&cursor), &at, &held)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return cursor, fromMicros(at), held, err
}

// forgetCursors lets the next sync, and the next account of who may read what, start
// from the beginning.
func forgetCursors(ctx context.Context, tx *session, source string) error {
	for _, statement := range []string{
		`DELETE FROM cursors WHERE source = ?`, `DELETE FROM access_accounts WHERE source = ?`,
	} {
		if _, err := tx.ExecContext(ctx, statement, source); err != nil {
			return err
		}
	}
	return nil
}
