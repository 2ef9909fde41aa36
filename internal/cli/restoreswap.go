package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

const (
	// restoreStage holds what is about to come into the data folder, inside of it, so
	// that the last step is made of renames alone.
	restoreStage = "restore-new"
	// restoreMark says that what is staged counts from now on.
	restoreMark  = "restore.json"
	restoreAside = "before-restore-"
)

// swap is what a restore's mark says.
type swap struct {
	Aside string   `json:"aside"` // folder for what was there before
	Names []string `json:"names"` // that come out of the stage
}

// outgoing are the names that make room in a restore: what belongs to the ledger that
// goes, with what is made from it.
func (s swap) outgoing() []string {
	return append([]string{store.FileName + "-wal", store.FileName + "-shm", keyFile + ".new", indexFolder, sourcesDir}, s.Names...)
}

// mark begins the exchange. Until it is on the disk the old data counts, from then on
// the new: whoever opens the folder next carries it on.
func (s swap) mark(dir string) error {
	raw, err := json.Marshal(s)
	if err == nil {
		err = syncFolder(filepath.Join(dir, restoreStage))
	}
	if err == nil {
		err = replaceFile(filepath.Join(dir, restoreMark), raw)
	}
	return errors.Join(err, syncFolder(dir))
}

// renamer renames a file; tests make it fail.
type renamer func(from, to string) error

// finishRestore carries a marked restore to its end, from whichever step it was
// stopped at, and does nothing where there is none. The caller holds the folder's
// lock. It returns the folder that holds what was there before, "" if there was nothing.
func finishRestore(dir string, rename renamer) (aside string, err error) {
	defer func() {
		if err != nil {
			err = core.Errorf(core.KindDisk, "a restore into %s was stopped half way and cannot be ended: %w; mend that and run any command, nothing is lost", dir, err)
		}
	}()
	raw, err := os.ReadFile(filepath.Join(dir, restoreMark))
	if errors.Is(err, os.ErrNotExist) {
		return "", os.RemoveAll(filepath.Join(dir, restoreStage)) // of a restore that was stopped before it counted
	}
	var s swap
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return "", err
	}
	stage := filepath.Join(dir, restoreStage)
	aside = filepath.Join(dir, s.Aside)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return "", err
	}
	for _, name := range s.outgoing() {
		// A name that has left the stage is the new one already.
		if slices.Contains(s.Names, name) && missing(filepath.Join(stage, name)) || missing(filepath.Join(dir, name)) {
			continue
		}
		if err := rename(filepath.Join(dir, name), filepath.Join(aside, name)); err != nil {
			return "", err
		}
	}
	for _, name := range s.Names {
		if missing(filepath.Join(stage, name)) {
			continue
		}
		if err := rename(filepath.Join(stage, name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	if err := errors.Join(syncFolder(aside), syncFolder(dir), rename(filepath.Join(dir, restoreMark), filepath.Join(stage, restoreMark)), syncFolder(dir)); err != nil {
		return "", err
	}
	if err := os.RemoveAll(stage); err != nil {
		return "", err
	}
	if os.Remove(aside) == nil { // there was nothing
		return "", nil
	}
	return aside, nil
}

func asideName(now time.Time) string { return restoreAside + now.UTC().Format("20060102-150405") }
