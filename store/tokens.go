package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Token is a bearer token of the HTTP interface, without its secret. It speaks for
// a person or is bound to a source, never both.
type Token struct {
	ID       string
	Name     string    // unique
	As       string    // e-mail address of the person it speaks for; "" if it is bound
	Source   string    // that it may push documents to; "" if it speaks for a person
	Expires  time.Time // zero if never
	Created  time.Time
	LastUsed time.Time // zero if never
}

const tokenColumns = `id, name, as_email, source, expires, created, last_used`

// AddToken keeps a token under the hash of its secret. The error is of kind
// conflict if there is one with the same name, id or hash.
func (s *Store) AddToken(ctx context.Context, t Token, hash string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO tokens (hash, id, name, as_email, source, expires, created) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			hash, t.ID, t.Name, t.As, t.Source, micros(t.Expires), t.Created.UnixMicro())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return core.Errorf(core.KindConflict, "There is a token named %q already; choose another --name, or revoke that one first.", t.Name)
	})
}

// TokenByHash finds a token by the hash of its secret; the error is of kind
// not_found if there is none. One that has expired is found like any other. How long that takes tells nothing of use: who
// tries secrets cannot choose what their hashes begin with.
func (s *Store) TokenByHash(ctx context.Context, hash string) (Token, error) {
	tokens, err := s.tokens(ctx, `WHERE hash = ?`, hash)
	if err == nil && len(tokens) == 0 {
		err = core.Errorf(core.KindNotFound, "There is no such token.")
	}
	if err != nil {
		return Token{}, err
	}
	return tokens[0], nil
}

// Tokens lists all tokens, oldest first.
func (s *Store) Tokens(ctx context.Context) ([]Token, error) {
	return s.tokens(ctx, `ORDER BY created, id`)
}

func (s *Store) tokens(ctx context.Context, rest string, args ...any) ([]Token, error) {
	var out []Token
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+tokenColumns+` FROM tokens `+rest, args...)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var t Token
			var expires, created, used sql.NullInt64
			err := rows.Scan(&t.ID, &t.Name, &t.As, &t.Source, &expires, &created, &used)
			t.Expires, t.Created, t.LastUsed = fromMicros(expires), fromMicros(created), fromMicros(used)
			out = append(out, t)
			return err
		})
	})
	return out, err
}

// RevokeToken removes a token; the error is of kind not_found if there is none
// with the id.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return core.Errorf(core.KindNotFound, "There is no token %q; see footnote token list.", id)
	})
}

// RevokeTokensOf removes all tokens that are bound to the source, so that none of
// them fits another source of the same name.
func (s *Store) RevokeTokensOf(ctx context.Context, source string) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE source = ? AND source <> ''`, source)
		return err
	})
}

// UseToken notes when a token was used last.
func (s *Store) UseToken(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `UPDATE tokens SET last_used = ? WHERE id = ?`, at.UnixMicro(), id)
		return err
	})
}
