package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Shelf is where installed connectors lie, and the lock that says what they must
// be. Its methods read both anew each time, so that what another process installs
// counts at once; who changes them holds the data folder.
type Shelf struct {
	Dir      string   // holds NAME/VERSION/NAME
	LockFile string   // plugins.lock
	Bundled  []string // names that no installed connector may have
	Platform string   // of this machine; empty means that of this program
}

// followFile lists the programs that are followed, in the form of the lock. It
// lies with the programs and not in the lock: their paths mean something on this
// machine only.
const followFile = "dev.lock"

func (s Shelf) platform() string {
	if s.Platform != "" {
		return s.Platform
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// All lists the installed connectors by name, also those of the lock whose
// program is not on this machine.
func (s Shelf) All() ([]Locked, error) {
	locked, err := readLock(s.LockFile)
	if err != nil {
		return nil, err
	}
	followed, err := readLock(s.followPath())
	if err != nil {
		return nil, err
	}
	byName := map[string]Locked{}
	for _, l := range locked {
		if l.Follows != "" {
			return nil, core.Errorf(core.KindConfig,
				"%s: the block of %s follows a path, which belongs on one machine only: remove the block and use footnote plugin install --dev", s.LockFile, l.Name)
		}
		byName[l.Name] = l
	}
	for _, l := range followed {
		if l.Follows != "" {
			byName[l.Name] = l
		}
	}
	maps.DeleteFunc(byName, func(name string, _ Locked) bool { return slices.Contains(s.Bundled, name) })
	out := make([]Locked, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out, nil
}

// Find returns one installed connector; an unknown name is of kind not found.
func (s Shelf) Find(name string) (Locked, error) {
	all, err := s.All()
	if err != nil {
		return Locked{}, err
	}
	for _, l := range all {
		if l.Name == name {
			return l, nil
		}
	}
	return Locked{}, core.Errorf(core.KindNotFound, "no connector %q is installed", name)
}

// Program is where the program of an installed connector lies on this machine.
func (s Shelf) Program(l Locked) string {
	if l.Follows != "" {
		return l.Follows
	}
	return filepath.Join(s.Dir, l.Name, l.Version, l.Name)
}

// Pin is for Options.Pin.
func (s Shelf) Pin(connector string) (path, sha256 string, ok bool) {
	l, err := s.Find(connector)
	if err != nil || l.Follows != "" {
		return "", "", false
	}
	sum, ok := l.Programs[s.platform()]
	return s.Program(l), sum, ok
}

// Command is for Options.Command, for connectors that Pin does not know: it tells
// the path of a followed one and why any other cannot be started.
func (s Shelf) Command(connector string) (exe string, args []string, err error) {
	l, err := s.Find(connector)
	switch {
	case err != nil:
		return "", nil, err
	case l.Follows != "":
		return l.Follows, nil, nil
	}
	return "", nil, s.noPlatform(l)
}

// noPlatform says that a lock has nothing for this machine.
func (s Shelf) noPlatform(l Locked) error {
	if _, ok := l.Downloads[s.platform()]; ok || l.Module.Path != "" {
		return core.Errorf(core.KindNotFound,
			"connector %q is in %s, but not on this machine yet: footnote plugin install %s", l.Name, s.LockFile, l.Name)
	}
	have := slices.Concat(slices.Collect(maps.Keys(l.Programs)), slices.Collect(maps.Keys(l.Downloads)))
	slices.Sort(have)
	return core.Errorf(core.KindNotFound,
		"connector %q: %s has nothing for %s, only for %s: install %s on this platform from a release that has it, or build it here",
		l.Name, s.LockFile, s.platform(), strings.Join(slices.Compact(have), ", "), l.Name)
}

// Verify reads the program of every installed connector, or of the named one, and
// tells what is wrong with it, nil if nothing is.
func (s Shelf) Verify(l Locked) error {
	path := s.Program(l)
	if l.Follows != "" {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return core.Errorf(core.KindNotFound, "connector %q follows %s, where no program is: build it, or: footnote plugin remove %s", l.Name, path, l.Name)
		}
		return nil
	}
	want, ok := l.Programs[s.platform()]
	if !ok {
		return s.noPlatform(l)
	}
	got, err := sumOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return core.Errorf(core.KindNotFound, "connector %q is in %s, but its program %s is not there: footnote plugin install %s", l.Name, s.LockFile, path, l.again())
	case err != nil:
		return core.Wrap(core.KindDisk, err, fmt.Sprintf("connector %q: its program cannot be read: %v", l.Name, err))
	case got != want:
		return core.Errorf(core.KindConfig,
			"connector %q: %s has SHA-256 %s, but %s says %s. The program was changed or replaced after it was installed; it is not started. If that is your doing, or to get back what was locked: footnote plugin install %s",
			l.Name, path, got, s.LockFile, want, l.again())
	}
	return nil
}

// again is what to install to have the connector back.
func (l Locked) again() string {
	if l.Source == SourceLocal {
		return "FILE"
	}
	return l.Name
}

func (s Shelf) followPath() string { return filepath.Join(s.Dir, followFile) }

// readLock reads a lock file; one that does not exist is empty.
func readLock(file string) ([]Locked, error) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, core.Wrap(core.KindDisk, err, fmt.Sprintf("the lock of connectors cannot be read: %v", err))
	}
	return parseLock(file, text)
}
