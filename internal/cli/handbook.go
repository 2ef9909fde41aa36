package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/footnote-bot/footnote/testdata/handbook"
)

// writeHandbook makes the folder hold exactly the sample documents and tells
// whether anything had to be done.
func writeHandbook(dir string) (changed bool, err error) {
	docs, err := fs.Sub(handbook.FS, handbook.Root)
	if err != nil {
		return false, err
	}
	wanted := map[string]bool{}
	err = fs.WalkDir(docs, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		wanted[path] = true
		did, err := writeSample(docs, path, dir)
		changed = changed || did
		return err
	})
	if err != nil {
		return changed, err
	}
	dropped, err := dropOthers(dir, wanted)
	return changed || dropped, err
}

func writeSample(docs fs.FS, path, dir string) (changed bool, err error) {
	want, err := fs.ReadFile(docs, path)
	if err != nil {
		return false, err
	}
	target := filepath.Join(dir, filepath.FromSlash(path))
	if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, want) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return false, err
	}
	return true, os.WriteFile(target, want, 0o600)
}

// dropOthers removes files that an earlier version of the program wrote.
func dropOthers(dir string, wanted map[string]bool) (changed bool, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || wanted[filepath.ToSlash(rel)] {
			return err
		}
		changed = true
		return os.Remove(path)
	})
	return changed, err
}
