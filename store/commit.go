package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// maxCursor bounds what a connector may ask to be remembered, in bytes.
const maxCursor = 64 << 10

// Known tells what the ledger remembers of the source's documents. External
// ids that it has never heard of are absent from the result.
func (s *Store) Known(ctx context.Context, source string, external []string) (map[string]core.Known, error) {
	out := make(map[string]core.Known, len(external))
	ids, err := documentIDs(source, external)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, content_hash, facts_hash FROM documents
			WHERE id IN (SELECT value FROM json_each(?))`, ids)
		err = scanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			k := core.Known{Stored: true}
			err := rows.Scan(&id, hashColumn{&k.Content}, hashColumn{&k.Facts})
			out[externalID(source, id)] = k
			return err
		})
		if err != nil {
			return err
		}
		return addFailed(ctx, tx, source, external, out)
	})
	return out, err
}

// Commit makes a batch true in one transaction. The source must still exist;
// if it was removed meanwhile the error is of kind not_found and nothing stays.
func (s *Store) Commit(ctx context.Context, b core.Batch) error {
	if b.Cursor != nil && len(*b.Cursor) > maxCursor {
		return core.Errorf(core.KindInvalid, "The connector of source %q sent a cursor of %d bytes; %d are allowed.", b.Source, len(*b.Cursor), maxCursor)
	}
	return s.write(ctx, func(tx *session) error {
		source, err := getSource(ctx, tx, b.Source)
		if err != nil {
			return err
		}
		now := s.Now()
		if err := closeFolders(ctx, tx, b.Source, b.Closed); err != nil {
			return err
		}
		if err := unsettleFolders(ctx, tx, b.Source, b.Unsettled); err != nil {
			return err
		}
		if err := removeDocuments(ctx, tx, b.Source, b.Removed); err != nil {
			return err
		}
		for _, e := range b.Facts {
			if err := updateFacts(ctx, tx, source, e); err != nil {
				return err
			}
		}
		if err := commitContent(ctx, tx, source, b.Content, now); err != nil {
			return err
		}
		for _, f := range b.Failures {
			if err := putFailure(ctx, tx, b.Source, f, now); err != nil {
				return err
			}
		}
		if err := setAccessChecked(ctx, tx, b.Source, b.AccessChecked); err != nil {
			return err
		}
		return commitCursor(ctx, tx, b)
	})
}

func commitContent(ctx context.Context, tx *session, source core.Source, entries []core.Entry, now time.Time) error {
	if len(entries) == 0 {
		return nil
	}
	if err := startAge(ctx, tx, source.Name, now); err != nil {
		return err
	}
	written := make([]string, len(entries))
	for i, e := range entries {
		if err := putDocument(ctx, tx, source, e); err != nil {
			return err
		}
		written[i] = e.Document.ExternalID
	}
	if err := noteToldByContent(ctx, tx, source.Name, written); err != nil {
		return err
	}
	return forgetFailures(ctx, tx, source.Name, written)
}

// hashColumn reads a hash.
type hashColumn struct{ into *core.Hash }

// Scan implements sql.Scanner.
func (c hashColumn) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(c.into) {
		return fmt.Errorf("a hash column holds %T of another size", src)
	}
	copy(c.into[:], b)
	return nil
}
