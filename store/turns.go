package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"

	"github.com/footnote-bot/footnote/core"
)

const turnColumns = `n, id, coalesce(thread, ''), parent, place, class, scope, asker, account, agent, question, answer, calls, started, trace`

// SaveTurn writes a turn, in place of an earlier one with the same id.
func (s *Store) SaveTurn(ctx context.Context, t core.Turn) error {
	answer := t.Answer
	answer.Citations = nil // they have a table of their own
	answerJSON, err1 := asJSON(answer)
	scope, err2 := asJSON(t.Scope)
	calls, err3 := asJSON(listOf(t.Calls))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return s.short(ctx, func(tx *session) error {
		thread := sql.NullString{String: t.Thread, Valid: t.Thread != ""}
		if err := ensureThread(ctx, tx, t); err != nil {
			return err
		}
		var n int64
		err := tx.QueryRowContext(ctx, `INSERT INTO turns (id, thread, parent, place, class, scope, asker, account, agent,
				question, answer, calls, started, trace)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET thread = excluded.thread, parent = excluded.parent, place = excluded.place,
				class = excluded.class, scope = excluded.scope, asker = excluded.asker,
				account = excluded.account, agent = excluded.agent, question = excluded.question,
				answer = excluded.answer, calls = excluded.calls, started = excluded.started, trace = excluded.trace
			RETURNING n`, t.ID, thread, t.Parent, t.Place, t.Class, scope, t.Asker, t.Account, t.Agent, t.Question,
			answerJSON, calls, t.Started.UnixMicro(), t.Trace).Scan(&n)
		if err != nil {
			return err
		}
		if err := replaceUsed(ctx, tx, n, t.Used); err != nil {
			return err
		}
		return replaceCitations(ctx, tx, n, t.Answer.Citations)
	})
}

// Turn finds a turn by id; the error is of kind not_found if there is none. It
// does not ask who wants to know.
func (s *Store) Turn(ctx context.Context, id string) (core.Turn, error) {
	turns, err := s.turns(ctx, `id = ?`, id)
	if err == nil && len(turns) == 0 {
		err = core.Errorf(core.KindNotFound, "There is no turn %q in the ledger.", id)
	}
	if err != nil {
		return core.Turn{}, err
	}
	return turns[0], nil
}

// LatestTurn is the turn that started last; the error is of kind not_found if
// there is none. It does not ask who wants to know.
func (s *Store) LatestTurn(ctx context.Context) (core.Turn, error) {
	turns, err := s.turns(ctx, `n = (SELECT n FROM turns ORDER BY started DESC, n DESC LIMIT ?)`, "1")
	if err == nil && len(turns) == 0 {
		err = core.Errorf(core.KindNotFound, "No question has been answered yet.")
	}
	if err != nil {
		return core.Turn{}, err
	}
	return turns[0], nil
}

// Thread lists the turns of a thread, oldest first, whatever audience they were
// made for: the caller decides which of them a reader may know.
func (s *Store) Thread(ctx context.Context, thread string) ([]core.Turn, error) {
	return s.turns(ctx, `thread = ?`, thread)
}

// mostTurns bounds a branch, newest turns first: far more than any context
// holds, and an end to a circle of parents that a damaged ledger may have.
const mostTurns = 2000

// Branch lists the turns from the root of a thread to the turn with the id,
// oldest first, whatever audience they were made for. The error is of kind
// not_found if there is no such turn.
func (s *Store) Branch(ctx context.Context, id string) ([]core.Turn, error) {
	// UNION ends a circle. A parent in another thread is not an ancestor.
	turns, err := s.turns(ctx, `n IN (WITH RECURSIVE branch (n, parent, thread) AS (
			SELECT n, parent, thread FROM turns WHERE id = ?
			UNION
			SELECT t.n, t.parent, t.thread FROM branch b JOIN turns t ON t.id = b.parent AND t.thread IS b.thread
		LIMIT `+strconv.Itoa(mostTurns)+`) SELECT n FROM branch)`, id)
	if err == nil && len(turns) == 0 {
		err = core.Errorf(core.KindNotFound, "There is no turn %q in the ledger.", id)
	}
	return rootFirst(turns, id), err
}

// rootFirst orders turns by their parents: clocks may have been set back.
func rootFirst(turns []core.Turn, last string) []core.Turn {
	byID := make(map[string]core.Turn, len(turns))
	for _, t := range turns {
		byID[t.ID] = t
	}
	out := make([]core.Turn, 0, len(turns))
	for t, ok := byID[last]; ok; t, ok = byID[t.Parent] {
		delete(byID, t.ID)
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}

func (s *Store) turns(ctx context.Context, where, arg string) ([]core.Turn, error) {
	var out []core.Turn
	err := s.read(ctx, func(tx *session) error {
		var numbers []int64
		rows, err := tx.QueryContext(ctx, `SELECT `+turnColumns+` FROM turns WHERE `+where+` ORDER BY started, n`, arg)
		err = scanAll(rows, err, func(rows *sql.Rows) error {
			n, t, err := scanTurn(rows)
			out, numbers = append(out, t), append(numbers, n)
			return err
		})
		for i := 0; err == nil && i < len(out); i++ {
			if out[i].Answer.Citations, err = citationsOf(ctx, tx, numbers[i]); err == nil {
				out[i].Used, err = usedIn(ctx, tx, numbers[i])
			}
		}
		return err
	})
	return out, err
}

func scanTurn(rows *sql.Rows) (int64, core.Turn, error) {
	var n int64
	var t core.Turn
	var started sql.NullInt64
	err := rows.Scan(&n, &t.ID, &t.Thread, &t.Parent, &t.Place, &t.Class, jsonColumn{&t.Scope}, &t.Asker, &t.Account, &t.Agent,
		&t.Question, jsonColumn{&t.Answer}, jsonColumn{&t.Calls}, &started, &t.Trace)
	t.Started = fromMicros(started)
	if len(t.Calls) == 0 {
		t.Calls = nil
	}
	return n, t, err
}

// listOf is never nil, so that it becomes a JSON list.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func ensureThread(ctx context.Context, tx *session, t core.Turn) error {
	if t.Thread == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO threads (id, place, started) VALUES (?, ?, ?)`,
		t.Thread, t.Place, t.Started.UnixMicro())
	return err
}

func replaceCitations(ctx context.Context, tx *session, turn int64, citations []core.Citation) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM citations WHERE turn = ?`, turn); err != nil {
		return err
	}
	for i, c := range citations {
		if _, err := tx.ExecContext(ctx, `INSERT INTO citations
			(turn, position, number, title, url, document_id, passage, page, passage_id, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			turn, i, c.Number, c.Title, c.URL, c.DocumentID, c.Passage, c.Page, int64(c.PassageID), micros(c.Updated)); err != nil {
			return err
		}
	}
	return nil
}

// citationsOf never returns nil, as an Answer promises.
func citationsOf(ctx context.Context, tx *session, turn int64) ([]core.Citation, error) {
	out := []core.Citation{}
	rows, err := tx.QueryContext(ctx, `SELECT number, title, url, document_id, passage, page, passage_id, updated
		FROM citations WHERE turn = ? ORDER BY position`, turn)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var c core.Citation
		var updated sql.NullInt64
		err := rows.Scan(&c.Number, &c.Title, &c.URL, &c.DocumentID, &c.Passage, &c.Page, &c.PassageID, &updated)
		c.Updated = fromMicros(updated)
		out = append(out, c)
		return err
	})
	return out, err
}
