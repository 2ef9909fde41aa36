package vector

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/footnote-bot/footnote/core"
)

const listFile = "sets.json"

// Sets is a folder with the vectors of several models, of which one may be in use.
// Where nothing else is said its calls are the caller's to order, one at a time.
type Sets struct {
	dir  string
	log  *slog.Logger
	lost func() // nil tells nobody

	mu   sync.Mutex // held by views and by what they must not see half done
	list list
	open map[core.VectorSet]*Set
}

// list is what the folder holds.
type list struct {
	Use  core.VectorSet `json:"use"`
	Sets []listed       `json:"sets"`
	Next int            `json:"next"` // number of the next folder
}

type listed struct {
	core.VectorSet
	Folder string `json:"folder"`
}

// OpenSets opens the folder, which is created if missing. A set that is damaged
// starts empty, with a message in the log. Folders that are not listed, such as
// those of an interrupted write, are removed.
func OpenSets(ctx context.Context, dir string, log *slog.Logger) (*Sets, error) {
	x := &Sets{dir: dir, log: log, open: map[core.VectorSet]*Set{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, x.diskError(err)
	}
	if err := x.readList(ctx); err != nil {
		return nil, err
	}
	if err := x.tidy(); err != nil {
		return nil, err
	}
	for _, l := range slices.Clone(x.list.Sets) {
		s, err := open(filepath.Join(dir, l.Folder), l.Dimensions)
		if errors.Is(err, ErrDamaged) {
			log.WarnContext(ctx, "vectors are damaged and start empty", "dir", dir, "model", l.Model, "error", err)
			s, err = x.renew(l.VectorSet)
		}
		if err != nil {
			return nil, errors.Join(err, x.Close())
		}
		x.open[l.VectorSet] = s
	}
	return x, nil
}

// OnLost makes the function be told when a set turns out damaged after it was opened
// and begins again empty. It runs inside of the call that begins the set and must not
// call Sets. Set it before the first such call.
func (x *Sets) OnLost(told func()) { x.lost = told }

func (x *Sets) readList(ctx context.Context) error {
	b, err := os.ReadFile(filepath.Join(x.dir, listFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if sets, err := filepath.Glob(filepath.Join(x.dir, "*", "codes")); err == nil && len(sets) > 0 {
			x.log.WarnContext(ctx, "the list of vectors is gone; all start empty", "dir", x.dir)
		}
		return nil
	case err != nil:
		return x.diskError(err)
	}
	if err := json.Unmarshal(b, &x.list); err != nil || !x.list.good() {
		x.log.WarnContext(ctx, "the list of vectors cannot be read; all start empty", "dir", x.dir)
		x.list = list{}
	}
	return nil
}

func (l list) good() bool {
	for _, s := range l.Sets {
		if _, err := strconv.Atoi(s.Folder); err != nil || s.Dimensions <= 0 || s.Dimensions > MaxDimensions {
			return false
		}
	}
	return l.Use == core.VectorSet{} || slices.ContainsFunc(l.Sets, func(s listed) bool { return s.VectorSet == l.Use })
}

// tidy removes what the list does not name.
func (x *Sets) tidy() error {
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		return x.diskError(err)
	}
	for _, e := range entries {
		if e.Name() == listFile || slices.ContainsFunc(x.list.Sets, func(l listed) bool { return l.Folder == e.Name() }) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(x.dir, e.Name())); err != nil {
			return x.diskError(err)
		}
	}
	return nil
}

// Get gives a set; nil if there is none. It may be called at any time.
func (x *Sets) Get(set core.VectorSet) *Set {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[set]
}

// Empty tells that there is no set.
func (x *Sets) Empty() bool { return len(x.open) == 0 }

// View takes a view of the set in use, as it will be after a change if one is
// given. It is nil if no set is in use. It may be called at any time.
func (x *Sets) View(after *Changes) (core.VectorSet, *View) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.open[x.list.Use]
	switch {
	case s == nil:
		return core.VectorSet{}, nil
	case after != nil && after.sets[s] != nil:
		return x.list.Use, after.sets[s].View()
	}
	return x.list.Use, s.View()
}

// Adopt gives the vectors of opened sets their owners; the passages that have none
// lose theirs.
func (x *Sets) Adopt(owners map[core.PassageID]uint32) error {
	for _, s := range x.open {
		if err := s.Adopt(owners); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the files. No view may be left.
func (x *Sets) Close() error {
	var errs []error
	for _, s := range x.open {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

func (x *Sets) diskError(err error) error {
	return core.Wrap(core.KindDisk, err,
		"The vectors in "+x.dir+" cannot be read or written. Check the free space and the permissions of that folder.")
}

// Changes is a change of owners in all sets.
type Changes struct{ sets map[*Set]*Change }

// Prepare makes a change ready, see Set.Prepare.
func (x *Sets) Prepare(owners map[core.PassageID]uint32) *Changes {
	c := &Changes{sets: make(map[*Set]*Change, len(x.open))}
	for _, s := range x.open {
		c.sets[s] = s.Prepare(owners)
	}
	return c
}

// Apply puts the change in force at once, in memory.
func (c *Changes) Apply() {
	for _, change := range c.sets {
		change.Apply()
	}
}

// Save makes an applied change durable.
func (c *Changes) Save() error {
	var errs []error
	for _, change := range c.sets {
		errs = append(errs, change.Save())
	}
	return errors.Join(errs...)
}
