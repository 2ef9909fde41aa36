package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// How many documents of a source are looked at, first a few and then more at a time,
// before it counts as one that holds nothing.
const (
	firstLook  = 16
	laterLooks = 512
	mostLooked = 4 * laterLooks
)

// SourceHolds tells whether the filter allows one of a source's documents as things
// are now. It looks at about two thousand at most: of a source of which all these are
// closed it says false, which costs a search its scope and tells nobody anything.
func (s *Store) SourceHolds(ctx context.Context, f core.Filter, source string) (holds bool, err error) {
	err = s.read(ctx, func(tx *session) error {
		last, size := "", firstLook
		for seen := 0; seen < mostLooked && !holds; size = laterLooks {
			var numbers []int64
			rows, err := tx.QueryContext(ctx, `SELECT n, id FROM documents WHERE source = ? AND id > ? ORDER BY id LIMIT ?`, source, last, size)
			if err := scanAll(rows, err, func(rows *sql.Rows) error {
				var n int64
				err := rows.Scan(&n, &last)
				numbers = append(numbers, n)
				return err
			}); err != nil || len(numbers) == 0 {
				return err
			}
			found, err := s.documentsNow(ctx, tx, numbers, f.Allows)
			if err != nil {
				return err
			}
			holds, seen = len(found) > 0, seen+len(numbers)
		}
		return nil
	})
	return holds, err
}
