package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/footnote-bot/footnote/core"
)

// factsAtOnce is how many deletions, and how many documents' facts, a backlog holds.
const factsAtOnce = 4096

// Backlog returns what the index has not confirmed yet: all deletions and facts
// up to a page, and content up to limit documents or limitBytes of text (one
// document at least). It is read at one instant.
func (s *Store) Backlog(ctx context.Context, limit, limitBytes int) (core.Backlog, error) {
	var out core.Backlog
	err := s.read(ctx, func(tx *session) error {
		if err := backlogDeleted(ctx, tx, &out); err != nil {
			return err
		}
		if err := backlogFacts(ctx, tx, &out); err != nil {
			return err
		}
		return backlogContent(ctx, tx, &out, limit, limitBytes)
	})
	return out, err
}

// Confirm notes that the index holds what the backlog showed. Versions that
// came into the ledger since stay in the next backlog.
func (s *Store) Confirm(ctx context.Context, b core.Backlog) error {
	deleted, err := asJSON(b.Deleted)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM tombstones
			WHERE document IN (SELECT value FROM json_each(?))`, deleted); err != nil {
			return err
		}
		for _, m := range b.Marks {
			if _, err := tx.ExecContext(ctx, `UPDATE documents SET indexed = max(indexed, ?),
				facts_indexed = max(facts_indexed, ?) WHERE n = ?`, m.Content, m.Facts, m.Row); err != nil {
				return err
			}
		}
		return nil
	})
}

func backlogDeleted(ctx context.Context, tx *session, out *core.Backlog) error {
	rows, err := tx.QueryContext(ctx, `SELECT document FROM tombstones LIMIT ?`, factsAtOnce)
	return scanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		out.Deleted = append(out.Deleted, id)
		return err
	})
}

func backlogFacts(ctx context.Context, tx *session, out *core.Backlog) error {
	rows, err := tx.QueryContext(ctx, `SELECT n, facts_generation, `+factsColumns+` FROM documents
		WHERE facts_indexed < facts_generation ORDER BY n LIMIT ?`, factsAtOnce)
	var numbers []int64
	reader := newFactsReader()
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var m core.Mark
		f, err := reader.scan(rows, &m.Row, &m.Facts)
		out.Facts, out.Marks = append(out.Facts, f), append(out.Marks, m)
		numbers = append(numbers, m.Row)
		return err
	})
	if err != nil || len(numbers) == 0 {
		return err
	}
	list, err := asJSON(numbers)
	if err != nil {
		return err
	}
	access, err := accessOf(ctx, tx, list)
	for i, n := range numbers {
		out.Facts[i].Access = access[n]
	}
	return err
}

func backlogContent(ctx context.Context, tx *session, out *core.Backlog, limit, limitBytes int) error {
	rows, err := tx.QueryContext(ctx, `SELECT n, generation, facts_generation, title, language, `+factsColumns+`
		FROM documents WHERE indexed < generation ORDER BY n LIMIT ?`, limit)
	var documents []core.IndexedDocument
	var marks []core.Mark
	reader := newFactsReader()
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var m core.Mark
		var d core.IndexedDocument
		var err error
		d.Facts, err = reader.scan(rows, &m.Row, &m.Content, &m.Facts, &d.Title, &d.Language)
		documents, marks = append(documents, d), append(marks, m)
		return err
	})
	if err != nil || len(documents) == 0 {
		return err
	}
	numbers := make([]int64, len(marks))
	for i, m := range marks {
		numbers[i] = m.Row
	}
	list, err := asJSON(numbers)
	if err != nil {
		return err
	}
	n, err := backlogPassages(ctx, tx, list, documents, marks, limitBytes)
	if err != nil {
		return err
	}
	documents, marks = documents[:n], marks[:n]
	access, err := accessOf(ctx, tx, list)
	for i, m := range marks {
		documents[i].Facts.Access = access[m.Row]
	}
	out.Content, out.Marks = documents, append(out.Marks, marks...)
	return err
}

// errFull ends the reading of passages.
var errFull = errors.New("enough text")

// backlogPassages reads the passages of documents in the order of their rows, until
// there is enough text, and tells how many documents have all of theirs.
func backlogPassages(ctx context.Context, tx *session, list string, documents []core.IndexedDocument, marks []core.Mark, limitBytes int) (int, error) {
	at, size := 0, 0
	rows, err := tx.QueryContext(ctx, `SELECT document, id, ordinal, heading, page, text, context FROM passages
		WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, ordinal`, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var n int64
		var p core.Passage
		if err := rows.Scan(&n, &p.ID, &p.Ordinal, &p.Heading, &p.Page, &p.Text, &p.Context); err != nil {
			return err
		}
		for marks[at].Row != n {
			if at++; size >= limitBytes {
				return errFull
			}
		}
		d := &documents[at]
		p.Document = d.Facts.Document
		d.Passages = append(d.Passages, p)
		size += len(p.Text)
		return nil
	})
	if errors.Is(err, errFull) {
		return at, nil
	}
	return len(documents), err
}
