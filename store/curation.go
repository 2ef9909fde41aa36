package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/footnote-bot/footnote/core"
)

// HideDocument takes a document out of search until ShowDocument, whatever its
// source says and whether or not it goes and comes again. The error is of kind
// not_found if there is no such document.
func (s *Store) HideDocument(ctx context.Context, h core.HiddenDocument) error {
	return s.write(ctx, func(tx *session) error {
		if err := setHidden(ctx, tx, h.Document, `hidden = 1`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO hidden_documents (document, account, at) VALUES (?, ?, ?)
			ON CONFLICT (document) DO NOTHING`, h.Document, h.Account, h.At.UnixMicro())
		return err
	})
}

// ShowDocument takes back that a document was hidden: what its source says counts
// again. The error is of kind not_found if nobody hid it.
func (s *Store) ShowDocument(ctx context.Context, document string) error {
	return s.write(ctx, func(tx *session) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM hidden_documents WHERE document = ?`, document)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, core.Errorf(core.KindNotFound, "Nobody hid the document %q.", document))
		}
		err = setHidden(ctx, tx, document, `hidden = stated_hidden`)
		if core.KindOf(err) == core.KindNotFound {
			return nil // it is gone from its source meanwhile
		}
		return err
	})
}

func setHidden(ctx context.Context, tx *session, document, what string) error {
	var n int64
	err := tx.QueryRowContext(ctx, `UPDATE documents SET `+what+`, facts_generation = facts_generation + 1
		WHERE id = ? RETURNING n`, document).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return core.Errorf(core.KindNotFound, "There is no document %q in the ledger.", document)
	}
	return err
}

// HiddenDocuments lists what curators hid, the latest first.
func (s *Store) HiddenDocuments(ctx context.Context) ([]core.HiddenDocument, error) {
	var out []core.HiddenDocument
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT document, account, at FROM hidden_documents ORDER BY at DESC, document`)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var h core.HiddenDocument
			var at sql.NullInt64
			err := rows.Scan(&h.Document, &h.Account, &at)
			h.At = fromMicros(at)
			out = append(out, h)
			return err
		})
	})
	return out, err
}

// PutDocumentVote keeps what a curator thinks of a document.
func (s *Store) PutDocumentVote(ctx context.Context, v core.DocumentVote) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO document_votes (document, account, up, turn, at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (document, account) DO UPDATE SET up = excluded.up, turn = excluded.turn, at = excluded.at`,
			v.Document, v.Account, v.Up, v.TurnID, v.At.UnixMicro())
		return err
	})
}

// DocumentVotes lists the votes on a document, by account.
func (s *Store) DocumentVotes(ctx context.Context, document string) ([]core.DocumentVote, error) {
	var out []core.DocumentVote
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT account, up, turn, at FROM document_votes WHERE document = ? ORDER BY account`, document)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			v := core.DocumentVote{Document: document}
			var at sql.NullInt64
			err := rows.Scan(&v.Account, &v.Up, &v.TurnID, &at)
			v.At = fromMicros(at)
			out = append(out, v)
			return err
		})
	})
	return out, err
}
