package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// Visible returns the passages with the ids, in the order of the ids, that
// exist and that the filter allows on the rows as they are now. All is read in
// one transaction. The documents' bodies are empty, and of access that is stale
// only what still counts is left (see core.Source.MaxAge).
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
	err := s.asked(ctx, func(tx *session) error {
		passages, rows, err := selectPassages(ctx, tx, where, args)
		if err != nil || len(rows) == 0 {
			return err
		}
		documents, err := s.documentsNow(ctx, tx, rows, f.Allows)
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

// Readable tells which of the documents with the ids exist, are not hidden and
// may be read by the filter's access clause as things are now; all others are
// absent. What narrows the filter does not count. All is read in one
// transaction, for thousands of ids as well.
func (s *Store) Readable(ctx context.Context, f core.Filter, documents []string) (map[string]bool, error) {
	out := make(map[string]bool, len(documents))
	list, err := asJSON(documents)
	if err != nil || len(documents) == 0 {
		return out, err
	}
	err = s.asked(ctx, func(tx *session) error {
		var numbers []int64
		rows, err := tx.QueryContext(ctx, `SELECT n FROM documents WHERE id IN (SELECT value FROM json_each(?))`, list)
		if err := scanAll(rows, err, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			numbers = append(numbers, n)
			return err
		}); err != nil {
			return err
		}
		found, err := s.documentsNow(ctx, tx, numbers, func(d core.Facts) bool { return !d.Hidden && f.Readable(d) })
		for _, d := range found {
			out[d.ID] = true
		}
		return err
	})
	return out, err
}

// documentsNow reads the documents among the rows that are allowed by their
// facts, with the access that counts now.
func (s *Store) documentsNow(ctx context.Context, tx *session, numbers []int64, allows func(core.Facts) bool) (map[int64]core.Document, error) {
	list, err := asJSON(numbers)
	if err != nil {
		return nil, err
	}
	access, err := accessOf(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	out := map[int64]core.Document{}
	rows, err := tx.QueryContext(ctx, selectDocuments+`WHERE d.n IN (SELECT value FROM json_each(?))`, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		n, d, how, err := scanDocument(rows.Scan)
		if err != nil {
			return err
		}
		if d.Access = how.effective(access[n], now); allows(d.Facts()) {
			out[n] = d
		}
		return nil
	})
	return out, err
}
