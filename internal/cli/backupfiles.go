package cli

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

func readIfThere(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "cannot read %s: %w", path, err)
	}
	return raw, nil
}

// pruneBackups leaves the newest of a folder's backups that have the time as their
// name.
func pruneBackups(dir string, keep int) (removed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "older backups cannot be listed: %w", err)
	}
	var names []string
	for _, e := range entries {
		stamp, is := strings.CutPrefix(strings.TrimSuffix(e.Name(), backupSuffix), backupPrefix)
		if _, err := time.Parse("20060102-150405", stamp); is && err == nil && strings.HasSuffix(e.Name(), backupSuffix) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for _, name := range names[:max(0, len(names)-keep)] {
		path := filepath.Join(dir, name)
		if err := os.Remove(path); err != nil {
			return removed, core.Errorf(core.KindDisk, "an older backup cannot be removed: %w", err)
		}
		removed = append(removed, path)
	}
	return removed, nil
}

// unfinished begins the names of folders in which a backup is made.
const unfinished = "." + backupPrefix

// sweepBackups removes from a folder what killed backups left there: each holds a
// whole copy of a ledger. Who still makes one holds the lock in it.
func sweepBackups(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), unfinished) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		lock, lockErr := control.Hold(path)
		if errors.Is(lockErr, control.ErrHeld) {
			continue
		}
		if lockErr == nil {
			lockErr = errors.Join(os.RemoveAll(path), lock.Release())
		}
		err = errors.Join(err, lockErr)
	}
	return err
}

// writeWhole writes a file that only its owner may read and that is on the disk
// when it returns.
func writeWhole(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	err = write(f)
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	return size, errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes renames in a folder last.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeBytes(raw []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	}
}

// configFile is where the configuration is, or would be.
func (inv *invocation) configFile(cfg config.Config) string {
	if cfg.File != "" {
		return cfg.File
	}
	file := inv.flags.config
	if file == "" {
		file, _ = inv.lookup(config.Prefix + "CONFIG")
	}
	return inv.path(cmp.Or(file, config.DefaultFile))
}
