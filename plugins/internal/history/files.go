package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Files is a source's own folder, with one file for each channel that says what was
// sent of it. Without a folder nothing is kept.
type Files struct{ Dir string }

func (f Files) name(id string) string { return filepath.Join(f.Dir, "known-"+id+".json") }

// Read is false where there is no file, or none that can be read.
func (f Files) Read(id string, into any) bool {
	if f.Dir == "" {
		return false
	}
	data, err := os.ReadFile(f.name(id))
	return err == nil && json.Unmarshal(data, into) == nil
}

// Write replaces the file of a channel, whole or not at all.
func (f Files) Write(id string, what any) error {
	if f.Dir == "" {
		return nil
	}
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(f.name(id)+".new", data, 0o600), os.Rename(f.name(id)+".new", f.name(id))); err != nil {
		return fmt.Errorf("the list of what was sent cannot be written: %w", err)
	}
	return nil
}

func (f Files) remove(id string) error {
	if f.Dir == "" {
		return nil
	}
	if err := os.Remove(f.name(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the list of what was sent cannot be removed: %w", err)
	}
	return nil
}

// Forget gives up marks, and not what they are of: they are of another cursor.
func Forget(marks map[string]string) {
	for id := range marks {
		marks[id] = ""
	}
}

// Without is the list without one of its texts.
func Without(list []string, one string) []string {
	return slices.DeleteFunc(list, func(other string) bool { return other == one })
}
