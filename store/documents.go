package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

const selectDocuments = `SELECT d.n, d.id, d.source, d.title, d.url, d.kind, d.media_type, d.authors,
	d.created, d.updated, d.meta, d.files, d.folders, d.hidden, d.language,
	d.host_access, d.untold, s.access_checked, s.max_age, s.discretion
	FROM documents d JOIN sources s ON s.name = d.source `

// Document finds a document by id, without its body, whoever may read it: for
// the owner's commands only. Its access is as it was told, also where that is
// stale. The error is of kind not_found if there is none.
func (s *Store) Document(ctx context.Context, id string) (core.Document, error) {
	var doc core.Document
	err := s.read(ctx, func(tx *session) error {
		n, found, _, err := scanDocument(tx.QueryRowContext(ctx, selectDocuments+`WHERE d.id = ?`, id).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.KindNotFound, "There is no document %q in the ledger.", id)
		}
		if err != nil {
			return err
		}
		list, err := asJSON([]int64{n})
		if err != nil {
			return err
		}
		access, err := accessOf(ctx, tx, list)
		doc, doc.Access = found, access[n]
		return err
	})
	return doc, err
}

func scanDocument(scan func(...any) error) (int64, core.Document, told, error) {
	var n int64
	var d core.Document
	var created, updated sql.NullInt64
	var how told
	err := scan(&n, &d.ID, &d.Source, &d.Title, &d.URL, &d.Kind, &d.MediaType, jsonColumn{&d.Authors},
		&created, &updated, jsonColumn{&d.Meta}, jsonColumn{&d.Files}, jsonColumn{&d.Folders}, &d.Hidden, &d.Language,
		&how.host, &how.untold, &how.checked, &how.maxAge, &d.Discretion)
	d.ExternalID = externalID(d.Source, d.ID)
	d.Created, d.Updated = fromMicros(created), fromMicros(updated)
	if len(d.Folders) == 0 {
		d.Folders = nil
	}
	return n, d, how, err
}

func externalID(source, id string) string { return strings.TrimPrefix(id, source+"/") }

// documentIDs turns a source's external ids into a JSON list of document ids.
func documentIDs(source string, external []string) (string, error) {
	ids := make([]string, len(external))
	for i, x := range external {
		ids[i] = core.DocumentID(source, x)
	}
	return asJSON(ids)
}

// updateFacts writes everything about a stored document but its content. A
// document that is gone meanwhile is left alone.
func updateFacts(ctx context.Context, tx *session, source core.Source, e core.Entry) error {
	row, err := newRow(e)
	if err != nil {
		return err
	}
	var n int64
	err = tx.QueryRowContext(ctx, `UPDATE documents SET url = ?1, kind = ?2, authors = ?3, created = ?4, updated = ?5,
			meta = ?6, folders = ?7, stated_hidden = ?8, hidden = `+hiddenOr(`?8`, `?11`)+`, host_access = ?9, untold = NULL, facts_hash = ?10,
			facts_generation = facts_generation + 1
		WHERE id = ?11 RETURNING n`,
		e.Document.URL, e.Document.Kind, row.authors, row.created, row.updated,
		row.meta, row.folders, e.Document.Hidden, e.HostAccess, e.Facts[:], e.Document.ID).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return replaceAccess(ctx, tx, n, source, e)
}

// putDocument writes a whole document with its passages, in place of the
// version before it.
func putDocument(ctx context.Context, tx *session, source core.Source, e core.Entry) error {
	d := e.Document
	row, err := newRow(e)
	if err != nil {
		return err
	}
	var n int64
	err = tx.QueryRowContext(ctx, `INSERT INTO documents (id, source, title, url, kind, media_type, authors,
			created, updated, meta, files, folders, stated_hidden, hidden, language, host_access, content_hash, facts_hash)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, `+hiddenOr(`?13`, `?1`)+`, ?14, ?15, ?16, ?17)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, url = excluded.url, kind = excluded.kind,
			media_type = excluded.media_type, authors = excluded.authors, created = excluded.created,
			updated = excluded.updated, meta = excluded.meta, files = excluded.files, folders = excluded.folders,
			stated_hidden = excluded.stated_hidden, hidden = excluded.hidden, language = excluded.language, host_access = excluded.host_access, untold = NULL,
			content_hash = excluded.content_hash, contexts = 0,
			facts_hash = excluded.facts_hash, generation = generation + 1,
			facts_generation = facts_generation + (facts_hash <> excluded.facts_hash)
		RETURNING n`,
		d.ID, d.Source, d.Title, d.URL, d.Kind, d.MediaType, row.authors, row.created, row.updated, row.meta,
		row.files, row.folders, d.Hidden, d.Language, e.HostAccess, e.Content[:], e.Facts[:]).Scan(&n)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM tombstones WHERE document = ?`, d.ID); err != nil {
		return err
	}
	if err := replaceAccess(ctx, tx, n, source, e); err != nil {
		return err
	}
	return replacePassages(ctx, tx, n, e.Passages)
}

// hiddenOr is whether a document is hidden: its source says so, or a curator does.
func hiddenOr(stated, id string) string {
	return `(` + stated + ` OR EXISTS (SELECT 1 FROM hidden_documents WHERE document = ` + id + `))`
}

// row is the part of a document that needs turning before it fits its columns.
type row struct {
	authors, meta, files, folders string
	created, updated              sql.NullInt64
}

func newRow(e core.Entry) (row, error) {
	authors, err1 := asJSON(e.Document.Authors)
	meta, err2 := asJSON(e.Document.Meta)
	files, err3 := asJSON(e.Document.Files)
	folders, err4 := asJSON(listOf(e.Document.Folders))
	return row{authors, meta, files, folders, micros(e.Document.Created), micros(e.Document.Updated)},
		errors.Join(err1, err2, err3, err4)
}

func replaceAccess(ctx context.Context, tx *session, n int64, source core.Source, e core.Entry) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM access WHERE document = ?`, n); err != nil {
		return err
	}
	access := source.Access
	if !e.HostAccess {
		access = core.NewAccess(e.Document.Access...)
	}
	for _, p := range access {
		if _, err := tx.ExecContext(ctx, `INSERT INTO access (document, principal) VALUES (?, ?)`, n, string(p)); err != nil {
			return err
		}
	}
	return nil
}

// removeDocuments deletes documents and leaves tombstones for the index.
func removeDocuments(ctx context.Context, tx *session, source string, external []string) error {
	if len(external) == 0 {
		return nil
	}
	ids, err := documentIDs(source, external)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`INSERT OR IGNORE INTO tombstones (document)
			SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))`,
		`DELETE FROM documents WHERE id IN (SELECT value FROM json_each(?))`,
	} {
		if _, err := tx.ExecContext(ctx, statement, ids); err != nil {
			return err
		}
	}
	return forgetFailures(ctx, tx, source, external)
}
