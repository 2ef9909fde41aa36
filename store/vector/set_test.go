package vector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// unit makes the same vector for the same seed.
func unit(dimensions int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 9))
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(rng.NormFloat64() + 0.4)
	}
	out, _ := Unit(v)
	return out
}

func items(dimensions int, passages ...uint64) []Item {
	var out []Item
	for _, p := range passages {
		out = append(out, Item{Passage: core.PassageID(p), Owner: uint32(p), Unit: unit(dimensions, p)})
	}
	return out
}

func span(from, to uint64) (out []uint64) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func newTestSet(t *testing.T, dimensions int, passages ...uint64) *Set {
	t.Helper()
	s, err := create(filepath.Join(t.TempDir(), "set"), dimensions)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(items(dimensions, passages...)); err != nil {
		t.Fatal(err)
	}
	return s
}

// wantPassages compares what a set holds, and that each passage is found by its own
// vector.
func wantPassages(t *testing.T, s *Set, want ...uint64) {
	t.Helper()
	got := []uint64{}
	for _, p := range s.Passages() {
		got = append(got, uint64(p))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("passages = %v, want %v", got, want)
	}
	v := s.View()
	defer v.Release()
	for _, p := range want {
		found, err := v.Search(t.Context(), unit(s.dimensions, p), all, 1)
		if err != nil || len(found) != 1 || uint64(found[0].Passage) != p || found[0].Cosine < 0.9999 {
			t.Fatalf("search for passage %d: %+v, %v", p, found, err)
		}
	}
}

// all lets every owner of these tests through.
var all = func() Mask {
	m := make(Mask, 1<<12)
	for i := range m {
		m[i] = ^uint64(0)
	}
	m[0] &^= 1
	return m
}()

// owned gives each passage the owner of its own number.
func owned(to uint64) map[core.PassageID]uint32 {
	out := map[core.PassageID]uint32{}
	for _, p := range span(1, to) {
		out[core.PassageID(p)] = uint32(p)
	}
	return out
}

// TestSearchAgreesWithAll compares searches by code with a comparison of each. Half
// of the vectors come after the codes were centred. Vectors without any clusters
// are the hardest to find.
func TestSearchAgreesWithAll(t *testing.T) {
	for _, row := range []struct {
		vectors    uint64
		dimensions int
	}{{exactRows + 400, 256}, {5000, 100}, {5000, 384}} {
		if testing.Short() && row.vectors == 5000 {
			continue // seconds under the race detector
		}
		s := newTestSet(t, row.dimensions, span(1, row.vectors/2)...)
		defer s.close()
		if err := s.Put(items(row.dimensions, span(row.vectors/2+1, row.vectors)...)); err != nil {
			t.Fatal(err)
		}
		if s.centred == 0 {
			t.Error("the codes were never centred")
		}
		mask := make(Mask, row.vectors/64+1)
		for i := range mask {
			mask[i] = 0xfffffffffffffff0
		}
		stored := items(row.dimensions, span(1, row.vectors)...)
		v := s.View()
		defer v.Release()
		missed := 0
		for q := range uint64(6) {
			query := unit(row.dimensions, q+1_000_000)
			var want []Match
			for _, it := range stored {
				if mask.has(it.Owner) {
					want = append(want, Match{Passage: it.Passage, Owner: it.Owner, Cosine: cosineOf(it.Unit, query)})
				}
			}
			slices.SortFunc(want, func(a, b Match) int { return cmp.Compare(b.Cosine, a.Cosine) })
			got, err := v.Search(t.Context(), query, mask, 10)
			if err != nil || len(got) != 10 {
				t.Fatalf("Search: %d, %v", len(got), err)
			}
			for _, w := range want[:10] {
				i := slices.IndexFunc(got, func(g Match) bool { return g.Passage == w.Passage })
				if i < 0 {
					missed++
					continue
				}
				if diff := got[i].Cosine - w.Cosine; diff > 1e-4 || diff < -1e-4 || got[i].Owner != w.Owner {
					t.Errorf("%+v, want %+v", got[i], w)
				}
			}
		}
		if missed > 6 { // one in ten
			t.Errorf("%+v: %d of 60 missed", row, missed)
		}
	}
}

