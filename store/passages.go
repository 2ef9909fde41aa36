package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// The passages that each entry of a JSON list names: by their numbers, or by document
// and first and last ordinal. The join is crossed so that the list is gone through in
// its order; sorting in SQLite would copy all texts.
const (
	selectListed     = `SELECT w.key, p.document, p.id, p.ordinal, p.heading, p.page, p.anchor, p.text FROM json_each(?) w CROSS JOIN `
	passagesByID     = selectListed + `passages p ON p.id = w.value`
	passagesByWindow = selectListed + `documents d ON d.id = w.value ->> 0
		CROSS JOIN passages p ON p.document = d.n AND p.ordinal BETWEEN w.value ->> 1 AND w.value ->> 2`
)

// listed is a passage that an entry of a list names.
type listed struct {
	entry    int   // of the list
	document int64 // its row number
	core.Passage
}

// selectPassages reads by one of the queries above, in the order of the list and by
// ordinal. The passages do not name their documents.
func selectPassages(ctx context.Context, tx *session, query, list string) (out []listed, err error) {
	rows, err := tx.QueryContext(ctx, query, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p listed
		err := rows.Scan(&p.entry, &p.document, &p.ID, &p.Ordinal, &p.Heading, &p.Page, &p.Anchor, &p.Text)
		out = append(out, p)
		return err
	})
	// SQLite gives them so already, but does not promise it.
	slices.SortStableFunc(out, func(a, b listed) int { return cmp.Or(a.entry-b.entry, a.Ordinal-b.Ordinal) })
	return out, err
}

func replacePassages(ctx context.Context, tx *session, document int64, passages []core.Passage) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM passages WHERE document = ?`, document); err != nil {
		return err
	}
	for _, p := range passages {
		if _, err := tx.ExecContext(ctx, `INSERT INTO passages (document, ordinal, heading, page, anchor, text, context)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, document, p.Ordinal, p.Heading, p.Page, p.Anchor, p.Text, p.Context); err != nil {
			return err
		}
	}
	return nil
}
