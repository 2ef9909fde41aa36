package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// SyncRuns lists a source's runs, newest first, at most so many; none if there is no
// such source.
func (s *Store) SyncRuns(ctx context.Context, source string, limit int) (out []core.SyncRun, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, source, reason, started, finished, counts, error_kind, error, notes
			FROM sync_runs WHERE source = ? ORDER BY id DESC LIMIT ?`, source, limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var r core.SyncRun
			var started, finished sql.NullInt64
			err := rows.Scan(&r.ID, &r.Source, &r.Reason, &started, &finished, jsonColumn{&r.Counts}, &r.ErrorKind, &r.Error, jsonColumn{&r.Notes})
			r.Started, r.Finished = fromMicros(started), fromMicros(finished)
			out = append(out, r)
			return err
		})
	})
	return out, err
}
