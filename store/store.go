// Package store is the ledger: everything Footnote remembers, in one SQLite
// file. There is one file of code for each table on one type, Store. Times are
// kept to the microsecond and come back in UTC. Every error a caller sees is a
// core.Error or one of the context's.
package store

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/footnote-bot/footnote/core"
)

// FileName is the ledger's file inside the data folder.
const FileName = "footnote.db"

const readers = 4

// Store is an open ledger. Its methods may be called from several goroutines:
// reads run side by side, each on one snapshot; writes wait for each other.
type Store struct {
	// Now is the clock by which access grows stale; time.Now unless it is set
	// before the first use.
	Now func() time.Time
	// Asking is told of each read that lets passages out, as long as it runs; nil
	// tells nobody. It is set before the first of them.
	Asking func() (done func())

	path    string
	log     *slog.Logger
	writer  *sessions // exactly one
	readers *sessions
	keys    atomic.Pointer[keyring] // see UseKeys
	recall  [recalledKinds]recall
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
	if err := ownOnly(path); err != nil {
		log.WarnContext(ctx, "the ledger can be read by others; let its owner alone read it", "file", path, "error", err)
	}
	s := &Store{Now: time.Now, path: path, log: log}
	if s.writer, err = openSessions(ctx, dsn(path,
		"busy_timeout(10000)", "foreign_keys(1)",
		// FULL, not NORMAL: after a power cut NORMAL may take back the last
		// commits, and with them passage ids that the index knows already and a
		// loss of access that was reported as done.
		"synchronous(FULL)",
		"cache_size(-8000)", "journal_size_limit(67108864)"), 1); err != nil {
		return nil, s.failIn(ctx, err)
	}
	s.writer.recall = &s.recall
	if err := s.setUp(ctx); err != nil {
		return nil, errors.Join(err, s.fail(s.writer.close()))
	}
	s.readers, err = openSessions(ctx, dsn(path, "busy_timeout(10000)", "query_only(1)"), readers)
	if err != nil {
		return nil, errors.Join(s.failIn(ctx, err), s.fail(s.writer.close()))
	}
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

// ownOnly takes a ledger that was there already, such as a copy that was put back,
// from everybody but its owner. SQLite gives its other files the same mode.
func ownOnly(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil // what is wrong with the file shows when it is opened
	}
	return os.Chmod(path, 0o600)
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
	return s.write(ctx, func(tx *session) error {
		if err := ensureInstallID(ctx, tx); err != nil {
			return err
		}
		return errors.Join(closeInterruptedRuns(ctx, tx), freeJobs(ctx, tx))
	})
}

// Close waits for running transactions and closes the file.
func (s *Store) Close() error {
	return s.fail(errors.Join(s.readers.close(), s.writer.close()))
}

// write runs f in the one write transaction; nothing of it stays on an error.
func (s *Store) write(ctx context.Context, f func(*session) error) error {
	return s.failIn(ctx, s.writer.inTx(ctx, `BEGIN IMMEDIATE`, s.withKeys(f)))
}

// short is write for what takes a moment only, as every question does a dozen times.
// Where several wait they share a commit; each is on the disk when it returns. f may be
// run by whoever writes with it, and so takes no lock that is held while somebody writes.
func (s *Store) short(ctx context.Context, f func(*session) error) error {
	return s.failIn(ctx, s.writer.together(ctx, s.withKeys(f)))
}

// asked is read for somebody who waits for an answer.
func (s *Store) asked(ctx context.Context, f func(*session) error) error {
	if s.Asking != nil {
		defer s.Asking()()
	}
	return s.read(ctx, f)
}

// read runs f on one snapshot of the ledger.
func (s *Store) read(ctx context.Context, f func(*session) error) error {
	return s.failIn(ctx, s.readers.inTx(ctx, `BEGIN`, s.withKeys(f)))
}
