package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks the file as Footnote's in SQLite's header ("FNOT").
const applicationID = 0x464e4f54

// migration brings the schema from number-1 to number.
type migration struct {
	number int
	name   string
	sql    string
}

// migrations lists the embedded files; they are numbered from 1 without gaps
// and never changed once released.
func migrations() ([]migration, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	out := make([]migration, 0, len(files))
	for i, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		digits, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(digits); err != nil || n != i+1 {
			return nil, core.Errorf(core.KindInternal, "Migration %s should have number %04d.", file, i+1)
		}
		text, err := migrationFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{number: i + 1, name: name, sql: string(text)})
	}
	return out, nil
}

// migrate checks that the file is ours and not newer than we are, before the
// first byte of it is written, and then applies what is missing.
func (s *Store) migrate(ctx context.Context, known []migration) error {
	version, err := s.schemaVersion(ctx, len(known))
	if err != nil {
		return err
	}
	if err := s.keepBefore(ctx, version, len(known)); err != nil {
		return err
	}
	for _, m := range known[version:] {
		if err := s.write(ctx, func(tx *session) error { return m.apply(ctx, tx) }); err != nil {
			return err
		}
		s.log.InfoContext(ctx, "ledger migrated", "migration", m.name)
	}
	return nil
}

// schemaVersion also switches the file to write-ahead logging once it is known
// to be ours; that cannot be done inside a transaction.
func (s *Store) schemaVersion(ctx context.Context, newest int) (version int, err error) {
	x := <-s.writer.idle
	defer func() { s.writer.idle <- x }()
	var app, tables int
	if err := x.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &app, &tables); err != nil {
		return 0, s.failIn(ctx, err)
	}
	switch {
	case app != applicationID && (tables > 0 || version > 0):
		return 0, core.Errorf(core.KindConflict,
			"The file %s belongs to another program; choose another data folder with --data-dir.", s.path)
	case version > newest:
		return 0, newerError(s.path, version, newest)
	}
	_, err = x.conn.ExecContext(ctx, `PRAGMA journal_mode = WAL`)
	return version, s.failIn(ctx, err)
}

// apply goes past the statement cache: a migration is several statements.
func (m migration) apply(ctx context.Context, tx *session) error {
	if _, err := tx.conn.ExecContext(ctx, m.sql); err != nil {
		return fmt.Errorf("migration %s: %w", m.name, err)
	}
	_, err := tx.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d; PRAGMA application_id = %d`, m.number, applicationID))
	return err
}
