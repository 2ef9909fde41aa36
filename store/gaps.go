package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Asked is a question with how it ended and what people thought of that. Outcome is
// empty for turns from before outcomes were kept, and for those that never ended.
type Asked struct {
	TurnID   string
	At       time.Time
	Place    string
	Class    string // audience class that it was answered for
	Question string
	Outcome  string
	Coverage float64
	TookMS   int64
	Cost     *float64
	Up, Down int // votes
	Help     int // calls for a person
}

// AskedQuery narrows a list of questions; what is empty does not.
type AskedQuery struct {
	Since, Until time.Time // Until is not included
	Outcome      string
	Place        string
	Limit        int // most entries, the newest; 0 means 10,000
}

const mostAsked = 10_000

// Asked lists questions, newest first, whoever asked them: for the owner only.
func (s *Store) Asked(ctx context.Context, q AskedQuery) ([]Asked, error) {
	until := int64(math.MaxInt64)
	if !q.Until.IsZero() {
		until = q.Until.UnixMicro()
	}
	return s.askedWhere(ctx, `WHERE t.started >= ?1 AND t.started < ?2 AND (?3 = '' OR o.outcome = ?3) AND (?4 = '' OR t.place = ?4)`,
		q.Limit, q.Since.UnixMicro(), until, q.Outcome, q.Place)
}

// askedWhere takes one of a few constant clauses.
func (s *Store) askedWhere(ctx context.Context, where string, limit int, args ...any) (out []Asked, err error) {
	if limit <= 0 {
		limit = mostAsked
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT t.id, t.started, t.place, t.class, t.question, coalesce(o.outcome, ''),
				coalesce(o.coverage, 0.0), coalesce(o.took_ms, 0), o.cost,
				(SELECT count(*) FROM votes v WHERE v.turn = t.id AND v.up),
				(SELECT count(*) FROM votes v WHERE v.turn = t.id AND NOT v.up),
				(SELECT count(*) FROM help_requests h WHERE h.turn = t.id)
			FROM turns t LEFT JOIN turn_outcomes o ON o.turn = t.id `+where+` ORDER BY t.started DESC, t.n DESC LIMIT ?9`,
			append(padded(args), limit)...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var a Asked
			var at sql.NullInt64
			err := rows.Scan(&a.TurnID, &at, &a.Place, &a.Class, &a.Question, &a.Outcome, &a.Coverage, &a.TookMS, &a.Cost, &a.Up, &a.Down, &a.Help)
			a.At = fromMicros(at)
			out = append(out, a)
			return err
		})
	})
	return out, err
}

// padded fills the numbered arguments up to the eighth, so that the ninth is the same
// whatever the clause.
func padded(args []any) []any {
	out := make([]any, 8)
	copy(out, args)
	return out
}

// VoteOf is a vote with the question of the answer.
type VoteOf struct {
	core.Vote
	Asked
}

// VotesSince lists votes from the time on, newest first, at most so many: for the
// owner only. Votes on turns that are gone are left out.
func (s *Store) VotesSince(ctx context.Context, since time.Time, limit int) (out []VoteOf, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT v.turn, v.account, v.up, v.reason, v.at, t.started, t.place, t.class, t.question
			FROM votes v JOIN turns t ON t.id = v.turn WHERE v.at >= ? ORDER BY v.at DESC, v.turn, v.account LIMIT ?`, since.UnixMicro(), limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var v VoteOf
			var at, asked sql.NullInt64
			err := rows.Scan(&v.Vote.TurnID, &v.Account, &v.Vote.Up, &v.Reason, &at, &asked, &v.Place, &v.Class, &v.Question)
			v.Asked.TurnID, v.Vote.At, v.Asked.At = v.Vote.TurnID, fromMicros(at), fromMicros(asked)
			out = append(out, v)
			return err
		})
	})
	return out, err
}

// HelpOf is a call for a person with its question.
type HelpOf struct {
	core.HelpRequest
	Asked
}

// HelpSince lists calls for a person from the time on, newest first, at most so
// many: for the owner only.
func (s *Store) HelpSince(ctx context.Context, since time.Time, limit int) (out []HelpOf, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT h.id, h.turn, h.account, h.opened, h.resolved, h.by, t.started, t.place, t.class, t.question
			FROM help_requests h JOIN turns t ON t.id = h.turn WHERE h.opened >= ? ORDER BY h.opened DESC, h.id LIMIT ?`, since.UnixMicro(), limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var h HelpOf
			var opened, resolved, asked sql.NullInt64
			err := rows.Scan(&h.ID, &h.HelpRequest.TurnID, &h.Account, &opened, &resolved, &h.By, &asked, &h.Asked.Place, &h.Class, &h.Question)
			h.Opened, h.Resolved, h.At = fromMicros(opened), fromMicros(resolved), fromMicros(asked)
			h.Asked.TurnID = h.HelpRequest.TurnID
			out = append(out, h)
			return err
		})
	})
	return out, err
}
