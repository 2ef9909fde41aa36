// Package store is the ledger: everything Footnote remembers, in one SQLite
// file. There is one file of code for each table on one type, Store. Times are
// kept to the microsecond and come back in UTC. Every error a caller sees is a
// core.Error or one of the context's.
package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/footnote-bot/footnote/core"
)

// FileName is the ledger's file inside the data folder.
const FileName = "footnote.db"

const readers = 4

// Store is an open ledger. Its methods may be called from several goroutines:
// reads run side by side, each on one snapshot; writes wait for each other.
type Store struct {
	path    string
	log     *slog.Logger
	writer  *sql.DB // exactly one connection
	readers *sql.DB
}

// Open opens the ledger in the folder, which is made if it is missing, and
// brings its schema up to date. One process at a time may have it open; the
// caller holds the data folder's lock. Errors: conflict for a file that a newer
// Footnote or another program wrote (it stays untouched), disk for one that
// cannot be read or written.
func Open(ctx context.Context, dir string, log *slog.Logger) (*Store, error) {
	path, err := prepare(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, log: log}
	if s.writer, err = sql.Open("sqlite", dsn(path,
		"busy_timeout(10000)", "foreign_keys(1)",
		// FULL, not NORMAL: after a power cut NORMAL may take back the last
		// commits, and with them passage ids that the index knows already and a
		// loss of access that was reported as done.
		"synchronous(FULL)",
		"cache_size(-8000)", "journal_size_limit(67108864)")+"&_txlock=immediate"); err != nil {
		return nil, s.fail(err)
	}
	s.writer.SetMaxOpenConns(1)
	if err := s.setUp(ctx); err != nil {
		s.writer.Close()
		return nil, err
	}
	if s.readers, err = sql.Open("sqlite", dsn(path, "busy_timeout(10000)", "query_only(1)")); err != nil {
		s.writer.Close()
		return nil, s.fail(err)
	}
	s.readers.SetMaxOpenConns(readers)
	s.readers.SetMaxIdleConns(readers)
	return s, nil
}

// prepare makes the folder and the file, both for the owner only: the ledger
// holds the sources' secrets.
func prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", core.Wrap(core.KindDisk, err, "The data folder "+dir+" cannot be found from here; give it as an absolute path.")
	}
	path := filepath.Join(dir, FileName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", diskError(path, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", diskError(path, err)
	}
	if err := f.Close(); err != nil {
		return "", diskError(path, err)
	}
	return path, nil
}

func dsn(path string, pragmas ...string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	return u.String()
}

func (s *Store) setUp(ctx context.Context) error {
	known, err := migrations()
	if err != nil {
		return err
	}
	if err := s.migrate(ctx, known); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		if err := ensureInstallID(ctx, tx); err != nil {
			return err
		}
		return closeInterruptedRuns(ctx, tx)
	})
}

// Close waits for running statements and closes the file.
func (s *Store) Close() error {
	return s.fail(errors.Join(s.readers.Close(), s.writer.Close()))
}

// write runs f in the one write transaction; nothing of it stays on an error.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	return s.inTx(ctx, s.writer, f)
}

// read runs f on one snapshot of the ledger.
func (s *Store) read(ctx context.Context, f func(*sql.Tx) error) error {
	return s.inTx(ctx, s.readers, f)
}

func (s *Store) inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.failIn(ctx, err)
	}
	defer tx.Rollback() // after Commit this does nothing
	if err := f(tx); err != nil {
		return s.failIn(ctx, err)
	}
	return s.failIn(ctx, tx.Commit())
}
