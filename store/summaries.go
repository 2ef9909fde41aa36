package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/footnote-bot/footnote/core"
)

// SaveSummary keeps a summary, in place of an earlier one with the same id.
func (s *Store) SaveSummary(ctx context.Context, sum core.Summary) error {
	covers, err1 := asJSON(listOf(sum.Covers))
	scope, err2 := asJSON(listOf(sum.Scope))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO summaries
			(id, thread, last, covers, text, class, scope, asker, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			sum.ID, sum.Thread, sum.Last, covers, sum.Text, sum.Class, scope, sum.Asker, sum.Created.UnixMicro())
		return err
	})
}

// Summaries lists the summaries whose newest turn is one of the turns, oldest
// first, whatever audience they were made for: the caller decides which of them
// a reader may know.
func (s *Store) Summaries(ctx context.Context, turns []string) ([]core.Summary, error) {
	list, err := asJSON(listOf(turns))
	if err != nil {
		return nil, err
	}
	var out []core.Summary
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, thread, last, covers, text, class, scope, asker, created
			FROM summaries WHERE last IN (SELECT value FROM json_each(?)) ORDER BY created, n`, list)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var sum core.Summary
			var created sql.NullInt64
			err := rows.Scan(&sum.ID, &sum.Thread, &sum.Last, jsonColumn{&sum.Covers}, &sum.Text, &sum.Class,
				jsonColumn{&sum.Scope}, &sum.Asker, &created)
			sum.Created = fromMicros(created)
			out = append(out, sum)
			return err
		})
	})
	return out, err
}
