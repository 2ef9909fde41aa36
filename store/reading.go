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
	m := ModelUsage{Model: c.Model, Calls: 1, PromptTokens: c.Usage.PromptTokens, OutputTokens: c.Usage.CompletionTokens}
	if c.Failed {
		m.Failed = 1
	}
	if c.Cost != nil {
		m.Cost = *c.Cost
	} else {
		m.Unpriced = 1
	}
	return s.write(ctx, func(tx *session) error {
		now := s.Now()
		day, span := now.UTC().Format(time.DateOnly), now.Truncate(readingSpan)
		if c.Purpose == core.ForContexts {
			if err := countContextCall(ctx, tx, day); err != nil {
				return err
			}
		}
		if err := addModelUsage(ctx, tx, day, m); err != nil {
			return err
		}
		// Calls without a price have a row of their own, which leaves the others theirs.
		row := fmt.Sprintf("%s %d %t", c.Purpose, span.Unix(), c.Cost != nil)
		if _, err := tx.ExecContext(ctx, `INSERT INTO spent (turn, model, at, person, place, calls, tokens, cost, purpose)
			VALUES (?, ?, ?, '', '', 1, ?, ?, ?) ON CONFLICT (turn, model) DO UPDATE SET calls = calls + 1,
				tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
			row, c.Model, span.UnixMicro(), m.PromptTokens+m.OutputTokens, c.Cost, c.Purpose); err != nil {
			return err
		}
		return s.sweepSpent(ctx, tx)
	})
}
