package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Failed is a document that could not be taken in, as status shows it.
type Failed struct {
	core.Failure
	Tries       int
	First, Last time.Time
	Parked      bool // is not tried again before it changes or somebody asks
}

// addFailed adds what is known of failed documents to what is known of stored ones.
func addFailed(ctx context.Context, tx *session, source string, external []string, known map[string]core.Known) error {
	list, err := asJSON(external)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT external_id, content_hash, tries FROM failures
		WHERE source = ? AND external_id IN (SELECT value FROM json_each(?))`, source, list)
	return scanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		var failed core.Hash
		var tries int
		if err := rows.Scan(&id, hashColumn{&failed}, &tries); err != nil {
			return err
		}
		k := known[id]
		k.Failed, k.Tries = failed, tries
		known[id] = k
		return nil
	})
}

func putFailure(ctx context.Context, tx *session, source string, f core.FailedRead, now time.Time) error {
	if f.Untold {
		if err := noteUntold(ctx, tx, core.DocumentID(source, f.ExternalID), now); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO failures (source, external_id, title, kind, detail, content_hash, first, last)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (source, external_id) DO UPDATE SET title = excluded.title, kind = excluded.kind,
			detail = excluded.detail, content_hash = excluded.content_hash, tries = tries + 1, last = excluded.last`,
		source, f.ExternalID, f.Title, string(f.Kind), f.Detail, f.Content[:], micros(now), micros(now))
	return err
}

func forgetFailures(ctx context.Context, tx *session, source string, external []string) error {
	if len(external) == 0 {
		return nil
	}
	list, err := asJSON(external)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM failures
		WHERE source = ? AND external_id IN (SELECT value FROM json_each(?))`, source, list)
	return err
}

func listFailures(ctx context.Context, tx *session, source string) ([]Failed, error) {
	var out []Failed
	rows, err := tx.QueryContext(ctx, `SELECT external_id, title, kind, detail, tries, first, last, content_hash <> zeroblob(32)
		FROM failures WHERE source = ? ORDER BY external_id`, source)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var f Failed
		var first, last sql.NullInt64
		err := rows.Scan(&f.ExternalID, &f.Title, &f.Kind, &f.Detail, &f.Tries, &first, &last, &f.Parked)
		f.First, f.Last = fromMicros(first), fromMicros(last)
		out = append(out, f)
		return err
	})
	return out, err
}
