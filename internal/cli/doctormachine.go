package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/store"
)

// checkDisk tells whether there is room to go on, and for a copy of the ledger.
func (a *app) checkDisk() check {
	free, known := freeBytes(a.cfg.DataDir)
	if !known {
		return check{Name: "disk", Outcome: unknown, Detail: "this system does not tell how much is free"}
	}
	var ledger int64
	if info, err := os.Stat(filepath.Join(a.cfg.DataDir, store.FileName)); err == nil {
		ledger = info.Size()
	}
	return diskCheck(free, ledger)
}

const (
	leastFree = 100 << 20 // below this a write may fail at any moment
	goodFree  = 1 << 30
)

// diskCheck judges free disk beside the size of the ledger, both in bytes.
func diskCheck(free, ledger int64) check {
	k := check{Name: "disk", Outcome: passed, Detail: size(free) + " free, the ledger has " + size(ledger)}
	switch {
	case free < leastFree:
		k.Outcome, k.Fix = failed, "make room on the disk of the data folder: Footnote stops to remember when it is full"
	case free < max(goodFree, 2*ledger):
		k.Outcome, k.Fix = warned, "make room: a backup or an upgrade needs as much as the ledger has, rebuilding the index about as much again"
	}
	return k
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d kB", n>>10)
}

// checkFiles names files with secrets that others may read, and a list of connectors
// that others may change.
func (a *app) checkFiles() []check {
	var open []string
	for _, name := range []string{store.FileName, store.FileName + "-wal", keyFile, keyFile + ".new"} {
		path := filepath.Join(a.cfg.DataDir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
	}
	k := check{Name: "permissions", Outcome: passed, Detail: "ledger and key are yours alone"}
	if len(open) > 0 {
		k.Outcome, k.Detail, k.Fix = warned, strings.Join(open, ", ")+" may be read by other users of this machine", "chmod 600 "+strings.Join(open, " ")
	}
	out := []check{k}
	if info, err := os.Stat(a.shelf.LockFile); err == nil && info.Mode().Perm()&0o022 != 0 {
		out = append(out, check{Name: "permissions of " + lockName, Outcome: failed,
			Detail: a.shelf.LockFile + " may be changed by other users of this machine, who could put another connector in place",
			Fix:    "chmod go-w " + a.shelf.LockFile + ", and look at what is in it"})
	}
	return out
}

func (a *app) checkIntegrity(ctx context.Context) check {
	k := check{Name: "ledger", Outcome: passed, Detail: "its file is sound"}
	switch err := a.store.QuickCheck(ctx); {
	case ctx.Err() != nil:
		k.Outcome, k.Detail = unknown, "it is too large to be read through in the time that a check-up has"
		k.Fix = "footnote backup, then footnote restore FILE --check, reads all of it"
	case err != nil:
		k.Outcome, k.Detail, k.Fix = failed, err.Error(), "stop Footnote and run: footnote restore with the newest backup; what is damaged is kept beside it"
	}
	return k
}

// backupStale is how old the newest backup may be.
const backupStale = 7 * 24 * time.Hour

// checkBackups tells how old the last backup is, once there is something to lose.
func (a *app) checkBackups(ctx context.Context) []check {
	noted, err := a.store.Note(ctx, backupKey)
	if err != nil {
		return []check{{Name: "backup", Outcome: failed, Detail: err.Error()}}
	}
	counts, err := a.store.Counts(ctx)
	if err != nil || counts.Documents == 0 && noted == "" {
		return nil // the index says what is wrong with the ledger
	}
	return []check{backupCheck(noted, a.store.Now())}
}

// backupCheck judges the note of the last backup.
func backupCheck(noted string, now time.Time) check {
	const fix = "footnote backup FOLDER --keep 14, every night; docs/operations.md says how"
	last, err := time.Parse(time.RFC3339, noted)
	switch age := now.Sub(last); {
	case noted == "" || err != nil:
		return check{Name: "backup", Outcome: warned, Detail: "none was made yet", Fix: fix}
	case age < -time.Hour:
		return check{Name: "backup", Outcome: warned, Detail: "the last one is of the future: the clock was set back", Fix: fix}
	case age > backupStale:
		return check{Name: "backup", Outcome: warned, Detail: fmt.Sprintf("the last one is %d days old", int(age.Hours()/24)), Fix: fix}
	}
	return check{Name: "backup", Outcome: passed, Detail: "the last one is of " + last.Local().Format("2006-01-02 15:04")}
}
