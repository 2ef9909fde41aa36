package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Spent is what one model was used for in one turn.
type Spent struct {
	Turn   string
	Model  string // "" where none was asked
	At     time.Time
	Person string // address of the asker, else the account
	Place  string
	Calls  int
	Tokens int
	Cost   *float64 // nil where a price is not known
}

// spentKept is how long single turns are told apart.
const spentKept = 400 * 24 * time.Hour

// PutSpent adds up what a turn used. An answer that was withdrawn and given anew is
// one question and costs both times.
func (s *Store) PutSpent(ctx context.Context, all ...Spent) error {
	return s.short(ctx, func(tx *session) error {
		for _, p := range all {
			if _, err := tx.ExecContext(ctx, `INSERT INTO spent (turn, model, at, person, place, calls, tokens, cost)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (turn, model) DO UPDATE SET calls = calls + excluded.calls,
					tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
				p.Turn, p.Model, p.At.UnixMicro(), p.Person, p.Place, p.Calls, p.Tokens, p.Cost); err != nil {
				return err
			}
		}
		return s.sweepSpent(ctx, tx)
	})
}

func (s *Store) sweepSpent(ctx context.Context, tx *session) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM spent WHERE at < ?`, s.Now().Add(-spentKept).UnixMicro())
	return err
}

// Usage is what was used, of one key of UsageBy.
type Usage struct {
	Key       string
	Questions int
	Calls     int
	Tokens    int
	Cost      float64 // of the calls whose price is known
	Unpriced  int     // turns in which a model's price is not, and such calls of reading documents
	Model     string  // of what reading documents used; else empty
}

// UsageQuery bounds what Used adds up: from is part of it, to is not. The other
// fields narrow it where they are set.
type UsageQuery struct {
	From, To             time.Time
	Person, Place, Model string
	Reading              bool // what reading documents used, too; it is nobody's and in no place
}

// Used adds up what was used in the time. Every question counts once, however many
// models it asked.
func (s *Store) Used(ctx context.Context, q UsageQuery) (Usage, error) {
	list, err := s.usage(ctx, q, `''`)
	if err != nil || len(list) == 0 {
		return Usage{}, err
	}
	return list[0], nil
}

// UsageBy lists what was used by person, place or model, the most tokens first; by
// purpose it lists what reading documents used, for each purpose by model. That is kept
// by quarters of an hour, which count where they begin.
func (s *Store) UsageBy(ctx context.Context, q UsageQuery, by string) ([]Usage, error) {
	switch by {
	case "purpose":
		q.Reading = true
		return s.usage(ctx, q, by)
	case "person", "place", "model":
		return s.usage(ctx, q, by)
	}
	return nil, core.Errorf(core.KindInvalid, "Usage is not kept by %q.", by)
}

func (s *Store) usage(ctx context.Context, q UsageQuery, key string) (out []Usage, err error) {
	where, args := []string{`at >= ?`, `at < ?`}, []any{q.From.UnixMicro(), q.To.UnixMicro()}
	for _, clause := range [][2]string{{"person", q.Person}, {"place", q.Place}, {"model", q.Model}} {
		if clause[1] != "" {
			where, args = append(where, clause[0]+` = ?`), append(args, clause[1])
		}
	}
	model := `''`
	switch {
	case key == "purpose":
		where, model = append(where, `purpose <> ''`), "model"
	case !q.Reading:
		where = append(where, `purpose = ''`)
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+key+` AS k, count(DISTINCT iif(purpose = '', turn, NULL)), sum(calls), sum(tokens), coalesce(sum(cost), 0.0),
				count(DISTINCT iif(purpose = '' AND calls > 0 AND cost IS NULL, turn, NULL)) + sum(iif(purpose <> '' AND cost IS NULL, calls, 0)),
				`+model+` AS m
			FROM spent WHERE `+strings.Join(where, ` AND `)+` GROUP BY k, m ORDER BY sum(tokens) DESC, count(DISTINCT turn) DESC, k, m`, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var u Usage
			err := rows.Scan(&u.Key, &u.Questions, &u.Calls, &u.Tokens, &u.Cost, &u.Unpriced, &u.Model)
			out = append(out, u)
			return err
		})
	})
	return out, err
}
