package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// told is how well it is known who may read a document.
type told struct {
	host    bool // its source's own row says it, which is never stale
	checked sql.NullInt64
	untold  sql.NullInt64
	maxAge  time.Duration // as the source has it
}

// stale tells whether the readers were told too long ago. At exactly the limit
// they still count; what was never told does not.
func (t told) stale(now time.Time) bool {
	if t.host {
		return false
	}
	since := fromMicros(t.checked)
	if lost := fromMicros(t.untold); t.untold.Valid && lost.Before(since) {
		since = lost
	}
	return !core.StillTold(since, now, ageLimit(t.maxAge))
}

// effective is what counts of a document's access at the given time: where it
// is stale, only what is public or of a workspace.
func (t told) effective(access core.Access, now time.Time) core.Access {
	if !t.stale(now) {
		return access
	}
	return slices.DeleteFunc(slices.Clone(access), func(p core.Principal) bool { return !lasting(p) })
}

func lasting(p core.Principal) bool {
	return p == core.Public || p == core.Workspace || strings.HasPrefix(string(p), string(core.WorkspaceOf("")))
}

func ageLimit(maxAge time.Duration) time.Duration {
	if maxAge == 0 {
		maxAge = core.DefaultMaxAge
	}
	return min(maxAge, core.LongestMaxAge)
}

// startAge begins to count the age of a source's access where nothing is stored
// yet: what comes from now on is told from now on. A first sync may take days.
func startAge(ctx context.Context, tx *session, source string, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE sources SET access_checked = ?1
		WHERE name = ?2 AND NOT EXISTS (SELECT 1 FROM documents WHERE source = ?2)`, micros(now), source)
	return err
}

func setAccessChecked(ctx context.Context, tx *session, source string, at *time.Time) error {
	if at == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE sources SET access_checked = ? WHERE name = ?`, micros(*at), source)
	return err
}

func accessChecked(ctx context.Context, tx *session, source string) (time.Time, error) {
	var at sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT access_checked FROM sources WHERE name = ?`, source).Scan(&at)
	return fromMicros(at), err
}

// noteUntold marks a document of which the connector did not tell the readers.
// Its facts hash matches nothing, so that the next telling is written and ends it.
func noteUntold(ctx context.Context, tx *session, document string, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE documents SET untold = ?, facts_hash = zeroblob(32)
		WHERE id = ? AND untold IS NULL AND NOT host_access`, micros(now), document)
	return err
}

// closeFolders takes the readers from all that is stored of the folders, also
// where the source's row gave them: that was before the folder was out of sight.
func closeFolders(ctx context.Context, tx *session, source string, folders []string) error {
	if len(folders) == 0 {
		return nil
	}
	list, err := asJSON(folders)
	if err != nil {
		return err
	}
	const inside = `source = ?1 AND EXISTS (SELECT 1 FROM json_each(folders) f, json_each(?2) c WHERE f.value = c.value)`
	for _, statement := range []string{
		`UPDATE documents SET host_access = 0, facts_hash = zeroblob(32), facts_generation = facts_generation + 1
			WHERE ` + inside + ` AND (host_access OR EXISTS (SELECT 1 FROM access WHERE document = documents.n))`,
		`DELETE FROM access WHERE document IN (SELECT n FROM documents WHERE ` + inside + `)`,
	} {
		if _, err := tx.ExecContext(ctx, statement, source, list); err != nil {
			return err
		}
	}
	return nil
}
