package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Visible returns the passages with the ids, in the order of the ids, that
// exist and that the filter allows on the rows as they are now. All is read in
// one transaction. The documents' bodies are empty, and of access that is stale
// only what still counts is left (see core.Source.MaxAge).
func (s *Store) Visible(ctx context.Context, f core.Filter, ids []core.PassageID) ([]core.Result, error) {
	out := make([]core.Result, 0, len(ids))
	err := s.visible(ctx, f, passagesByID, ids, func(_ int, r core.Result) { out = append(out, r) })
	return out, err
}

// Around returns the passages of each window, in the order of the windows and by
// ordinal; none of a document that does not exist or that the filter does not allow
// as it is now. All is read in one transaction, whatever the number of windows.
func (s *Store) Around(ctx context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error) {
	out := make([][]core.Result, len(windows))
	list := make([][3]any, len(windows))
	for i, w := range windows {
		list[i] = [3]any{w.Document, w.From, w.To}
	}
	err := s.visible(ctx, f, passagesByWindow, list, func(i int, r core.Result) { out[i] = append(out[i], r) })
	return out, err
}

// visible reads the passages that the query finds for each entry of the list, and
// tells of those whose documents the filter allows, in the order of the list.
func (s *Store) visible(ctx context.Context, f core.Filter, query string, list any, tell func(entry int, r core.Result)) error {
	wanted, err := asJSON(list)
	if err != nil || wanted == "[]" || wanted == "null" {
		return err
	}
	return s.asked(ctx, func(tx *session) error {
		passages, err := selectPassages(ctx, tx, query, wanted)
		if err != nil || len(passages) == 0 {
			return err
		}
		numbers := make([]int64, len(passages))
		for i, p := range passages {
			numbers[i] = p.document
		}
		documents, err := s.documentsNow(ctx, tx, numbers, f.Allows)
		if err != nil {
			return err
		}
		for _, p := range passages {
			if d, ok := documents[p.document]; ok {
				p.Document = d.ID
				tell(p.entry, core.Result{Document: d, Passage: p.Passage})
			}
		}
		return nil
	})
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
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	list, err := asJSON(slices.Compact(numbers))
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
