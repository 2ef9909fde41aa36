package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// BeginAccess begins a pass in which the source tells who may read what: from its
// last checkpoint, or from the beginning if there is none or fromStart is set. The
// error is of kind not_found if there is no such source.
func (s *Store) BeginAccess(ctx context.Context, source string, fromStart bool) (core.AccessState, error) {
	var out core.AccessState
	err := s.write(ctx, func(tx *session) error {
		if _, err := getSource(ctx, tx, source); err != nil {
			return err
		}
		now := s.Now().UnixMicro()
		err := tx.QueryRowContext(ctx, `INSERT INTO access_accounts (source, pass, started) VALUES (?1, 1, ?2)
			ON CONFLICT (source) DO UPDATE SET pass = pass + 1, started = excluded.started,
				cursor = iif(?3, x'', cursor), resumed = NOT ?3 AND cursor <> x'', open = open OR ?3 OR cursor = x''
			RETURNING pass, cursor`, source, now, fromStart).Scan(&out.Pass, (*[]byte)(&out.Cursor))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE folder_readers SET named = 0 WHERE source = ? AND named`, source); err != nil {
			return err
		}
		// An account that goes on keeps what it named before.
		_, err = tx.ExecContext(ctx, `DELETE FROM access_told WHERE source = ?1
			AND EXISTS (SELECT 1 FROM access_accounts WHERE source = ?1 AND NOT (open AND resumed))`, source)
		return err
	})
	return out, err
}

// account is how far a source got; see migration 9.
type account struct {
	source                      core.Source
	pass                        int64
	resumed, open               bool
	groupsKnown, documentsKnown bool
	started                     sql.NullInt64
}

func accountOfAccess(ctx context.Context, tx *session, source string) (account, error) {
	a := account{}
	err := tx.QueryRowContext(ctx, `SELECT pass, resumed, open, groups_known, documents_known, started
		FROM access_accounts WHERE source = ?`, source).
		Scan(&a.pass, &a.resumed, &a.open, &a.groupsKnown, &a.documentsKnown, &a.started)
	return a, err
}

// CommitAccess makes a batch true in one transaction. The pass must be the one
// that was begun last; if the source was removed meanwhile, changed, or another
// pass begun, the error is of kind conflict or not_found and nothing stays. Two
// groups whose names differ in case only are refused with one of kind invalid.
func (s *Store) CommitAccess(ctx context.Context, b core.AccessBatch) (core.AccessCounts, error) {
	var counts core.AccessCounts
	if b.Cursor != nil && len(*b.Cursor) > maxCursor {
		return counts, core.Errorf(core.KindInvalid, "The connector of source %q sent a cursor of %d bytes; %d are allowed.", b.Source, len(*b.Cursor), maxCursor)
	}
	err := s.write(ctx, func(tx *session) error {
		counts = core.AccessCounts{}
		source, err := getSource(ctx, tx, b.Source)
		if err != nil {
			return err
		}
		a, err := accountOfAccess(ctx, tx, b.Source)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err != nil || a.pass != b.Pass {
			return core.Errorf(core.KindConflict,
				"The source %q was changed while it told who may read what; sync it again.", b.Source)
		}
		a.source = source
		if err := a.setFolders(ctx, tx, b, &counts); err != nil {
			return err
		}
		if err := a.setReaders(ctx, tx, b.Readers, &counts); err != nil {
			return err
		}
		if err := a.setGroups(ctx, tx, b, &counts); err != nil {
			return err
		}
		if b.Cursor != nil {
			if _, err := tx.ExecContext(ctx, `UPDATE access_accounts SET cursor = ? WHERE source = ?`, append([]byte{}, *b.Cursor...), b.Source); err != nil {
				return err
			}
		}
		if b.Whole == nil {
			return nil
		}
		return a.end(ctx, tx, *b.Whole, &counts)
	})
	return counts, err
}

// setReaders gives documents other readers; their text stays as it is.
func (a account) setReaders(ctx context.Context, tx *session, readers []core.Readers, counts *core.AccessCounts) error {
	if len(readers) == 0 {
		return nil
	}
	byID := make(map[string]core.Readers, len(readers))
	ids := make([]string, len(readers))
	for i, r := range readers {
		ids[i] = core.DocumentID(a.source.Name, r.ExternalID)
		byID[ids[i]] = r
	}
	if err := noteTold(ctx, tx, a.source.Name, false, ids, a.pass); err != nil {
		return err
	}
	stored, err := storedReaders(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, d := range stored {
		changed, err := a.setReadersOf(ctx, tx, d, byID[d.id])
		if err != nil {
			return err
		}
		if changed {
			counts.Documents++
		}
	}
	return nil
}

// hasReaders is a stored document with its readers of before.
type hasReaders struct {
	n      int64
	id     string
	host   bool
	untold bool
	access core.Access
}

func storedReaders(ctx context.Context, tx *session, ids []string) ([]hasReaders, error) {
	list, err := asJSON(ids)
	if err != nil {
		return nil, err
	}
	var out []hasReaders
	var numbers []int64
	rows, err := tx.QueryContext(ctx, `SELECT n, id, host_access, untold IS NOT NULL FROM documents
		WHERE id IN (SELECT value FROM json_each(?))`, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var d hasReaders
		err := rows.Scan(&d.n, &d.id, &d.host, &d.untold)
		out, numbers = append(out, d), append(numbers, d.n)
		return err
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	if list, err = asJSON(numbers); err != nil {
		return nil, err
	}
	access, err := accessOf(ctx, tx, list)
	for i := range out {
		out[i].access = access[out[i].n]
	}
	return out, err
}

func (a account) setReadersOf(ctx context.Context, tx *session, d hasReaders, r core.Readers) (changed bool, err error) {
	access := core.NewAccess(r.Access...)
	if r.HostAccess {
		access = a.source.Access
	}
	if d.host == r.HostAccess && slices.Equal(access, d.access) {
		if d.untold {
			_, err = tx.ExecContext(ctx, `UPDATE documents SET untold = NULL WHERE n = ?`, d.n)
		}
		return false, err
	}
	// The hash matches nothing from now on: whatever Sync tells next is written.
	if _, err := tx.ExecContext(ctx, `UPDATE documents SET host_access = ?, untold = NULL, facts_hash = zeroblob(32),
		facts_generation = facts_generation + 1 WHERE n = ?`, r.HostAccess, d.n); err != nil {
		return false, err
	}
	return true, replaceAccess(ctx, tx, d.n, a.source, core.Entry{Document: core.Document{Access: access}, HostAccess: r.HostAccess})
}

// noteTold remembers what a pass named.
func noteTold(ctx context.Context, tx *session, source string, isGroup bool, names []string, pass int64) error {
	list, err := asJSON(names)
	if err != nil || len(names) == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO access_told (source, is_group, name, pass)
		SELECT ?, ?, value, ? FROM json_each(?) WHERE true
		ON CONFLICT (source, is_group, name) DO UPDATE SET pass = excluded.pass`, source, isGroup, pass, list)
	return err
}

// noteToldByContent keeps documents that come while an account is open from being
// taken for ones that it left out.
func noteToldByContent(ctx context.Context, tx *session, source string, external []string) error {
	ids, err := documentIDs(source, external)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO access_told (source, is_group, name, pass)
		SELECT a.source, 0, value, a.pass FROM access_accounts a, json_each(?) WHERE a.source = ? AND a.open
		ON CONFLICT (source, is_group, name) DO UPDATE SET pass = excluded.pass`, ids, source)
	return err
}
