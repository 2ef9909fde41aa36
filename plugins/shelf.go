package plugins

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// put writes a connector's block into the lock, or into the list of followed
// ones, and takes it out of the other.
func (s Shelf) put(l Locked) error {
	if l.Follows != "" {
		return change(s.followPath(), l.Name, &l)
	}
	if err := change(s.LockFile, l.Name, &l); err != nil {
		return err
	}
	return change(s.followPath(), l.Name, nil)
}

// Remove takes a connector off the shelf and out of the lock. One that is followed
// is only no longer followed: where the lock has one of that name, that one counts
// again. For the caller to see to it that no source is left without a connector.
func (s Shelf) Remove(name string) error {
	l, err := s.Find(name)
	if err != nil {
		return err
	}
	if l.Follows != "" {
		return change(s.followPath(), name, nil)
	}
	if err := change(s.LockFile, name, nil); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, name)); err != nil {
		return core.Errorf(core.KindDisk, "connector %q is no longer in the lock, but its program could not be removed: %w", name, err)
	}
	return nil
}

// Beneath tells whether the lock has a connector of that name, which a followed
// one may hide.
func (s Shelf) Beneath(name string) (bool, error) {
	blocks, err := readLock(s.LockFile)
	return slices.ContainsFunc(blocks, func(l Locked) bool { return l.Name == name }), err
}

// clear removes what installations left that were killed.
func (s Shelf) clear() error {
	left, err := filepath.Glob(filepath.Join(s.Dir, ".new-*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// keepOnly removes the other versions of a connector. One that still runs runs
// on: its file is gone when it ends.
func (s Shelf) keepOnly(name, version string) error {
	entries, err := os.ReadDir(filepath.Join(s.Dir, name))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != version {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.Dir, name, e.Name())))
		}
	}
	return err
}

// change puts the block in the place of the one of that name, or removes that one
// if block is nil.
func change(file, name string, block *Locked) error {
	blocks, err := readLock(file)
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(blocks), func(l Locked) bool { return l.Name == name })
	if block != nil {
		rest = append(rest, *block)
	} else if len(rest) == len(blocks) {
		return nil
	}
	if err := replace(file, formatLock(rest)); err != nil {
		return core.Errorf(core.KindDisk, "%s cannot be written: %w", file, err)
	}
	return nil
}

// replace writes a file in one step: who reads it meanwhile sees the old or the
// new one.
func replace(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".plugins-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
