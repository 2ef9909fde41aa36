package store

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// readingSpan is how much time one row of what reading documents used stands for. Days
// begin at a multiple of it in every time zone.
const readingSpan = 15 * time.Minute

// CountReadingCall adds a call to what its model was used for, all at once or not at
// all. It is no question, and nobody's.
func (s *Store) CountReadingCall(ctx context.Context, c core.ReadingCall) error {
	m := ModelUsage{Model: c.Model}
	m.Add(c)
	return s.write(ctx, func(tx *session) error {
		if c.Purpose == core.ForContexts {
			if err := countContextCall(ctx, tx, s.Now().UTC().Format(time.DateOnly)); err != nil {
				return err
			}
		}
		return s.addReading(ctx, tx, c.Purpose, m)
	})
}

// CountReading adds several calls for a purpose other than contexts at once. In each
// entry all calls have a price, or none has.
func (s *Store) CountReading(ctx context.Context, purpose string, used ...ModelUsage) error {
	return s.write(ctx, func(tx *session) error { return s.addReading(ctx, tx, purpose, used...) })
}

func (s *Store) addReading(ctx context.Context, tx *session, purpose string, used ...ModelUsage) error {
	for _, m := range used {
		if err := addReadingOf(ctx, tx, s.Now(), purpose, m); err != nil {
			return err
		}
	}
	return s.sweepSpent(ctx, tx)
}

func addReadingOf(ctx context.Context, tx *session, now time.Time, purpose string, m ModelUsage) error {
	span := now.Truncate(readingSpan)
	if err := addModelUsage(ctx, tx, now.UTC().Format(time.DateOnly), m); err != nil {
		return err
	}
	var cost *float64
	if m.Unpriced == 0 {
		cost = &m.Cost
	}
	// Calls without a price have a row of their own, which leaves the others theirs.
	row := fmt.Sprintf("%s %d %t", purpose, span.Unix(), cost != nil)
	_, err := tx.ExecContext(ctx, `INSERT INTO spent (turn, model, at, person, place, calls, tokens, cost, purpose)
		VALUES (?, ?, ?, '', '', ?, ?, ?, ?) ON CONFLICT (turn, model) DO UPDATE SET calls = calls + excluded.calls,
			tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
		row, m.Model, span.UnixMicro(), m.Calls, m.PromptTokens+m.OutputTokens, cost, purpose)
	return err
}
