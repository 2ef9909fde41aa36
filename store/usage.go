package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Outcome is how a turn ended, in short.
type Outcome struct {
	TurnID       string
	At           time.Time
	Platform     string
	Outcome      string // one of the core/gaps outcomes
	Coverage     float64
	Searches     int
	PromptTokens int
	OutputTokens int
	Cost         *float64 // nil where a price is not known
	FirstMS      int64    // to the first text; 0 if there was none
	TookMS       int64
	Models       []ModelUsage // its calls, one entry a model
}

// ModelUsage is what one model was used for, on a day or in a turn.
type ModelUsage struct {
	Day          string // such as 2026-05-31, in UTC; empty in a turn
	Model        string
	Calls        int
	Failed       int
	PromptTokens int
	OutputTokens int
	Cost         float64 // of the calls whose price is known
	Unpriced     int     // calls whose price is not
}

// Add adds a call of reading documents.
func (m *ModelUsage) Add(c core.ReadingCall) {
	m.Calls++
	if c.Failed {
		m.Failed++
	}
	m.PromptTokens += c.Usage.PromptTokens
	m.OutputTokens += c.Usage.CompletionTokens
	if c.Cost == nil {
		m.Unpriced++
	} else {
		m.Cost += *c.Cost
	}
}

// PutOutcome keeps how a turn ended. A turn that has an outcome already keeps it.
func (s *Store) PutOutcome(ctx context.Context, o Outcome) error {
	return s.short(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO turn_outcomes (turn, at, platform, outcome, coverage, searches,
				prompt_tokens, completion_tokens, cost, first_ms, took_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (turn) DO NOTHING`,
			o.TurnID, o.At.UnixMicro(), o.Platform, o.Outcome, o.Coverage, o.Searches, o.PromptTokens, o.OutputTokens, o.Cost, o.FirstMS, o.TookMS)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		day := o.At.UTC().Format(time.DateOnly)
		for _, m := range o.Models {
			if err := addModelUsage(ctx, tx, day, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func addModelUsage(ctx context.Context, tx *session, day string, m ModelUsage) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO model_usage (day, model, calls, failed, prompt_tokens, completion_tokens, cost, unpriced)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model) DO UPDATE SET calls = calls + excluded.calls,
			failed = failed + excluded.failed, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
			completion_tokens = completion_tokens + excluded.completion_tokens,
			cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced`,
		day, m.Model, m.Calls, m.Failed, m.PromptTokens, m.OutputTokens, m.Cost, m.Unpriced)
	return err
}

// DayOutcomes is how many turns of a platform ended in a way on a day.
type DayOutcomes struct {
	Day      string // such as 2026-05-31, in UTC
	Platform string
	Outcome  string
	Turns    int
	TookMS   int64   // of all of them together
	Cost     float64 // of those whose price is known
}

// Outcomes counts the turns from the time on, by day, platform and outcome.
func (s *Store) Outcomes(ctx context.Context, since time.Time) (out []DayOutcomes, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT date(at / 1000000, 'unixepoch') AS day, platform, outcome, count(*), sum(took_ms), coalesce(sum(cost), 0.0)
			FROM turn_outcomes WHERE at >= ? GROUP BY day, platform, outcome ORDER BY day, platform, outcome`, since.UnixMicro())
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var d DayOutcomes
			err := rows.Scan(&d.Day, &d.Platform, &d.Outcome, &d.Turns, &d.TookMS, &d.Cost)
			out = append(out, d)
			return err
		})
	})
	return out, err
}

// ModelUsages lists what models were used for from the day of the time on, by day
// and model.
func (s *Store) ModelUsages(ctx context.Context, since time.Time) (out []ModelUsage, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT day, model, calls, failed, prompt_tokens, completion_tokens, cost, unpriced
			FROM model_usage WHERE day >= ? ORDER BY day, model`, since.UTC().Format(time.DateOnly))
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var m ModelUsage
			err := rows.Scan(&m.Day, &m.Model, &m.Calls, &m.Failed, &m.PromptTokens, &m.OutputTokens, &m.Cost, &m.Unpriced)
			out = append(out, m)
			return err
		})
	})
	return out, err
}

// SourceCount is the size of a source.
type SourceCount struct {
	Source                        string
	Documents, NotIndexed, Failed int
}

// SourceCounts counts documents and failures by source, all of one instant.
func (s *Store) SourceCounts(ctx context.Context) (out []SourceCount, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT s.name,
				(SELECT count(*) FROM documents d WHERE d.source = s.name),
				(SELECT count(*) FROM documents d WHERE d.source = s.name AND indexed < generation),
				(SELECT count(*) FROM failures f WHERE f.source = s.name)
			FROM sources s ORDER BY s.name`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var c SourceCount
			err := rows.Scan(&c.Source, &c.Documents, &c.NotIndexed, &c.Failed)
			out = append(out, c)
			return err
		})
	})
	return out, err
}
