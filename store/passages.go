package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// Visible returns the passages with the ids, in the order of the ids, that
// exist and that the filter allows on the rows as they are now. All is read in
// one transaction. The documents' bodies are empty.
func (s *Store) Visible(ctx context.Context, f core.Filter, ids []core.PassageID) ([]core.Result, error) {
	list, err := asJSON(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	found, err := s.visible(ctx, f, `id IN (SELECT value FROM json_each(?))`, list)
	if err != nil {
		return nil, err
	}
	byID := make(map[core.PassageID]core.Result, len(found))
	for _, r := range found {
		byID[r.Passage.ID] = r
	}
	out := make([]core.Result, 0, len(found))
	for _, id := range ids {
		if r, ok := byID[id]; ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// Around returns the passages of a document whose ordinals lie in from..to,
// both included, in that order, if the filter allows the document as it is now.
func (s *Store) Around(ctx context.Context, f core.Filter, document string, from, to int) ([]core.Result, error) {
	return s.visible(ctx, f, `document = (SELECT n FROM documents WHERE id = ?) AND ordinal BETWEEN ? AND ?`, document, from, to)
}

func (s *Store) visible(ctx context.Context, f core.Filter, where string, args ...any) ([]core.Result, error) {
	var out []core.Result
	err := s.read(ctx, func(tx *session) error {
		passages, rows, err := selectPassages(ctx, tx, where, args)
		if err != nil || len(rows) == 0 {
			return err
		}
		documents, err := allowedDocuments(ctx, tx, f, rows)
		if err != nil {
			return err
		}
		for i, p := range passages {
			if d, ok := documents[rows[i]]; ok {
				p.Document = d.ID
				out = append(out, core.Result{Document: d, Passage: p})
			}
		}
		return nil
	})
	return out, err
}

// selectPassages also returns the row number of each passage's document.
func selectPassages(ctx context.Context, tx *session, where string, args []any) (out []core.Passage, documents []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, document, ordinal, heading, page, anchor, text
		FROM passages WHERE `+where+` ORDER BY document, ordinal`, args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Passage
		var n int64
		if err := rows.Scan(&p.ID, &n, &p.Ordinal, &p.Heading, &p.Page, &p.Anchor, &p.Text); err != nil {
			return err
		}
		out, documents = append(out, p), append(documents, n)
		return nil
	})
	return out, documents, err
}

// allowedDocuments reads the documents among the rows that the filter allows.
func allowedDocuments(ctx context.Context, tx *session, f core.Filter, numbers []int64) (map[int64]core.Document, error) {
	list, err := asJSON(numbers)
	if err != nil {
		return nil, err
	}
	access, err := accessOf(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	out := map[int64]core.Document{}
	rows, err := tx.QueryContext(ctx, `SELECT `+documentColumns+` FROM documents d
		WHERE d.n IN (SELECT value FROM json_each(?))`, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		n, d, err := scanDocument(rows.Scan)
		if err != nil {
			return err
		}
		d.Access = access[n]
		if f.Allows(core.Facts{Document: d.ID, Source: d.Source, Access: d.Access, Hidden: d.Hidden}) {
			out[n] = d
		}
		return nil
	})
	return out, err
}

func replacePassages(ctx context.Context, tx *session, document int64, passages []core.Passage) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM passages WHERE document = ?`, document); err != nil {
		return err
	}
	for _, p := range passages {
		if _, err := tx.ExecContext(ctx, `INSERT INTO passages (document, ordinal, heading, page, anchor, text)
			VALUES (?, ?, ?, ?, ?, ?)`, document, p.Ordinal, p.Heading, p.Page, p.Anchor, p.Text); err != nil {
			return err
		}
	}
	return nil
}
