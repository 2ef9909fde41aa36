package store

import (
	"context"
	"database/sql"

	"github.com/footnote-bot/footnote/core"
)

// factsPage is how many documents' facts are handed over at a time.
const factsPage = 4096

// Facts calls each with the facts of all documents, a page at a time, all of
// one instant.
func (s *Store) Facts(ctx context.Context, each func([]core.Facts) error) error {
	return s.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT d.n, d.id, d.source, d.hidden, coalesce(a.principal, '')
			FROM documents d LEFT JOIN access a ON a.document = d.n ORDER BY d.n`)
		if err != nil {
			return err
		}
		defer rows.Close()
		return pageFacts(rows, each)
	})
}

func pageFacts(rows *sql.Rows, each func([]core.Facts) error) error {
	page := make([]core.Facts, 0, factsPage)
	last := int64(-1)
	for rows.Next() {
		var n int64
		var f core.Facts
		var p core.Principal
		if err := rows.Scan(&n, &f.Document, &f.Source, &f.Hidden, &p); err != nil {
			return err
		}
		if n != last {
			if len(page) == factsPage {
				if err := each(page); err != nil {
					return err
				}
				page = make([]core.Facts, 0, factsPage)
			}
			page, last = append(page, f), n
		}
		if p != "" {
			facts := &page[len(page)-1]
			facts.Access = append(facts.Access, p)
		}
	}
	if err := rows.Err(); err != nil || len(page) == 0 {
		return err
	}
	return each(page)
}

// setHostAccess gives the access to all documents that leave it to the source.
func setHostAccess(ctx context.Context, tx *sql.Tx, source string, access core.Access) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM access WHERE document IN
		(SELECT n FROM documents WHERE source = ? AND host_access)`, source); err != nil {
		return err
	}
	for _, p := range access {
		if _, err := tx.ExecContext(ctx, `INSERT INTO access (document, principal)
			SELECT n, ? FROM documents WHERE source = ? AND host_access`, string(p), source); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE documents SET facts_generation = facts_generation + 1
		WHERE source = ? AND host_access`, source)
	return err
}

// accessOf reads the access of documents by row number, given as a JSON list.
func accessOf(ctx context.Context, tx *sql.Tx, documents string) (map[int64]core.Access, error) {
	out := map[int64]core.Access{}
	rows, err := tx.QueryContext(ctx, `SELECT document, principal FROM access
		WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, principal`, documents)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var n int64
		var p core.Principal
		if err := rows.Scan(&n, &p); err != nil {
			return err
		}
		out[n] = append(out[n], p)
		return nil
	})
	return out, err
}
