package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/footnote-bot/footnote/core"
)

// CountDocuments counts the documents that a filter allows by what is stated of
// them. It is for the owner's commands: it looks at every document.
func (s *Store) CountDocuments(ctx context.Context, f core.Filter) (n int, err error) {
	err = s.Facts(ctx, func(page []core.Facts) error {
		for _, d := range page {
			if f.Allows(d) {
				n++
			}
		}
		return nil
	})
	return n, err
}

// AnyReadable tells whether the filter lets out any document of the collection
// as things are now. It stops at the first; where there is none it looks at every
// document of the collection's sources.
func (s *Store) AnyReadable(ctx context.Context, f core.Filter, c core.Collection) (some bool, err error) {
	f.Collections = []core.Collection{c}
	sources, err := asJSON(listOf(c.Sources))
	if err != nil || c.Empty() {
		return false, err
	}
	err = s.read(ctx, func(tx *session) error {
		for last, more := int64(0), true; more && !some; {
			numbers, err := numbersAfter(ctx, tx, sources, last)
			if err != nil || len(numbers) == 0 {
				return err
			}
			found, err := s.documentsNow(ctx, tx, numbers, f.Allows)
			if err != nil {
				return err
			}
			some, last, more = len(found) > 0, numbers[len(numbers)-1], len(numbers) == readablePage
		}
		return nil
	})
	return some, err
}

// readablePage is how many documents AnyReadable looks at at a time.
const readablePage = 512

func numbersAfter(ctx context.Context, tx *session, sources string, last int64) ([]int64, error) {
	var out []int64
	rows, err := tx.QueryContext(ctx, `SELECT n FROM documents WHERE n > ?2
		AND (?1 = '[]' OR source IN (SELECT value FROM json_each(?1))) ORDER BY n LIMIT ?3`, sources, last, readablePage)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		out = append(out, n)
		return err
	})
	return out, err
}

// DocumentNow finds a document as Document does, with the access that counts now:
// where it is stale, only what still does.
func (s *Store) DocumentNow(ctx context.Context, id string) (core.Document, error) {
	var out core.Document
	err := s.read(ctx, func(tx *session) error {
		var n int64
		err := tx.QueryRowContext(ctx, `SELECT n FROM documents WHERE id = ?`, id).Scan(&n)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.KindNotFound, "There is no document %q in the ledger.", id)
		}
		if err != nil {
			return err
		}
		found, err := s.documentsNow(ctx, tx, []int64{n}, func(core.Facts) bool { return true })
		out = found[n]
		return err
	})
	return out, err
}
