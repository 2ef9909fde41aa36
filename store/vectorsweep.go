package store

import (
	"context"
	"database/sql"
	"time"
)

// SweepVectors looks at up to limit vectors behind after and forgets those that
// nothing has needed for a week: whose text no passage has, or whose set was
// replaced. Texts that a model refused are forgotten after a week too, so that they
// are tried again. It returns where to go on, 0 at the end.
func (s *Store) SweepVectors(ctx context.Context, after int64, limit int) (next int64, err error) {
	err = s.write(ctx, func(tx *session) error {
		now := s.Now()
		var last sql.NullInt64
		var seen int
		if err := tx.QueryRowContext(ctx, `SELECT max(n), count(*) FROM (SELECT n FROM vectors WHERE n > ? ORDER BY n LIMIT ?)`,
			after, limit).Scan(&last, &seen); err != nil {
			return err
		}
		if err := sweepBetween(ctx, tx, after, last.Int64, now); err != nil {
			return err
		}
		if next = last.Int64; seen < limit {
			next = 0
			return forgetSets(ctx, tx, now)
		}
		return nil
	})
	return next, err
}

func sweepBetween(ctx context.Context, tx *session, after, last int64, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `UPDATE vectors SET unused = ?3 WHERE n > ?1 AND n <= ?2 AND unused IS NULL
		AND NOT EXISTS (SELECT 1 FROM passage_texts t WHERE t.hash = vectors.hash)`, after, last, micros(now)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE vectors SET unused = NULL WHERE n > ?1 AND n <= ?2 AND unused IS NOT NULL
		AND vector IS NOT NULL AND EXISTS (SELECT 1 FROM passage_texts t WHERE t.hash = vectors.hash)`, after, last); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM vectors WHERE n > ?1 AND n <= ?2 AND (unused < ?3
		OR space IN (SELECT n FROM vector_sets WHERE replaced < ?3))`, after, last, micros(now.Add(-vectorGrace)))
	return err
}

// forgetSets takes out the sets that were replaced and have no vectors left.
func forgetSets(ctx context.Context, tx *session, now time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM vector_sets WHERE replaced < ?
		AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = vector_sets.n)`, micros(now.Add(-vectorGrace)))
	return err
}