// TestViewsStay takes a view, changes everything, and looks through it.
func TestViewsStay(t *testing.T) {
	s := newTestSet(t, 8, span(1, 50)...)
	defer s.close()
	v := s.View()
	replaced := items(8, 7)
	replaced[0].Unit = unit(8, 7000)
	if err := s.Put(append(replaced, items(8, span(51, 90)...)...)); err != nil {
		t.Fatal(err)
	}
	c := s.Prepare(map[core.PassageID]uint32{1: 0, 2: 200, 77: 0, 1000: 5})
	after := c.View()
	c.Apply()
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	got, err := v.Cosines(t.Context(), unit(8, 7), []core.PassageID{1, 2, 7, 51, 1000})
	if err != nil || len(got) != 3 || got[7] < 0.9999 {
		t.Errorf("before: %v, %v, want passages 1, 2 and 7 as they were", got, err)
	}
	if found, err := v.Search(t.Context(), unit(8, 7), all, 100); err != nil || len(found) != 50 {
		t.Errorf("before: %d found, %v, want 50", len(found), err)
	}
	got, err = after.Cosines(t.Context(), unit(8, 7000), []core.PassageID{1, 2, 7, 51, 77})
	if err != nil || len(got) != 3 || got[7] < 0.9999 {
		t.Errorf("after: %v, %v, want passages 2, 7 as it is now, and 51", got, err)
	}
	if found, err := after.Search(t.Context(), unit(8, 2), Mask{0, 0, 0, 1 << 8}, 100); err != nil || len(found) != 1 || found[0].Passage != 2 {
		t.Errorf("after: %v, %v, want passage 2 with its new owner", found, err)
	}
	v.Release()
	after.Release()
}

// TestPack drops most of a set and looks for the rest, in the set and in its new
// folder, while searches go on.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	x, err := OpenSets(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	set := core.VectorSet{Model: "m", Dimensions: 16}
	if err := x.Use(set); err != nil {
		t.Fatal(err)
	}
	const n = 3 * packRows
	if err := x.Get(set).Put(items(16, span(1, n)...)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_, v := x.View(nil)
			found, err := v.Search(context.Background(), unit(16, n), all, 1)
			v.Release()
			if err != nil || len(found) != 1 || found[0].Passage != n {
				t.Errorf("found %v, %v, want the last passage", found, err)
				return
			}
		}
	})
	gone := map[core.PassageID]uint32{}
	for _, p := range span(1, 2*packRows) {
		gone[core.PassageID(p)] = 0
	}
	c := x.Prepare(gone)
	c.Apply()
	if err := errors.Join(c.Save(), x.Pack()); err != nil {
		t.Fatal(err)
	}
	close(done)
	readers.Wait()
	s := x.Get(set)
	if s.state.rows != packRows {
		t.Errorf("%d rows after packing, want %d", s.state.rows, packRows)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = OpenSets(t.Context(), dir, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Adopt(owned(n)); err != nil {
		t.Fatal(err)
	}
	if got := len(x.Get(set).Passages()); got != packRows {
		t.Errorf("%d passages after opening again, want %d", got, packRows)
	}
	if folders, err := filepath.Glob(filepath.Join(dir, "*", "codes")); err != nil || len(folders) != 1 {
		t.Errorf("folders = %v, %v, want one", folders, err)
	}
}

// TestFailedWriteLeavesNothing lets a write fail after its codes are in the file:
// the next one does not bring them back.
func TestFailedWriteLeavesNothing(t *testing.T) {
	s := newTestSet(t, 5, 1, 2, 3)
	whole := s.codes
	readOnly, err := os.Open(s.path("codes"))
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	s.codes = readOnly
	if err := s.Put(items(5, 7, 8, 9)); core.KindOf(err) != core.KindDisk {
		t.Fatalf("Put into a file that cannot be written: %v, want kind disk", err)
	}
	wantPassages(t, s, 1, 2, 3)
	s.codes = whole
	size := codeSize(wordsFor(5))
	left := make([]byte, 3*size)
	for i, it := range items(5, 7, 8, 9) {
		code := make([]uint64, wordsFor(5))
		encode(code, it.Unit, s.state.mean)
		putCode(left[i*size:(i+1)*size], it.Passage, code)
	}
	if _, err := s.codes.WriteAt(left, codeHead(5)+int64(3*size)); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(items(5, 10)); err != nil {
		t.Fatal(err)
	}
	wantPassages(t, s, 1, 2, 3, 10)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if s, err = open(s.dir, 5); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.Adopt(owned(20)); err != nil {
		t.Fatal(err)
	}
	wantPassages(t, s, 1, 2, 3, 10)
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// logged is a log that tests read.
func logged(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func wantLog(t *testing.T, log fmt.Stringer, text string) {
	t.Helper()
	if !strings.Contains(log.String(), text) {
		t.Errorf("the log lacks %q: %s", text, log)
	}
}
