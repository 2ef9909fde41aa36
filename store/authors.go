package store

import (
	"context"
	"database/sql"
	"strings"
)

// AuthoredBy lists the ids of documents of which one of the names is an author,
// whatever its case and whoever may read them: at most so many, in the order in
// which they came. An author that states an address beside the name, as in
// "Ann <ann@example.com>", goes by either.
func (s *Store) AuthoredBy(ctx context.Context, names []string, most int) ([]string, error) {
	want := map[string]bool{}
	for _, n := range names {
		if n = foldedName(n); n != "" {
			want[n] = true
		}
	}
	if len(want) == 0 {
		return nil, nil
	}
	var out []string
	err := s.read(ctx, func(tx *session) error {
		var lists []string
		rows, err := tx.QueryContext(ctx, `SELECT DISTINCT authors FROM documents WHERE authors NOT IN ('[]', 'null')`)
		err = scanAll(rows, err, func(rows *sql.Rows) error {
			var text string
			var authors []string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			err := jsonColumn{&authors}.Scan(text)
			for _, a := range authors {
				if isOne(want, a) {
					lists = append(lists, text)
					break
				}
			}
			return err
		})
		if err != nil || len(lists) == 0 {
			return err
		}
		list, err := asJSON(lists)
		if err != nil {
			return err
		}
		rows, err = tx.QueryContext(ctx, `SELECT id FROM documents WHERE authors IN (SELECT value FROM json_each(?)) ORDER BY n LIMIT ?`, list, most)
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			out = append(out, id)
			return err
		})
	})
	return out, err
}

// isOne tells whether an author, as a document states it, is one of the names.
func isOne(want map[string]bool, author string) bool {
	if want[foldedName(author)] {
		return true
	}
	name, address, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(author), ">"), "<")
	return ok && (want[foldedName(name)] && foldedName(name) != "" || want[foldedName(address)])
}

func foldedName(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.TrimPrefix(s, "@")), " "))
}
