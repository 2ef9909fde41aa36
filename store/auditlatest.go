package store

import (
	"context"
	"database/sql"
	"math"

	"github.com/footnote-bot/footnote/core"
)

// LatestAudit lists the entries that the query asks for, newest first, at most its
// limit, which must be set. Of the query's numbers After does not count; entries come
// from below the number before, or from the newest on where it is 0.
func (s *Store) LatestAudit(ctx context.Context, q AuditQuery, before int64) (out []core.AuditEntry, err error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
	}
	if !q.Until.IsZero() {
		until = q.Until.UnixMicro()
	}
	text := `SELECT n, at, action, actor, place, class, scope, turn_id, mode, detail,
		(SELECT json_group_array(document) FROM
			(SELECT document FROM audit_documents WHERE entry = n ORDER BY position))
		FROM audit WHERE n < ?1 AND (?2 = '' OR actor = ?2 COLLATE NOCASE) AND (?3 = '' OR place = ?3)
		AND (?4 = '' OR action = ?4) AND +at >= ?5 AND +at < ?6`
	if q.Document != "" {
		text += ` AND n IN (SELECT entry FROM audit_documents WHERE document = ?7)`
	}
	if q.TurnID != "" {
		text += ` AND n IN (SELECT n FROM audit WHERE turn_id = ?8 AND turn_id <> '')`
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, text+` ORDER BY n DESC LIMIT ?9`,
			before, q.Actor, q.Place, q.Action, since, until, q.Document, q.TurnID, q.Limit)
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
