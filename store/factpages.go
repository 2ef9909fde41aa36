package store

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/footnote-bot/footnote/core"
)

// A page of facts covers the documents whose row numbers differ in these bits only.
// The triggers on documents and access know the number too.
const pageBits = 10

// fewPages may be missing before RenewFacts makes any: as many cost a start some
// hundredths of a second, and making them after each small sync would cost more.
const fewPages = 8

// FactPage are the facts of some documents that follow each other.
type FactPage struct {
	packed []byte
	facts  []core.Facts // where it is not packed
}

// Unpack appends the page's facts.
func (p FactPage) Unpack(into []core.Facts) ([]core.Facts, error) {
	if p.packed == nil {
		return append(into, p.facts...), nil
	}
	return unpackFacts(p.packed, into)
}

// Facts calls each with the facts of all documents, a page at a time, all of
// one instant. Access is as it was told: that it is stale only the gate knows. A page
// is each's for the length of the call.
func (s *Store) Facts(ctx context.Context, each func([]core.Facts) error) error {
	var facts []core.Facts
	return s.FactPages(ctx, func(p FactPage) (err error) {
		if facts, err = p.Unpack(facts[:0]); err != nil {
			return err
		}
		return each(facts)
	})
}

// FactPages is Facts for those who unpack them elsewhere.
func (s *Store) FactPages(ctx context.Context, each func(FactPage) error) error {
	var damaged []int64
	err := s.read(ctx, func(tx *session) (err error) {
		damaged, err = eachPage(ctx, tx, each)
		return err
	})
	if err != nil || len(damaged) == 0 {
		return err
	}
	err = s.dropPages(ctx, damaged) // or they are found again at the next start
	s.log.WarnContext(ctx, "pages of facts cannot be read; they were read from the documents and are made again", "pages", len(damaged), "error", err)
	return nil
}

// eachPage reads rows only where there is no page for them, or one that is not sound.
func eachPage(ctx context.Context, tx *session, each func(FactPage) error) (damaged []int64, err error) {
	unpacked := func(facts []core.Facts) error { return each(FactPage{facts: facts}) }
	pages, err := tx.QueryContext(ctx, `SELECT page, facts FROM fact_pages ORDER BY page`)
	next := int64(0) // the first row that was not read yet
	err = scanAll(pages, err, func(rows *sql.Rows) error {
		var page int64
		var packed []byte
		if err := rows.Scan(&page, &packed); err != nil {
			return err
		}
		if !soundPage(packed) {
			damaged = append(damaged, page)
			return nil
		}
		if err := factsOfRows(ctx, tx, next, page<<pageBits, unpacked); err != nil {
			return err
		}
		next = (page + 1) << pageBits
		return each(FactPage{packed: packed})
	})
	if err != nil {
		return damaged, err
	}
	return damaged, factsOfRows(ctx, tx, next, math.MaxInt64, unpacked)
}

func (s *Store) dropPages(ctx context.Context, pages []int64) error {
	list, err := asJSON(pages)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *session) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM fact_pages WHERE page IN (SELECT value FROM json_each(?))`, list)
		return err
	})
}

// RenewFacts makes the pages that are missing, unless they are few: a start reads the
// facts of 100,000 documents in a tenth of the time from them. Each is made in a
// transaction of its own, so that others write in between.
func (s *Store) RenewFacts(ctx context.Context) error {
	missing, err := s.missingPages(ctx)
	if err != nil || len(missing) <= fewPages {
		return err
	}
	for _, page := range missing {
		if err := s.makePage(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) missingPages(ctx context.Context) (missing []int64, err error) {
	err = s.read(ctx, func(tx *session) error {
		var last sql.NullInt64
		if err := tx.QueryRowContext(ctx, `SELECT max(n) FROM documents`).Scan(&last); err != nil || !last.Valid {
			return err
		}
		next := int64(0)
		rows, err := tx.QueryContext(ctx, `SELECT page FROM fact_pages ORDER BY page`)
		err = scanAll(rows, err, func(rows *sql.Rows) error {
			var page int64
			err := rows.Scan(&page)
			for ; next < page; next++ {
				missing = append(missing, next)
			}
			next = page + 1
			return err
		})
		for ; next <= last.Int64>>pageBits; next++ {
			missing = append(missing, next)
		}
		return err
	})
	return missing, err
}

// makePage reads and writes in one transaction: what changes a row later finds the
// page and throws it away.
func (s *Store) makePage(ctx context.Context, page int64) error {
	return s.write(ctx, func(tx *session) error {
		var all []core.Facts
		err := factsOfRows(ctx, tx, page<<pageBits, (page+1)<<pageBits, func(facts []core.Facts) error {
			all = append(all, facts...)
			return nil
		})
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO fact_pages (page, facts) VALUES (?1, ?2)
			ON CONFLICT (page) DO UPDATE SET facts = excluded.facts`, page, packFacts(all))
		return err
	})
}

// factsOfRows reads the documents with row numbers from first to before last. Both
// tables are read in step: a join would look each document up.
func factsOfRows(ctx context.Context, tx *session, first, last int64, each func([]core.Facts) error) error {
	if first >= last {
		return nil
	}
	documents, err := tx.QueryContext(ctx, `SELECT n, `+factsColumns+` FROM documents WHERE n >= ? AND n < ? ORDER BY n`, first, last)
	if err != nil {
		return err
	}
	defer documents.Close()
	access, err := tx.QueryContext(ctx, `SELECT document, principal FROM access WHERE document >= ? AND document < ?
		ORDER BY document, principal`, first, last)
	if err != nil {
		return err
	}
	return errors.Join(pageFacts(documents, &grants{rows: access, names: map[string]core.Principal{}}, each), access.Close())
}
