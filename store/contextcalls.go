package store

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const keyContextCalls = "context_calls" // a day in UTC, and how many calls there were

// countContextCall adds one to the calls for contexts of the day.
func countContextCall(ctx context.Context, tx *session, day string) error {
	n, err := contextCalls(ctx, tx, day)
	if err != nil {
		return err
	}
	return setMeta(ctx, tx, keyContextCalls, fmt.Sprintf("%s %d", day, n+1))
}

// ContextCalls is how many calls for contexts there were today, in UTC.
func (s *Store) ContextCalls(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(tx *session) error {
		n, err = contextCalls(ctx, tx, s.Now().UTC().Format(time.DateOnly))
		return err
	})
	return n, err
}

func contextCalls(ctx context.Context, tx *session, day string) (int, error) {
	noted, err := getMeta(ctx, tx, keyContextCalls)
	if err != nil {
		return 0, err
	}
	var of string
	var n int
	if _, err := fmt.Sscan(noted, &of, &n); err != nil || of != day {
		return 0, nil //nolint:nilerr // nothing was counted yet
	}
	return n, nil
}

// ContextCounts tells how far the contexts of a recipe got with the passages of a
// source; "" stands for all sources.
func (s *Store) ContextCounts(ctx context.Context, recipe int64, source string) (core.ContextCounts, error) {
	var c core.ContextCounts
	err := s.read(ctx, func(tx *session) error {
		err := tx.QueryRowContext(ctx, `SELECT count(*), count(iif(d.contexts < ?1, 1, NULL)), count(iif(p.context <> '', 1, NULL))
			FROM documents d JOIN passages p ON p.document = d.n
			WHERE (?2 = '' OR d.source = ?2) AND EXISTS (SELECT 1 FROM passages o WHERE o.document = d.n AND o.ordinal = 1)`, recipe, source).
			Scan(&c.Passages, &c.Waiting, &c.Placed)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT count(*), coalesce(max(c.reason), '') FROM passage_contexts c JOIN documents d ON d.n = c.document
			WHERE c.reason <> '' AND (?1 = '' OR d.source = ?1)`, source).Scan(&c.Refused, &c.Reason)
	})
	return c, err
}
