package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// CopyTo writes a copy of the ledger as it is at one instant into a new file, which
// only this user may read. Others go on reading and writing meanwhile; what they
// write is not in it. The copy has no free space and no write-ahead log. On an error,
// also of the context, no file is left. Errors: conflict where the file exists, disk.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	return copyLedger(ctx, s.path, path)
}

func copyLedger(ctx context.Context, from, to string) (err error) {
	// SQLite would give the file the mode of any other; it takes one that is empty.
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return core.Errorf(core.KindConflict, "The file %s exists already; give the copy another name.", to)
	}
	if err != nil {
		return diskError(to, err)
	}
	target := &Store{path: to}
	defer func() {
		if err == nil {
			err = target.fail(f.Sync())
		}
		if err = errors.Join(err, target.fail(f.Close())); err != nil {
			for _, suffix := range []string{"", "-journal"} {
				os.Remove(to + suffix) //nolint:errcheck // the first failure is what matters
			}
		}
	}()
	// A connection of its own: the writer must not wait for a copy that takes minutes.
	db, err := sql.Open("sqlite", dsn(from, "busy_timeout(10000)"))
	if err != nil {
		return target.failIn(ctx, err)
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	return target.failIn(ctx, errors.Join(err, db.Close()))
}

// Facts are what a ledger's file says of itself.
type Facts struct {
	Schema    int    // number of the last migration
	Install   string // see Store.InstallID
	Documents int
	Turns     int
}

// Schema is the number of the schema that this program writes.
func Schema() (int, error) {
	known, err := migrations()
	return len(known), err
}

// Examine reads a ledger's file that nobody has open, from the first to the last
// page, and changes nothing. Errors: conflict for a file of another program or of a
// newer Footnote, disk for one that is damaged.
func Examine(ctx context.Context, path string) (Facts, error) {
	newest, err := Schema()
	if err != nil {
		return Facts{}, err
	}
	if _, err := os.Stat(path); err != nil {
		return Facts{}, diskError(path, err)
	}
	s := &Store{path: path}
	if s.readers, err = openSessions(ctx, dsn(path, "query_only(1)"), 1); err != nil {
		return Facts{}, s.failIn(ctx, err)
	}
	var facts Facts
	err = s.read(ctx, func(tx *session) (err error) {
		facts, err = factsOf(ctx, tx, path, newest)
		return err
	})
	return facts, errors.Join(err, s.fail(s.readers.close()))
}

func factsOf(ctx context.Context, tx *session, path string, newest int) (Facts, error) {
	var f Facts
	var app int
	err := tx.QueryRowContext(ctx, `SELECT user_version, application_id FROM pragma_user_version, pragma_application_id`).Scan(&f.Schema, &app)
	switch {
	case err != nil:
		return f, err
	case app != applicationID || f.Schema == 0:
		return f, core.Errorf(core.KindConflict, "The file %s is no ledger of Footnote.", path)
	case f.Schema > newest:
		return f, newerError(path, f.Schema, newest)
	}
	if err := sound(ctx, tx, path, `PRAGMA integrity_check(10)`); err != nil {
		return f, err
	}
	if f.Install, err = getMeta(ctx, tx, keyInstall); err != nil {
		return f, err
	}
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM turns)`).Scan(&f.Documents, &f.Turns)
	return f, err
}

// sound runs one of SQLite's checks, and that every reference has its other end.
func sound(ctx context.Context, tx *session, path, pragma string) error {
	var wrong []string
	rows, err := tx.QueryContext(ctx, pragma)
	if err := scanAll(rows, err, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		wrong = append(wrong, line)
		return err
	}); err != nil {
		return err
	}
	rows, err = tx.QueryContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 10`)
	if err := scanAll(rows, err, func(rows *sql.Rows) error {
		var table string
		err := rows.Scan(&table)
		wrong = append(wrong, "a row of "+table+" refers to one that is not there")
		return err
	}); err != nil {
		return err
	}
	if wrong = slices.DeleteFunc(wrong, func(line string) bool { return line == "ok" }); len(wrong) == 0 {
		return nil
	}
	return core.Errorf(core.KindDisk, "The ledger %s is damaged: %s.", path, strings.Join(wrong, "; "))
}

// QuickCheck reads the ledger through and tells whether its file is sound; it leaves
// out what takes long, such as comparing indexes with their tables. The error is of
// kind disk where it is not.
func (s *Store) QuickCheck(ctx context.Context) error {
	return s.read(ctx, func(tx *session) error { return sound(ctx, tx, s.path, `PRAGMA quick_check(10)`) })
}

func newerError(path string, version, newest int) error {
	return core.Errorf(core.KindConflict,
		"The ledger %s was written by a newer Footnote (schema %d), this one reads up to schema %d; nothing was changed. Use the newer Footnote, or restore a backup made before the upgrade.",
		path, version, newest)
}

// beforePrefix begins the name of the copy that is made before the schema changes.
const beforePrefix = "footnote-before-"

// keepBefore copies the ledger beside itself before its schema is changed, for going
// back to the older program, and removes the copies of earlier changes. A copy that
// cannot be made holds up no upgrade: each step is one transaction.
func (s *Store) keepBefore(ctx context.Context, version, newest int) error {
	if version == 0 || version == newest {
		return nil
	}
	dir := filepath.Dir(s.path)
	name := fmt.Sprintf("%sschema-%04d.db", beforePrefix, version+1)
	earlier, err := filepath.Glob(filepath.Join(escapeGlob(dir), beforePrefix+"schema-*.db"))
	if err != nil {
		return s.fail(err)
	}
	for _, file := range earlier {
		if err := os.Remove(file); err != nil {
			s.log.WarnContext(ctx, "the copy from before an earlier upgrade cannot be removed", "file", file, "error", err)
		}
	}
	err = copyLedger(ctx, s.path, filepath.Join(dir, name))
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		s.log.WarnContext(ctx, "the ledger is upgraded without a copy of what it was", "error", err)
		return nil
	}
	s.log.InfoContext(ctx, "the ledger was copied before its upgrade", "file", name)
	return nil
}

// escapeGlob lets a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// InstallIn reads the install's name from a ledger's file that nobody has open, and
// nothing else of it.
func InstallIn(ctx context.Context, path string) (id string, err error) {
	s := &Store{path: path}
	if s.readers, err = openSessions(ctx, dsn(path, "query_only(1)"), 1); err != nil {
		return "", s.failIn(ctx, err)
	}
	err = s.read(ctx, func(tx *session) error {
		id, err = getMeta(ctx, tx, keyInstall)
		return err
	})
	return id, errors.Join(err, s.fail(s.readers.close()))
}
