package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/footnote-bot/footnote/core"
)

// failIn is fail, but where the context ended it is the context that failed,
// whatever SQLite made of the interruption.
func (s *Store) failIn(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.fail(err)
}

// fail turns any error into one that a person can read.
func (s *Store) fail(err error) error {
	var known *core.Error
	var native *sqlite.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &native):
		return sqliteError(s.path, native)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, fs.ErrPermission):
		return diskError(s.path, err)
	}
	return core.Wrap(core.KindInternal, err, fmt.Sprintf("The ledger %s could not be used: %v.", s.path, err))
}

// sqliteError sorts SQLite's result codes by what a person can do about them.
func sqliteError(path string, err *sqlite.Error) *core.Error {
	say := func(kind core.Kind, format string) *core.Error {
		return core.Wrap(kind, err, fmt.Sprintf(format, path))
	}
	switch err.Code() & 0xff { // the low byte is the primary code
	case lib.SQLITE_FULL:
		return say(core.KindDisk, "The disk that holds %s is full; nothing was lost. Free some space and try again.")
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN, lib.SQLITE_AUTH:
		return say(core.KindDisk, "The ledger %s cannot be opened for writing; check its owner, its permissions and that the disk is not read-only.")
	case lib.SQLITE_IOERR:
		return say(core.KindDisk, "The disk that holds %s failed to read or write; check its free space and its health.")
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return say(core.KindDisk, "The ledger %s is damaged or not a Footnote ledger; put a backup of the file in its place, or move the data folder away and run footnote sync.")
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return say(core.KindLocked, "Another program keeps %s locked; stop it and try again.")
	}
	return core.Wrap(core.KindInternal, err, fmt.Sprintf("The ledger %s refused a statement (SQLite code %d).", path, err.Code()))
}

// endsTransaction tells of an error with which SQLite may roll back more than the
// statement.
func endsTransaction(err error) bool {
	var native *sqlite.Error
	if !errors.As(err, &native) {
		return false
	}
	switch native.Code() & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT:
		return true
	}
	return false
}

func diskError(path string, err error) *core.Error {
	if errors.Is(err, syscall.ENOSPC) {
		return core.Wrap(core.KindDisk, err, fmt.Sprintf("The disk that holds %s is full; free some space and try again.", path))
	}
	return core.Wrap(core.KindDisk, err, fmt.Sprintf("The ledger %s cannot be written (%v); check the folder's owner and permissions.", path, err))
}
