package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// AuditQuery narrows the audit; what is empty does not. All that is set has to
// hold.
type AuditQuery struct {
	Since    time.Time // included
	Until    time.Time // not included
	Actor    string    // whatever its case
	Place    string
	Action   string
	Document string // one of the entry's documents
	TurnID   string
	After    int64 // entries with a higher number only
	Limit    int   // most entries; 0 means all
}

const (
	keyRetention = "audit_retention" // read by the triggers of the audit
	auditPage    = 512               // entries that are read at a time
	pruneBatch   = 4096              // entries that are deleted at a time
)

// Audit adds an entry; its number is given by the ledger, and its time is now if
// it has none. Errors are of kind invalid for an entry without action or actor.
func (s *Store) Audit(ctx context.Context, e core.AuditEntry) error {
	if e.Action == "" || e.Actor == "" {
		return core.Errorf(core.KindInvalid, "An entry of the audit needs an action and an actor; it has %q and %q.", e.Action, e.Actor)
	}
	if e.At.IsZero() {
		e.At = s.Now()
	}
	detail, err := asJSON(e.Detail)
	if err != nil {
		return err
	}
	documents, err := asJSON(e.Documents)
	if err != nil {
		return err
	}
	return s.short(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO audit (at, action, actor, place, class, scope, turn_id, mode, detail)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.At.UnixMicro(), e.Action, e.Actor, e.Place, e.Class, e.Scope, e.TurnID, string(e.Mode), detail)
		if err != nil || len(e.Documents) == 0 {
			return err
		}
		n, err := res.LastInsertId()
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO audit_documents (document, entry, position)
			SELECT value, ?, min(key) FROM json_each(?) GROUP BY value`, n, documents)
		return err
	})
}

// AuditTrail calls each with the entries that the query asks for, oldest first.
// It reads a page at a time and holds nothing while each runs, which may be slow
// and may add to the audit; what is added after the start does not come. An
// error of each ends the trail and is returned as it is.
func (s *Store) AuditTrail(ctx context.Context, q AuditQuery, each func(core.AuditEntry) error) error {
	last, err := s.lastAudit(ctx)
	if err != nil {
		return err
	}
	left := cmp.Or(q.Limit, math.MaxInt)
	for left > 0 {
		page, err := s.auditPage(ctx, q, last, min(left, auditPage))
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := each(e); err != nil {
				return err
			}
		}
		if left -= len(page); len(page) < auditPage {
			return nil
		}
		q.After = page[len(page)-1].N
	}
	return nil
}

func (s *Store) lastAudit(ctx context.Context) (n int64, err error) {
	err = s.read(ctx, func(tx *session) error {
		return tx.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM audit`).Scan(&n)
	})
	return n, err
}

func (s *Store) auditPage(ctx context.Context, q AuditQuery, last int64, limit int) ([]core.AuditEntry, error) {
	var out []core.AuditEntry
	text, args := q.statement(last, limit)
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, text, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var e core.AuditEntry
			var at sql.NullInt64
			err := rows.Scan(&e.N, &at, &e.Action, &e.Actor, &e.Place, &e.Class, &e.Scope, &e.TurnID, &e.Mode,
				jsonColumn{&e.Detail}, jsonColumn{&e.Documents})
			if e.At = fromMicros(at); len(e.Documents) == 0 {
				e.Documents = nil
			}
			out = append(out, e)
			return err
		})
	})
	return out, err
}

// statement adds the clauses that an index answers only where they are asked
// for; the others cost nothing where they are open. The plus keeps SQLite from
// sorting all of a long time for each page.
func (q AuditQuery) statement(last int64, limit int) (string, []any) {
	text := `SELECT n, at, action, actor, place, class, scope, turn_id, mode, detail,
		(SELECT json_group_array(document) FROM
			(SELECT document FROM audit_documents WHERE entry = n ORDER BY position))
		FROM audit WHERE n > ?1 AND n <= ?2 AND (?3 = '' OR actor = ?3 COLLATE NOCASE)
		AND (?4 = '' OR place = ?4) AND (?5 = '' OR action = ?5)
		AND +at >= ?8 AND +at < ?9`
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Until.IsZero() {
		until = q.Until.UnixMicro()
	}
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
		text += ` AND n >= (SELECT min(n) FROM audit WHERE at >= ?8)`
	}
	if q.Document != "" {
		text += ` AND n IN (SELECT entry FROM audit_documents WHERE document = ?6)`
	}
	if q.TurnID != "" {
		text += ` AND n IN (SELECT n FROM audit WHERE turn_id = ?7 AND turn_id <> '')`
	}
	return text + ` ORDER BY n LIMIT ?10`, []any{
		q.After, last, q.Actor, q.Place, q.Action, q.Document, q.TurnID, since, until, limit,
	}
}

// PruneAudit deletes the entries from before the time and tells how many those
// were. It is the only way by which an entry ever goes. It deletes in several
// transactions, so that nobody waits long; where it ends early, the number is of
// those that are gone.
func (s *Store) PruneAudit(ctx context.Context, before time.Time) (int64, error) {
	var gone int64
	for {
		n, err := s.pruneSome(ctx, before)
		if gone += n; err != nil || n < pruneBatch {
			return gone, err
		}
	}
}

func (s *Store) pruneSome(ctx context.Context, before time.Time) (n int64, err error) {
	err = s.write(ctx, func(tx *session) error {
		const some = `(SELECT n FROM audit WHERE at < ?1 ORDER BY at, n LIMIT ?2)`
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)`, keyRetention, before.UnixMicro())
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM audit_documents WHERE entry IN `+some, before.UnixMicro(), pruneBatch); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `DELETE FROM audit WHERE n IN `+some, before.UnixMicro(), pruneBatch)
		if err != nil {
			return err
		}
		if n, err = res.RowsAffected(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, keyRetention)
		return err
	})
	if err != nil {
		n = 0 // the transaction was taken back
	}
	return n, err
}
