package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// ToldFolders is who may read what lies in the folders that a source told of.
func (s *Store) ToldFolders(ctx context.Context, source string) (core.ToldFolders, error) {
	var out core.ToldFolders
	err := s.read(ctx, func(tx *session) error {
		rows, err := folderRows(ctx, tx, source)
		out = make(core.ToldFolders, len(rows))
		for folder, r := range rows {
			out[folder] = r.readers
		}
		return err
	})
	return out, err
}

type folderRow struct {
	readers        core.Access
	named, settled bool
}

func folderRows(ctx context.Context, tx *session, source string) (map[string]folderRow, error) {
	out := map[string]folderRow{}
	rows, err := tx.QueryContext(ctx, `SELECT folder, readers, named, settled FROM folder_readers WHERE source = ?`, source)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var folder string
		var r folderRow
		err := rows.Scan(&folder, jsonColumn{&r.readers}, &r.named, &r.settled)
		out[folder] = r
		return err
	})
	return out, err
}

// unsettleFolders has the next account look at what lies in the folders.
func unsettleFolders(ctx context.Context, tx *session, source string, folders []string) error {
	list, err := asJSON(folders)
	if err != nil || len(folders) == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE folder_readers SET settled = 0
		WHERE source = ? AND folder IN (SELECT value FROM json_each(?))`, source, list)
	return err
}

// setFolders writes who may read what lies in folders, and gives it to the documents
// of those that changed.
func (a account) setFolders(ctx context.Context, tx *session, b core.AccessBatch, counts *core.AccessCounts) error {
	if len(b.Folders) == 0 && !b.FoldersWhole {
		return nil
	}
	rows, err := folderRows(ctx, tx, b.Source)
	if err != nil {
		return err
	}
	told, changed := core.ToldFolders{}, []string(nil)
	put := func(folder string, readers core.Access) error {
		was, known := rows[folder]
		told[folder] = readers
		if known && was.named && was.settled && slices.Equal(was.readers, readers) {
			return nil
		}
		if !known || !was.settled || !slices.Equal(was.readers, readers) {
			changed = append(changed, folder)
		}
		list, err := asJSON(readers)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO folder_readers (source, folder, readers, named, settled) VALUES (?, ?, ?, 1, 1)
			ON CONFLICT (source, folder) DO UPDATE SET readers = excluded.readers, named = 1, settled = 1`, b.Source, folder, list)
		return err
	}
	for folder, r := range rows {
		told[folder] = r.readers
	}
	for _, f := range b.Folders {
		if err := put(f.Folder, core.NewAccess(f.Access...)); err != nil {
			return err
		}
	}
	for folder, r := range rows {
		if !b.FoldersWhole || r.named || slices.ContainsFunc(b.Folders, func(f core.FolderReaders) bool { return f.Folder == folder }) {
			continue
		}
		if err := put(folder, core.Access{}); err != nil {
			return err
		}
	}
	return a.settle(ctx, tx, told, changed, counts)
}

// settle gives the documents in the folders the readers that were told of those.
func (a account) settle(ctx context.Context, tx *session, told core.ToldFolders, folders []string, counts *core.AccessCounts) error {
	if len(folders) == 0 {
		return nil
	}
	list, err := asJSON(folders)
	if err != nil {
		return err
	}
	wanted := map[string][]int64{} // rows of documents by their readers
	rows, err := tx.QueryContext(ctx, `SELECT n, folders FROM documents WHERE source = ?1
		AND EXISTS (SELECT 1 FROM json_each(folders) f WHERE f.value IN (SELECT value FROM json_each(?2)))`, a.source.Name, list)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var n int64
		var in []string
		if err := rows.Scan(&n, jsonColumn{&in}); err != nil {
			return err
		}
		_, readers, _ := told.Of(in)
		key, err := asJSON(readers)
		wanted[key] = append(wanted[key], n)
		return err
	})
	if err != nil {
		return err
	}
	for readers, documents := range wanted {
		for part := range slices.Chunk(documents, 5000) {
			n, err := giveReaders(ctx, tx, part, readers)
			if err != nil {
				return err
			}
			if counts.Documents += n; readers == "[]" {
				counts.Closed += n
			}
		}
	}
	return nil
}

// giveReaders gives documents by their rows readers, as a JSON list, and tells how
// many had others.
func giveReaders(ctx context.Context, tx *session, documents []int64, readers string) (int, error) {
	list, err := asJSON(documents)
	if err != nil {
		return 0, err
	}
	const others = `n IN (SELECT value FROM json_each(?1)) AND (host_access OR (SELECT json_group_array(principal)
		FROM (SELECT principal FROM access WHERE document = documents.n ORDER BY principal)) <> ?2)`
	var rows []int64
	found, err := tx.QueryContext(ctx, `SELECT n FROM documents WHERE `+others, list, readers)
	err = scanAll(found, err, func(found *sql.Rows) error {
		var n int64
		err := found.Scan(&n)
		rows = append(rows, n)
		return err
	})
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE documents SET untold = NULL WHERE n IN (SELECT value FROM json_each(?)) AND untold IS NOT NULL`, list); err != nil || len(rows) == 0 {
		return 0, err
	}
	if list, err = asJSON(rows); err != nil {
		return 0, err
	}
	// The hash matches nothing from now on: whatever Sync tells next is written.
	if _, err := tx.ExecContext(ctx, `UPDATE documents SET host_access = 0, facts_hash = zeroblob(32), facts_generation = facts_generation + 1
		WHERE n IN (SELECT value FROM json_each(?))`, list); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM access WHERE document IN (SELECT value FROM json_each(?))`, list); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO access (document, principal) SELECT d.value, p.value FROM json_each(?) d, json_each(?) p`, list, readers); err != nil {
		return 0, err
	}
	return len(rows), nil
}

// foldersTold tells whether the running pass named all folders, and any.
func foldersTold(ctx context.Context, tx *session, source string) (told bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM folder_readers WHERE source = ?1 AND named)
		AND NOT EXISTS (SELECT 1 FROM folder_readers WHERE source = ?1 AND NOT named)`, source).Scan(&told)
	return told, err
}
