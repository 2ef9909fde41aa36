package vector

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/footnote-bot/footnote/core"
)

// A set is packed into a new folder once half of its rows are dead and these are
// more than packRows.
const (
	packRows  = 1024
	packBatch = 8192 // rows that are copied at once
)

// Begin makes an empty set, also in the place of one that is damaged. Searches with
// a view of the old one may go on.
func (x *Sets) Begin(set core.VectorSet) (*Set, error) {
	damaged := x.open[set] != nil
	s, err := x.renew(set)
	if err != nil {
		return nil, err
	}
	x.swap(set, s)
	if damaged && x.lost != nil {
		x.lost()
	}
	return s, nil
}

// Use puts a set in use, which begins empty if there is none, and drops all others
// but those to keep. The zero set turns vectors off.
func (x *Sets) Use(set core.VectorSet, keep ...core.VectorSet) error {
	if set != (core.VectorSet{}) && x.open[set] == nil {
		if _, err := x.Begin(set); err != nil {
			return err
		}
	}
	stays := func(l core.VectorSet) bool { return l == set || slices.Contains(keep, l) }
	next := list{Use: set, Next: x.list.Next}
	for _, l := range x.list.Sets {
		if stays(l.VectorSet) {
			next.Sets = append(next.Sets, l)
		}
	}
	if err := x.write(next); err != nil {
		return err
	}
	for name := range x.open {
		if !stays(name) {
			x.swap(name, nil)
		}
	}
	return nil
}

// Pack copies the living rows of sets that are half dead into new folders. A set
// that turns out damaged begins again.
func (x *Sets) Pack() error {
	for _, l := range slices.Clone(x.list.Sets) {
		s := x.open[l.VectorSet]
		if dead := s.state.rows - len(s.rows); dead <= packRows || 2*dead < s.state.rows {
			continue
		}
		err := x.pack(l.VectorSet, s)
		if errors.Is(err, ErrDamaged) {
			x.log.Warn("vectors are damaged and start empty", "dir", x.dir, "model", l.Model, "error", err)
			_, err = x.Begin(l.VectorSet)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Sets) pack(name core.VectorSet, old *Set) error {
	dir := x.folder(x.list.Next)
	next, err := create(dir, name.Dimensions)
	if err != nil {
		return err
	}
	if err = next.copyFrom(old); err == nil {
		err = x.enter(name)
	}
	if err != nil {
		return errors.Join(err, next.close(), os.RemoveAll(dir))
	}
	x.swap(name, next)
	return nil
}

// copyFrom puts another set's living rows.
func (s *Set) copyFrom(old *Set) error {
	v := &View{set: old, state: old.state}
	var rows []uint32
	for _, row := range old.rows {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	for part := range slices.Chunk(rows, packBatch) {
		items := make([]Item, 0, len(part))
		err := v.eachValue(context.Background(), part, func(row uint32, rec []byte) {
			it := Item{Passage: v.state.passage(row), Owner: v.state.owner(row), Unit: make([]float32, s.dimensions)}
			valueOf(it.Unit, rec)
			items = append(items, it)
		})
		if err != nil {
			return err
		}
		if err := s.Put(items); err != nil {
			return err
		}
	}
	return nil
}

// renew makes an empty set and enters it into the list.
func (x *Sets) renew(set core.VectorSet) (*Set, error) {
	dir := x.folder(x.list.Next)
	s, err := create(dir, set.Dimensions)
	if err != nil {
		return nil, err
	}
	if err := x.enter(set); err != nil {
		return nil, errors.Join(err, s.close(), os.RemoveAll(dir))
	}
	return s, nil
}

// enter makes the folder of the next number the set's.
func (x *Sets) enter(set core.VectorSet) error {
	next := list{Use: x.list.Use, Next: x.list.Next + 1}
	for _, l := range x.list.Sets {
		if l.VectorSet != set {
			next.Sets = append(next.Sets, l)
		}
	}
	next.Sets = append(next.Sets, listed{VectorSet: set, Folder: strconv.Itoa(x.list.Next)})
	return x.write(next)
}

// swap puts a set, or none, in the place of another, whose folder goes when its
// last view does.
func (x *Sets) swap(name core.VectorSet, next *Set) {
	x.mu.Lock()
	old := x.open[name]
	delete(x.open, name)
	if next != nil {
		x.open[name] = next
	}
	x.mu.Unlock()
	if old == nil {
		return
	}
	old.retire(func() {
		if err := errors.Join(old.close(), os.RemoveAll(old.dir)); err != nil {
			x.log.Warn("old vectors could not be removed; the next start does it", "dir", old.dir, "error", err)
		}
	})
}

// write replaces the list durably.
func (x *Sets) write(next list) error {
	b, err := json.Marshal(next)
	if err != nil {
		return err
	}
	name := filepath.Join(x.dir, listFile)
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return x.diskError(err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err = errors.Join(err, syncFolder(x.dir)); err != nil {
		return x.diskError(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.list = next
	return nil
}

func (x *Sets) folder(number int) string { return filepath.Join(x.dir, strconv.Itoa(number)) }
