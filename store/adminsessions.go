package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// AdminSession is somebody who is signed in to the admin pages, without the secret.
type AdminSession struct {
	ID            string
	Who           string
	Created, Seen time.Time // Seen is true to the minute
	Expires       time.Time
}

// mostAdminLinks is how many unused links there are at most; the oldest go.
const mostAdminLinks = 32

// AddAdminLink keeps a link that opens the admin pages once, under the hash of its
// secret.
func (s *Store) AddAdminLink(ctx context.Context, hash, who string, now, expires time.Time) error {
	return s.write(ctx, func(tx *session) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM admin_links WHERE expires <= ? OR hash IN
			(SELECT hash FROM admin_links ORDER BY expires DESC, hash LIMIT -1 OFFSET ?)`, now.UnixMicro(), mostAdminLinks-1); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO admin_links (hash, who, expires) VALUES (?, ?, ?)`, hash, who, expires.UnixMicro())
		return err
	})
}

// UseAdminLink uses a link up and tells for whom it was made. The error is of kind
// not_found where it was used, is too old or never was.
func (s *Store) UseAdminLink(ctx context.Context, hash string, now time.Time) (who string, err error) {
	err = s.write(ctx, func(tx *session) error {
		err := tx.QueryRowContext(ctx, `DELETE FROM admin_links WHERE hash = ? AND expires > ? RETURNING who`, hash, now.UnixMicro()).Scan(&who)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.KindNotFound, "This link was used already or is too old; make another with footnote admin login.")
		}
		return err
	})
	return who, err
}

// AddAdminSession keeps a session under the hash of its secret, and forgets those
// that have ended.
func (s *Store) AddAdminSession(ctx context.Context, hash string, a AdminSession) error {
	return s.write(ctx, func(tx *session) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM admin_sessions WHERE expires <= ?`, a.Created.UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO admin_sessions (hash, id, who, created, seen, expires) VALUES (?, ?, ?, ?, ?, ?)`,
			hash, a.ID, a.Who, a.Created.UnixMicro(), a.Created.UnixMicro(), a.Expires.UnixMicro())
		return err
	})
}

const adminSessionColumns = `id, who, created, seen, expires`

// AdminSession finds a session that is still good: not expired, and used within the
// idle time. It notes the use, once a minute at most. The error is of kind not_found
// for any other.
func (s *Store) AdminSession(ctx context.Context, hash string, now time.Time, idle time.Duration) (AdminSession, error) {
	found, err := s.adminSessions(ctx, `WHERE hash = ? AND expires > ? AND seen > ?`, hash, now.UnixMicro(), now.Add(-idle).UnixMicro())
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.KindNotFound, "There is no such session.")
	}
	if err != nil {
		return AdminSession{}, err
	}
	if now.Sub(found[0].Seen) < time.Minute {
		return found[0], nil
	}
	return found[0], s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `UPDATE admin_sessions SET seen = ? WHERE hash = ?`, now.UnixMicro(), hash)
		return err
	})
}

// AdminSessions lists the sessions that are still good, the latest used first.
func (s *Store) AdminSessions(ctx context.Context, now time.Time, idle time.Duration) ([]AdminSession, error) {
	return s.adminSessions(ctx, `WHERE expires > ? AND seen > ? ORDER BY seen DESC, id`, now.UnixMicro(), now.Add(-idle).UnixMicro())
}

func (s *Store) adminSessions(ctx context.Context, rest string, args ...any) (out []AdminSession, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+adminSessionColumns+` FROM admin_sessions `+rest, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var a AdminSession
			var created, seen, expires sql.NullInt64
			err := rows.Scan(&a.ID, &a.Who, &created, &seen, &expires)
			a.Created, a.Seen, a.Expires = fromMicros(created), fromMicros(seen), fromMicros(expires)
			out = append(out, a)
			return err
		})
	})
	return out, err
}

// EndAdminSession ends the session with the id, or all where it is empty, and the
// links that nobody used with them. It tells how many sessions those were.
func (s *Store) EndAdminSession(ctx context.Context, id string) (n int64, err error) {
	err = s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM admin_sessions WHERE ?1 = '' OR id = ?1`, id)
		if err != nil {
			return err
		}
		if n, err = res.RowsAffected(); err != nil || id != "" {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM admin_links`)
		return err
	})
	return n, err
}
