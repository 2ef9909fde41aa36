package control

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/footnote-bot/footnote/core"
)

const lockName = "footnote.lock"

// Lock is the hold on a data folder. The operating system drops it when the
// process dies, however it dies.
type Lock struct{ file *flock.Flock }

// Hold makes the data folder if needed, with mode 0700, and takes its lock
// without waiting. It returns ErrHeld if another process has it.
func Hold(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot make the data folder: %w; choose another with --data-dir", err)
	}
	file := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot lock the data folder: %w; choose another with --data-dir", err)
	}
	if !ok {
		return nil, ErrHeld
	}
	return &Lock{file}, nil
}

// Release gives the folder up.
func (l *Lock) Release() error { return l.file.Unlock() }
