package rival

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/footnote-bot/footnote/core"
)

// FTS5 is SQLite's full text search: contentless, bm25, words stemmed as English,
// and the filter as a join with the ids that pass.
type FTS5 struct {
	db   *sql.DB
	next int64
	open []core.Principal // whose documents the table of readable ids holds
}

// OpenFTS5 makes an empty index in a folder.
func OpenFTS5(ctx context.Context, dir string) (*FTS5, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "fts5.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=cache_size(-65536)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the table of readable ids is the connection's
	_, err = db.ExecContext(ctx, `
		CREATE VIRTUAL TABLE text USING fts5(title, body, content='', tokenize='porter unicode61');
		CREATE TABLE documents (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
		CREATE TABLE access (principal TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (principal, id)) WITHOUT ROWID;
		CREATE TEMP TABLE readable (id INTEGER PRIMARY KEY);`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &FTS5{db: db}, nil
}

// Put implements Engine, in one transaction.
func (f *FTS5) Put(ctx context.Context, docs []core.IndexedDocument) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	f.open = nil
	for _, d := range docs {
		f.next++
		if _, err = tx.ExecContext(ctx, `INSERT INTO text (rowid, title, body) VALUES (?, ?, ?)`, f.next, d.Title, textOf(d)); err != nil {
			break
		}
		if _, err = tx.ExecContext(ctx, `INSERT INTO documents (id, name) VALUES (?, ?)`, f.next, d.Facts.Document); err != nil {
			break
		}
		for _, p := range d.Facts.Access {
			if _, err = tx.ExecContext(ctx, `INSERT INTO access (principal, id) VALUES (?, ?)`, string(p), f.next); err != nil {
				break
			}
		}
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Search implements Engine.
func (f *FTS5) Search(ctx context.Context, text string, principals []core.Principal, limit int) (out []string, err error) {
	if f.open == nil || !slices.Equal(f.open, principals) {
		if err := f.let(ctx, principals); err != nil {
			return nil, err
		}
	}
	var quoted []string
	for _, w := range words(text) {
		quoted = append(quoted, `"`+w+`"`)
	}
	if len(quoted) == 0 {
		return nil, nil
	}
	rows, err := f.db.QueryContext(ctx, `
		SELECT d.name FROM (
			SELECT text.rowid AS id, bm25(text) AS score FROM text CROSS JOIN readable ON readable.id = text.rowid
			WHERE text MATCH ? ORDER BY score, id LIMIT ?
		) AS best JOIN documents AS d ON d.id = best.id ORDER BY best.score, best.id`, strings.Join(quoted, " OR "), limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

// let fills the table of readable ids.
func (f *FTS5) let(ctx context.Context, principals []core.Principal) error {
	if _, err := f.db.ExecContext(ctx, `DELETE FROM readable`); err != nil {
		return err
	}
	for _, p := range principals {
		if _, err := f.db.ExecContext(ctx, `INSERT OR IGNORE INTO readable SELECT id FROM access WHERE principal = ?`, string(p)); err != nil {
			return err
		}
	}
	f.open = slices.Clone(principals)
	return nil
}

// Close implements Engine.
func (f *FTS5) Close() error { return f.db.Close() }
