package store

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Status is all there is to say about a source in one place.
type Status struct {
	Source     core.Source
	Documents  int
	Passages   int
	NotIndexed int           // documents whose newest version search cannot find yet
	Held       int           // deletions that wait for footnote sync SOURCE --accept-deletes
	Failures   []Failed      // by external id
	LastRun    *core.SyncRun // that read documents; nil if it was never synced
	LastAccess *core.SyncRun // that read only who may read what; nil if there was none
	LastList   *core.SyncRun // that only looked what is gone; nil if there was none
	Jobs       []core.Job    // by kind; none of a kind that was never run by a schedule
	Checkpoint time.Time     // when the cursor was last committed; zero if never
	// AccessChecked is when the connector last told who may read all documents;
	// zero if never. It says nothing where the source's own row says who may.
	AccessChecked time.Time
}

// Counts is the size of the ledger.
type Counts struct {
	Sources, Documents, Passages, Turns int
	NotIndexed                          int // documents whose newest version search cannot find yet
}

// SourceStatus tells how a source stands, all of one instant; the error is of
// kind not_found if there is none.
func (s *Store) SourceStatus(ctx context.Context, name string) (Status, error) {
	var out Status
	err := s.read(ctx, func(tx *session) (err error) {
		if out.Source, err = tx.unseal(getSource(ctx, tx, name)); err != nil {
			return err
		}
		if _, out.Checkpoint, out.Held, err = getCursor(ctx, tx, name); err != nil {
			return err
		}
		if out.AccessChecked, err = accessChecked(ctx, tx, name); err != nil {
			return err
		}
		if out.Failures, err = listFailures(ctx, tx, name); err != nil {
			return err
		}
		if out.LastRun, err = lastRun(ctx, tx, name, ""); err != nil {
			return err
		}
		if out.LastAccess, err = lastRun(ctx, tx, name, core.SyncAccess); err != nil {
			return err
		}
		if out.LastList, err = lastRun(ctx, tx, name, core.SyncList); err != nil {
			return err
		}
		if out.Jobs, err = jobs(ctx, tx, name); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM documents WHERE source = ?1),
			(SELECT count(*) FROM documents d JOIN passages p ON p.document = d.n WHERE d.source = ?1),
			(SELECT count(*) FROM documents WHERE source = ?1 AND indexed < generation)`, name).
			Scan(&out.Documents, &out.Passages, &out.NotIndexed)
	})
	return out, err
}

// NotIndexed counts the documents whose newest version search cannot find yet. It
// reads as many rows as there are such documents.
func (s *Store) NotIndexed(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(tx *session) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM documents WHERE indexed < generation`).Scan(&n)
	})
	return n, err
}

// Counts tells the size of the ledger.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	err := s.read(ctx, func(tx *session) error {
		return tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM documents),
			(SELECT count(*) FROM passages), (SELECT count(*) FROM turns),
			(SELECT count(*) FROM documents WHERE indexed < generation)`).
			Scan(&c.Sources, &c.Documents, &c.Passages, &c.Turns, &c.NotIndexed)
	})
	return c, err
}
