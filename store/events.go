package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// seenFor is how long events are remembered: longer than any platform sends one
// again.
const seenFor = 24 * time.Hour

// FirstSeen notes an event and tells whether it is new. Events of more than a
// day ago are forgotten, unless their key begins with core.LastingKey.
func (s *Store) FirstSeen(ctx context.Context, key string, now time.Time) (first bool, err error) {
	err = s.short(ctx, func(tx *session) (err error) {
		first, err = firstSeen(ctx, tx, key, now)
		return err
	})
	return first, err
}

func firstSeen(ctx context.Context, tx *session, key string, now time.Time) (first bool, err error) {
	insert := `INSERT OR IGNORE INTO seen_events (key, at) VALUES (?, ?)`
	if strings.HasPrefix(key, core.LastingKey) {
		insert = `INSERT OR IGNORE INTO lasting_events (key, at) VALUES (?, ?)`
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM seen_events WHERE key IN
		(SELECT key FROM seen_events WHERE at < ? LIMIT 100)`, now.Add(-seenFor).UnixMicro()); err != nil {
		return false, err
	}
	res, err := tx.ExecContext(ctx, insert, key, now.UnixMicro())
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// TakeFrom takes one from a bucket, or tells how long to wait for the next; then
// nothing is written. Buckets that rest for a day are forgotten, and are full then.
func (s *Store) TakeFrom(ctx context.Context, key string, rate core.Rate, now time.Time) (wait time.Duration, err error) {
	err = s.short(ctx, func(tx *session) error {
		var b core.Bucket
		var at sql.NullInt64
		err := tx.QueryRowContext(ctx, `SELECT left, at FROM buckets WHERE key = ?`, key).Scan(&b.Left, &at)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		b.At = fromMicros(at)
		if b, wait = b.Take(rate, now); wait > 0 {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM buckets WHERE key IN
			(SELECT key FROM buckets WHERE at < ? LIMIT 100)`, now.Add(-seenFor).UnixMicro()); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO buckets (key, left, at) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET left = excluded.left, at = excluded.at`, key, b.Left, b.At.UnixMicro())
		return err
	})
	return wait, err
}

// ThreadFacts tells what is known of a thread; the zero value if nothing is.
// Accounts of bots are told by their class, which the caller keeps.
func (s *Store) ThreadFacts(ctx context.Context, thread string) (f core.ThreadFacts, err error) {
	err = s.read(ctx, func(tx *session) error {
		var quiet sql.NullInt64
		if err := tx.QueryRowContext(ctx, `SELECT max(at) FROM quiet_threads WHERE thread = ?`, thread).Scan(&quiet); err != nil {
			return err
		}
		f.Stopped = quiet.Valid
		rows, err := tx.QueryContext(ctx, `SELECT t.account, t.started, coalesce(a.class, '') FROM turns t
			LEFT JOIN accounts a ON a.key = t.account
			WHERE t.thread = ? ORDER BY t.started, t.n`, thread)
		seen := map[string]bool{}
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var account string
			var started sql.NullInt64
			var class core.AccountClass
			if err := rows.Scan(&account, &started, &class); err != nil {
				return err
			}
			f.Turns++
			f.Last = fromMicros(started)
			if account != "" && !seen[account] {
				seen[account] = true
				f.People = append(f.People, account)
			}
			if f.BotTurns++; class != core.AccountBot {
				f.BotTurns = 0
			}
			return nil
		})
	})
	return f, err
}

// SetQuiet notes that somebody told the bot to be quiet in a thread, or that it
// was asked again.
func (s *Store) SetQuiet(ctx context.Context, thread string, quiet bool, now time.Time) error {
	return s.write(ctx, func(tx *session) error {
		statement, args := `DELETE FROM quiet_threads WHERE thread = ?`, []any{thread}
		if quiet {
			statement, args = `INSERT OR IGNORE INTO quiet_threads (thread, at) VALUES (?, ?)`, append(args, now.UnixMicro())
		}
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
}
