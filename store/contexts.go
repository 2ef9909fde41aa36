package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/footnote-bot/footnote/core"
)

const keyContextRecipe = "context_recipe" // number and name of the latest

// WantContexts notes what contexts are made with from now on and returns its number.
// Documents whose contexts were made with anything else lack theirs.
func (s *Store) WantContexts(ctx context.Context, recipe string) (n int64, err error) {
	known := func(tx *session) (bool, error) {
		n = 0
		noted, err := getMeta(ctx, tx, keyContextRecipe)
		if err != nil || noted == "" {
			return false, err
		}
		var name string
		if _, err := fmt.Sscanf(noted, "%d %q", &n, &name); err != nil {
			return false, fmt.Errorf("the ledger's recipe of contexts cannot be read: %w", err)
		}
		return name == recipe, nil
	}
	is := false
	if err := s.read(ctx, func(tx *session) (err error) { is, err = known(tx); return err }); err != nil || is {
		return n, err
	}
	err = s.write(ctx, func(tx *session) error {
		if is, err := known(tx); err != nil || is {
			return err
		}
		n++
		return setMeta(ctx, tx, keyContextRecipe, fmt.Sprintf("%d %q", n, recipe))
	})
	return n, err
}

// NextWithoutContexts lists documents that lack their contexts, at most limit of them,
// behind the one given.
func (s *Store) NextWithoutContexts(ctx context.Context, recipe int64, after core.UnplacedDocument, limit int) (out []core.UnplacedDocument, err error) {
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT contexts, n, generation, EXISTS (SELECT 1 FROM passages WHERE document = n AND ordinal = 1)
			FROM documents WHERE contexts < ? AND (contexts, n) > (?, ?) ORDER BY contexts, n LIMIT ?`, recipe, after.Recipe, after.Row, limit)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var d core.UnplacedDocument
			err := rows.Scan(&d.Recipe, &d.Row, &d.Generation, &d.Several)
			out = append(out, d)
			return err
		})
	})
	return out, err
}

// ContextDocument reads a document for its contexts. The error is of kind not_found if
// it is gone.
func (s *Store) ContextDocument(ctx context.Context, row int64) (core.ContextDocument, error) {
	d := core.ContextDocument{Row: row}
	err := s.read(ctx, func(tx *session) error {
		err := tx.QueryRowContext(ctx, `SELECT id, generation, title FROM documents WHERE n = ?`, row).Scan(&d.ID, &d.Generation, &d.Title)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.KindNotFound, "There is no document number %d in the ledger.", row)
		}
		if err != nil {
			return err
		}
		d.Passages, err = wholePassages(ctx, tx, row)
		return err
	})
	return d, err
}

func wholePassages(ctx context.Context, tx *session, document int64) (out []core.Passage, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT ordinal, heading, page, anchor, text, context FROM passages
		WHERE document = ? ORDER BY ordinal`, document)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Passage
		err := rows.Scan(&p.Ordinal, &p.Heading, &p.Page, &p.Anchor, &p.Text, &p.Context)
		out = append(out, p)
		return err
	})
	return out, err
}

// Contexts returns those of the keys that a model has answered or refused.
func (s *Store) Contexts(ctx context.Context, keys []core.Hash) (map[core.Hash]core.PassageContext, error) {
	out := map[core.Hash]core.PassageContext{}
	err := s.read(ctx, func(tx *session) error {
		for _, k := range keys {
			c := core.PassageContext{Key: k}
			err := tx.QueryRowContext(ctx, `SELECT text, reason FROM passage_contexts WHERE hash = ?`, k[:]).Scan(&c.Text, &c.Reason)
			switch {
			case err == nil:
				out[k] = c
			case !errors.Is(err, sql.ErrNoRows):
				return err
			}
		}
		return nil
	})
	return out, err
}

// PutContext keeps what a model said of a passage of the document with the row number.
// Of a document that is gone nothing is kept.
func (s *Store) PutContext(ctx context.Context, row int64, c core.PassageContext) error {
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO passage_contexts (hash, document, text, reason)
			SELECT ?, n, ?, ? FROM documents WHERE n = ?
			ON CONFLICT (hash) DO UPDATE SET text = excluded.text, reason = excluded.reason`, c.Key[:], c.Text, c.Reason, row)
		return err
	})
}

// SetContexts gives documents their contexts. One whose content changed since it was
// read is passed over. Where a context changes, all passages of the document get new
// numbers and the index takes them again: what was indexed and embedded of a passage
// never changes under the same number.
func (s *Store) SetContexts(ctx context.Context, recipe int64, documents []core.PlacedDocument) error {
	return s.write(ctx, func(tx *session) error {
		for _, d := range documents {
			if err := setContexts(ctx, tx, recipe, d); err != nil {
				return err
			}
		}
		return nil
	})
}

func setContexts(ctx context.Context, tx *session, recipe int64, d core.PlacedDocument) error {
	res, err := tx.ExecContext(ctx, `UPDATE documents SET contexts = ? WHERE n = ? AND generation = ?`, recipe, d.Row, d.Generation)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	passages, err := wholePassages(ctx, tx, d.Row)
	if err != nil {
		return err
	}
	keys, changed := make([]string, len(d.Contexts)), false
	for i := range passages {
		text := ""
		if i < len(d.Contexts) {
			text, keys[i] = d.Contexts[i].Text, hex.EncodeToString(d.Contexts[i].Key[:])
		}
		changed = changed || passages[i].Context != text
		passages[i].Context = text
	}
	if changed {
		if err := replacePassages(ctx, tx, d.Row, passages); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE documents SET generation = generation + 1 WHERE n = ?`, d.Row); err != nil {
			return err
		}
	}
	list, err := asJSON(keys)
	if err != nil {
		return err
	}
	// What was said of an older version is of no use any more.
	_, err = tx.ExecContext(ctx, `DELETE FROM passage_contexts WHERE document = ?
		AND lower(hex(hash)) NOT IN (SELECT value FROM json_each(?))`, d.Row, list)
	return err
}

// ForgetContexts takes the contexts from up to limit documents and tells whether there
// may be more. What the model said is kept.
func (s *Store) ForgetContexts(ctx context.Context, limit int) (more bool, err error) {
	var rows []int64
	err = s.read(ctx, func(tx *session) error {
		found, err := tx.QueryContext(ctx, `SELECT n FROM documents WHERE contexts > 0 ORDER BY contexts, n LIMIT ?`, limit)
		return scanAll(found, err, func(r *sql.Rows) error {
			var n int64
			err := r.Scan(&n)
			rows = append(rows, n)
			return err
		})
	})
	if err != nil || len(rows) == 0 {
		return false, err
	}
	return len(rows) == limit, s.write(ctx, func(tx *session) error {
		for _, n := range rows {
			if err := forgetContexts(ctx, tx, n); err != nil {
				return err
			}
		}
		return nil
	})
}

func forgetContexts(ctx context.Context, tx *session, document int64) error {
	passages, err := wholePassages(ctx, tx, document)
	if err != nil {
		return err
	}
	had := int64(0)
	for i := range passages {
		if passages[i].Context != "" {
			had, passages[i].Context = 1, ""
		}
	}
	if had == 1 {
		if err := replacePassages(ctx, tx, document, passages); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE documents SET contexts = 0, generation = generation + ? WHERE n = ?`, had, document)
	return err
}
