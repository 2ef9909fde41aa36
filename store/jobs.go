package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Jobs lists all that was run on a schedule, by source and kind.
func (s *Store) Jobs(ctx context.Context) (out []core.Job, err error) {
	err = s.read(ctx, func(tx *session) error {
		out, err = jobs(ctx, tx, "")
		return err
	})
	return out, err
}

// TakeJob leases the job to the owner until the time and tells whether it got it:
// not while the lease of another one holds. A lease that is longer than any that is
// given now was written under a clock that was ahead, and does not hold.
func (s *Store) TakeJob(ctx context.Context, source string, kind core.JobKind, owner string, now, until time.Time) (got bool, err error) {
	err = s.write(ctx, func(tx *session) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO jobs (source, kind, owner, lease_until, started)
			SELECT name, ?2, ?3, ?5, ?4 FROM sources WHERE name = ?1
			ON CONFLICT (source, kind) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until,
				started = excluded.started, ended = NULL, progress = '{}'
			WHERE owner IN ('', excluded.owner) OR lease_until IS NULL OR lease_until <= ?4 OR lease_until > ?5`,
			source, string(kind), owner, micros(now), micros(until))
		got = changedOne(result, err)
		return err
	})
	return got && err == nil, err
}

// RenewJob extends the owner's lease and notes how far it got; held is false if it
// is another one's by now.
func (s *Store) RenewJob(ctx context.Context, source string, kind core.JobKind, owner string, until time.Time, p core.SyncProgress) (held bool, err error) {
	progress, err := asJSON(p)
	if err != nil {
		return false, err
	}
	err = s.write(ctx, func(tx *session) error {
		result, err := tx.ExecContext(ctx, `UPDATE jobs SET lease_until = ?, progress = ? WHERE source = ? AND kind = ? AND owner = ?`,
			micros(until), progress, source, string(kind), owner)
		held = changedOne(result, err)
		return err
	})
	return held && err == nil, err
}

// EndJob writes how a run ended and frees the job. It does nothing if the job is
// leased to somebody other than its Owner by now, or its source is gone.
func (s *Store) EndJob(ctx context.Context, j core.Job) error {
	progress, err := asJSON(j.Progress)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO jobs (source, kind, due, started, ended, succeeded, attempts, error_kind, error, progress)
			SELECT name, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM sources WHERE name = ?1
			ON CONFLICT (source, kind) DO UPDATE SET due = excluded.due, owner = '', lease_until = NULL, started = excluded.started,
				ended = excluded.ended, succeeded = excluded.succeeded, attempts = excluded.attempts,
				error_kind = excluded.error_kind, error = excluded.error, progress = excluded.progress
			WHERE owner IN ('', ?11)`,
			j.Source, string(j.Kind), micros(j.Due), micros(j.Started), micros(j.Ended), micros(j.Succeeded),
			j.Attempts, string(j.ErrorKind), j.Error, progress, j.Owner)
		return err
	})
}

func changedOne(result sql.Result, err error) bool {
	if err != nil {
		return false
	}
	n, err := result.RowsAffected()
	return err == nil && n == 1
}

// jobs lists those of the source, or all if it is "".
func jobs(ctx context.Context, tx *session, source string) ([]core.Job, error) {
	var out []core.Job
	rows, err := tx.QueryContext(ctx, `SELECT source, kind, due, owner, lease_until, started, ended, succeeded, attempts, error_kind, error, progress
		FROM jobs WHERE ?1 IN ('', source) ORDER BY source, kind`, source)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var j core.Job
		var due, lease, started, ended, succeeded sql.NullInt64
		err := rows.Scan(&j.Source, &j.Kind, &due, &j.Owner, &lease, &started, &ended, &succeeded,
			&j.Attempts, &j.ErrorKind, &j.Error, jsonColumn{&j.Progress})
		j.Due, j.LeaseUntil, j.Started = fromMicros(due), fromMicros(lease), fromMicros(started)
		j.Ended, j.Succeeded = fromMicros(ended), fromMicros(succeeded)
		out = append(out, j)
		return err
	})
	return out, err
}

// freeJobs ends the leases that a crash left: whoever opens the ledger is its only
// user, so nobody runs them. Their due times are past, so they go on at once.
func freeJobs(ctx context.Context, tx *session) error {
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET owner = '', lease_until = NULL, due = NULL, ended = ?,
		error_kind = ?, error = ? WHERE owner <> ''`,
		micros(time.Now()), string(core.KindCancelled), "Footnote stopped during this run; the next one goes on from the last checkpoint.")
	return err
}

// dueAtOnce forgets why a source had to wait: its settings are others now.
func dueAtOnce(ctx context.Context, tx *session, source string) error {
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET due = NULL, attempts = 0 WHERE source = ?`, source)
	return err
}
