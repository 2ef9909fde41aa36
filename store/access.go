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
	return s.read(ctx, func(tx *session) error {
		documents, err := tx.QueryContext(ctx, `SELECT n, id, source, hidden FROM documents ORDER BY n`)
		if err != nil {
			return err
		}
		defer documents.Close()
		access, err := tx.QueryContext(ctx, `SELECT document, principal FROM access ORDER BY document, principal`)
		if err != nil {
			return err
		}
		defer access.Close()
		return pageFacts(documents, &grants{rows: access, names: map[string]core.Principal{}}, each)
	})
}

// pageFacts merges the two by row number: at start every document passes here,
// and a join would look each of them up.
func pageFacts(documents *sql.Rows, access *grants, each func([]core.Facts) error) error {
	var page []core.Facts
	for documents.Next() {
		var n int64
		var f core.Facts
		if err := documents.Scan(&n, &f.Document, &f.Source, &f.Hidden); err != nil {
			return err
		}
		var err error
		if f.Access, err = access.of(n); err != nil {
			return err
		}
		if page = append(page, f); len(page) == factsPage {
			if err := each(page); err != nil {
				return err
			}
			page = nil
		}
	}
	if err := documents.Err(); err != nil || len(page) == 0 {
		return err
	}
	return each(page)
}

// grants reads the access table in step with the documents.
type grants struct {
	rows  *sql.Rows
	next  int64 // document of the row that was read last; 0 before the first
	name  core.Principal
	names map[string]core.Principal // one copy of each, however many documents it reads
}

func (g *grants) of(n int64) (core.Access, error) {
	var out core.Access
	for {
		if g.next == n {
			out = append(out, g.name)
		}
		if g.next > n || !g.rows.Next() {
			return out, g.rows.Err()
		}
		var name sql.RawBytes
		if err := g.rows.Scan(&g.next, &name); err != nil {
			return nil, err
		}
		p, ok := g.names[string(name)]
		if !ok {
			p = core.Principal(name)
			g.names[string(name)] = p
		}
		g.name = p
	}
}

// setHostAccess gives the access to all documents that leave it to the source.
func setHostAccess(ctx context.Context, tx *session, source string, access core.Access) error {
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
func accessOf(ctx context.Context, tx *session, documents string) (map[int64]core.Access, error) {
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
