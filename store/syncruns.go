package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// keptRuns is how many runs of a source are remembered.
const keptRuns = 100

// SyncState tells where a sync of the source starts from; the error is of kind
// not_found if there is no such source.
func (s *Store) SyncState(ctx context.Context, source string) (core.SyncState, error) {
	var out core.SyncState
	err := s.read(ctx, func(tx *session) (err error) {
		if _, err = getSource(ctx, tx, source); err != nil {
			return err
		}
		if out.Cursor, _, out.Held, err = getCursor(ctx, tx, source); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM documents WHERE source = ?`, source).Scan(&out.Documents)
	})
	return out, err
}

// SyncedIDs lists the external ids of the source's documents, and of those that
// failed to be read.
func (s *Store) SyncedIDs(ctx context.Context, source string) (stored, failed []string, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id FROM documents WHERE source = ?`, source)
		if err := scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			stored = append(stored, externalID(source, id))
			return err
		}); err != nil {
			return err
		}
		rows, err = tx.QueryContext(ctx, `SELECT external_id FROM failures WHERE source = ?`, source)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			failed = append(failed, id)
			return err
		})
	})
	return stored, failed, err
}

// SaveRun writes a run: a new one, whose number it returns, if ID is 0, and
// otherwise the one with that ID. Only the last 100 of a source are kept.
func (s *Store) SaveRun(ctx context.Context, run core.SyncRun) (int64, error) {
	counts, err1 := asJSON(run.Counts)
	notes, err2 := asJSON(run.Notes)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	id := run.ID
	err := s.write(ctx, func(tx *session) error {
		if id != 0 {
			_, err := tx.ExecContext(ctx, `UPDATE sync_runs SET finished = ?, counts = ?, error_kind = ?, error = ?, notes = ?
				WHERE id = ?`, micros(run.Finished), counts, string(run.ErrorKind), run.Error, notes, id)
			return err
		}
		err := tx.QueryRowContext(ctx, `INSERT INTO sync_runs (source, reason, started, finished, counts, error_kind, error, notes)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, run.Source, string(run.Reason), micros(run.Started),
			micros(run.Finished), counts, string(run.ErrorKind), run.Error, notes).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sync_runs WHERE source = ? AND id <= (SELECT id FROM sync_runs
			WHERE source = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`, run.Source, run.Source, keptRuns)
		return err
	})
	return id, err
}

// lastRun returns nil if there was none: of the runs that only did what the reason
// says, or, with "", of those that read documents.
func lastRun(ctx context.Context, tx *session, source string, only core.SyncReason) (*core.SyncRun, error) {
	var r core.SyncRun
	var started, finished sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT id, source, reason, started, finished, counts, error_kind, error, notes
		FROM sync_runs WHERE source = ?1 AND CASE ?2 WHEN '' THEN reason NOT IN (?3, ?4) ELSE reason = ?2 END
		ORDER BY id DESC LIMIT 1`, source, string(only), string(core.SyncAccess), string(core.SyncList)).
		Scan(&r.ID, &r.Source, &r.Reason, &started, &finished, jsonColumn{&r.Counts}, &r.ErrorKind, &r.Error, jsonColumn{&r.Notes})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	r.Started, r.Finished = fromMicros(started), fromMicros(finished)
	return &r, err
}

// closeInterruptedRuns ends the runs that a crash left open: whoever opens the
// ledger is its only user, so none of them can be running.
func closeInterruptedRuns(ctx context.Context, tx *session) error {
	_, err := tx.ExecContext(ctx, `UPDATE sync_runs SET finished = ?, error_kind = ?, error = ? WHERE finished IS NULL`,
		micros(time.Now()), string(core.KindCancelled),
		"Footnote stopped during this sync; the next one goes on from the last checkpoint.")
	return err
}
