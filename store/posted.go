package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const postedColumns = `id, turn, platform, place, thread, account, refs, private, open, extra, updated`

// PutPosted keeps where an answer stands; the same id replaces.
func (s *Store) PutPosted(ctx context.Context, p core.Posted) error {
	return s.short(ctx, func(tx *session) error { return putPosted(ctx, tx, p) })
}

// Expect notes an event and, if it is new, where its answer is going to stand, both
// or none: no crash leaves an event that was seen and an answer of which nobody
// knows. Only then it is asked for. See FirstSeen for what becomes of the event.
func (s *Store) Expect(ctx context.Context, key string, now time.Time, answer func() core.Posted) (first bool, err error) {
	err = s.short(ctx, func(tx *session) (err error) {
		if first, err = firstSeen(ctx, tx, key, now); err != nil || !first {
			return err
		}
		return putPosted(ctx, tx, answer())
	})
	return first && err == nil, err
}

func putPosted(ctx context.Context, tx *session, p core.Posted) error {
	refs, err := asJSON(p.Refs)
	if err != nil {
		return err
	}
	extra := string(p.Extra)
	if extra == "" {
		extra = "null"
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO posted (`+postedColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET turn = excluded.turn, place = excluded.place, thread = excluded.thread,
			account = excluded.account, refs = excluded.refs, private = excluded.private,
			open = excluded.open, extra = excluded.extra, updated = excluded.updated`,
		p.ID, p.TurnID, p.Platform, p.Place, p.Thread, p.Account, refs, p.Private, p.Open, extra, p.Updated.UnixMicro())
	return err
}

// Posted finds by the id that buttons carry; the error is of kind not_found if
// there is none.
func (s *Store) Posted(ctx context.Context, id string) (core.Posted, error) {
	found, err := s.posted(ctx, `WHERE id = ?`, id)
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.KindNotFound, "This answer is no longer known.")
	}
	if err != nil {
		return core.Posted{}, err
	}
	return found[0], nil
}

// PostedOf lists where a turn's answer stands, newest first.
func (s *Store) PostedOf(ctx context.Context, turn string) ([]core.Posted, error) {
	return s.posted(ctx, `WHERE turn = ? ORDER BY updated DESC, id`, turn)
}

// Unfinished lists the answers of a platform that were being written when the
// process ended, oldest first.
func (s *Store) Unfinished(ctx context.Context, platform string) ([]core.Posted, error) {
	return s.posted(ctx, `WHERE open AND platform = ? ORDER BY updated, id`, platform)
}

func (s *Store) posted(ctx context.Context, rest string, args ...any) (out []core.Posted, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+postedColumns+` FROM posted `+rest, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var p core.Posted
			var extra string
			var updated sql.NullInt64
			if err := rows.Scan(&p.ID, &p.TurnID, &p.Platform, &p.Place, &p.Thread, &p.Account, jsonColumn{&p.Refs},
				&p.Private, &p.Open, &extra, &updated); err != nil {
				return err
			}
			p.Updated = fromMicros(updated)
			if extra != "null" {
				p.Extra = []byte(extra)
			}
			out = append(out, p)
			return nil
		})
	})
	return out, err
}

// PutVote keeps what somebody thinks of an answer, in place of what they thought
// before. The same vote once more without a reason leaves the reason as it is: the
// press of a button and the form behind it may come in any order.
func (s *Store) PutVote(ctx context.Context, v core.Vote) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO votes (turn, account, up, reason, at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (turn, account) DO UPDATE SET at = excluded.at, up = excluded.up,
				reason = iif(excluded.reason = '' AND up = excluded.up, reason, excluded.reason)`,
			v.TurnID, v.Account, v.Up, v.Reason, v.At.UnixMicro())
		return err
	})
}

// Votes lists what people think of a turn's answer, oldest first.
func (s *Store) Votes(ctx context.Context, turn string) (out []core.Vote, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT turn, account, up, reason, at FROM votes WHERE turn = ? ORDER BY at, account`, turn)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var v core.Vote
			var at sql.NullInt64
			err := rows.Scan(&v.TurnID, &v.Account, &v.Up, &v.Reason, &at)
			v.At = fromMicros(at)
			out = append(out, v)
			return err
		})
	})
	return out, err
}

// PutHelp keeps a request for a human; the same id replaces.
func (s *Store) PutHelp(ctx context.Context, h core.HelpRequest) error {
	extra := string(h.Extra)
	if extra == "" {
		extra = "null"
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO help_requests (id, turn, place, account, opened, resolved, by, extra)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET resolved = excluded.resolved, by = excluded.by, extra = excluded.extra`,
			h.ID, h.TurnID, h.Place, h.Account, h.Opened.UnixMicro(), micros(h.Resolved), h.By, extra)
		return err
	})
}

// Help finds a request for a human; the error is of kind not_found if there is
// none.
func (s *Store) Help(ctx context.Context, id string) (h core.HelpRequest, err error) {
	err = s.read(ctx, func(tx *session) error {
		var opened, resolved sql.NullInt64
		var extra string
		err := tx.QueryRowContext(ctx, `SELECT id, turn, place, account, opened, resolved, by, extra
			FROM help_requests WHERE id = ?`, id).Scan(&h.ID, &h.TurnID, &h.Place, &h.Account, &opened, &resolved, &h.By, &extra)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.KindNotFound, "This request is no longer known.")
		}
		h.Opened, h.Resolved = fromMicros(opened), fromMicros(resolved)
		if extra != "null" {
			h.Extra = []byte(extra)
		}
		return err
	})
	return h, err
}

// RecentQuestions lists what an account asked last, newest first.
func (s *Store) RecentQuestions(ctx context.Context, account string, limit int) (out []core.PastQuestion, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, place, coalesce(thread, ''), question, class IN ('dm', 'ephemeral'), started
			FROM turns WHERE account = ? AND account <> '' ORDER BY started DESC, n DESC LIMIT ?`, account, limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var a core.PastQuestion
			var at sql.NullInt64
			err := rows.Scan(&a.TurnID, &a.Place, &a.Thread, &a.Question, &a.Private, &at)
			a.At = fromMicros(at)
			out = append(out, a)
			return err
		})
	})
	return out, err
}
