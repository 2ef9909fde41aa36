package vector

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// TestCutAnywhere opens a set whose last write was broken off at each byte of each
// file: what was written before is there, and more can be written.
func TestCutAnywhere(t *testing.T) {
	const dimensions = 5
	s := newTestSet(t, dimensions, 1, 2, 3)
	sizes := map[string]int64{}
	for _, name := range []string{"values", "codes", "gone"} {
		sizes[name] = size(t, s.path(name))
	}
	if err := s.Put(items(dimensions, 4)); err != nil {
		t.Fatal(err)
	}
	c := s.Prepare(map[core.PassageID]uint32{2: 0})
	c.Apply()
	if err := errors.Join(c.Save(), s.close()); err != nil {
		t.Fatal(err)
	}
	for name, before := range sizes {
		after := size(t, s.path(name))
		if after <= before {
			t.Fatalf("%s did not grow", name)
		}
		for at := before; at < after; at++ {
			dir := filepath.Join(t.TempDir(), "set")
			copyFolder(t, s.dir, dir)
			if name == "values" { // their codes are written later
				truncate(t, filepath.Join(dir, "codes"), sizes["codes"])
			}
			truncate(t, filepath.Join(dir, name), at)
			again, err := open(dir, dimensions)
			if err != nil {
				t.Fatalf("%s cut at %d of %d: %v", name, at, after, err)
			}
			if err := again.Adopt(owned(9)); err != nil {
				t.Fatal(err)
			}
			want := []uint64{1, 3}
			if name == "gone" {
				want = []uint64{1, 2, 3, 4}
			}
			wantPassages(t, again, want...)
			if err := again.Put(items(dimensions, 5)); err != nil {
				t.Fatal(err)
			}
			if err := again.close(); err != nil {
				t.Fatal(err)
			}
			if again, err = open(dir, dimensions); err != nil {
				t.Fatal(err)
			}
			if err := again.Adopt(owned(9)); err != nil {
				t.Fatal(err)
			}
			wantPassages(t, again, append(want, 5)...)
			if err := again.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFlippedBytes changes bytes of each file, one in turn. Either the damage is
// found, or what is found is right.
func TestFlippedBytes(t *testing.T) {
	const dimensions = 5
	s := newTestSet(t, dimensions, 1, 2, 3, 4, 5)
	c := s.Prepare(map[core.PassageID]uint32{2: 0, 3: 0})
	c.Apply()
	if err := errors.Join(c.Save(), s.close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"values", "codes", "gone"} {
		whole, err := os.ReadFile(s.path(name))
		if err != nil {
			t.Fatal(err)
		}
		found, step := 0, 2
		if testing.Short() {
			step = 7
		}
		for at := 0; at < len(whole); at += step {
			broken := bytes.Clone(whole)
			broken[at] ^= 0x41
			dir := filepath.Join(t.TempDir(), "set")
			copyFolder(t, s.dir, dir)
			if err := os.WriteFile(filepath.Join(dir, name), broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if !searches(t, dir, dimensions) {
				found++
			}
		}
		if found < len(whole)/step/2 {
			t.Errorf("%s: damage at %d of %d places was found", name, found, len(whole)/step)
		}
	}
}

// searches opens a set and searches it; false where damage was found.
func searches(t *testing.T, dir string, dimensions int) bool {
	t.Helper()
	s, err := open(dir, dimensions)
	if errors.Is(err, ErrDamaged) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.Adopt(owned(9)); err != nil {
		t.Fatal(err)
	}
	v := s.View()
	defer v.Release()
	for p := uint64(1); p <= 5; p++ {
		found, err := v.Search(t.Context(), unit(dimensions, p), all, 9)
		if errors.Is(err, ErrDamaged) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			want := cosineOf(unit(dimensions, p), unit(dimensions, uint64(m.Passage)))
			if m.Passage < 1 || m.Passage > 5 || m.Cosine-want > 1e-4 || want-m.Cosine > 1e-4 {
				t.Fatalf("found %+v unnoticed, want %g", m, want)
			}
		}
	}
	return true
}

func cosineOf(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestDamagedSetsStartEmpty breaks one of two sets.
func TestDamagedSetsStartEmpty(t *testing.T) {
	a, b := core.VectorSet{Model: "a", Dimensions: 4}, core.VectorSet{Model: "b", Dimensions: 6}
	harms := map[string]func(t *testing.T, dir string){
		"codes gone":   func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "0", "codes")) },
		"values gone":  func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "0", "values")) },
		"gone is gone": func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "0", "gone")) },
		"all gone":     func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "0")) },
		"values cut":   func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, "0", "values"), 30) },
		"codes cut":    func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, "0", "codes"), 20) },
		"codes empty":  func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, "0", "codes"), 0) },
		"wrong file": func(t *testing.T, dir string) {
			copyFile(t, filepath.Join(dir, "1", "codes"), filepath.Join(dir, "0", "codes"))
		},
		"other lengths": func(t *testing.T, dir string) {
			copyFile(t, filepath.Join(dir, "1", "values"), filepath.Join(dir, "0", "values"))
		},
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log := &bytes.Buffer{}
			fill(t, dir, a, b)
			harm(t, dir)
			x, err := OpenSets(t.Context(), dir, logged(log))
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if err := x.Adopt(owned(9)); err != nil {
				t.Fatal(err)
			}
			wantLog(t, log, "vectors are damaged and start empty")
			wantPassages(t, x.Get(a))
			wantPassages(t, x.Get(b), 1, 2, 3)
			if use, v := x.View(nil); use != a || v == nil {
				t.Errorf("in use is %+v, want the damaged one", use)
			}
			if err := x.Get(a).Put(items(4, 1, 2)); err != nil {
				t.Fatal(err)
			}
			wantPassages(t, x.Get(a), 1, 2)
		})
	}
	for name, text := range map[string]string{"no list": "{", "a strange list": `{"sets":[{"Model":"a","Dimensions":4,"folder":"../x"}]}`, "none in use": `{"use":{"Model":"z"}}`} {
		t.Run(name, func(t *testing.T) {
			dir, log := t.TempDir(), &bytes.Buffer{}
			fill(t, dir, a, b)
			if err := os.WriteFile(filepath.Join(dir, listFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := OpenSets(t.Context(), dir, logged(log))
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			wantLog(t, log, "the list of vectors cannot be read")
			if !x.Empty() {
				t.Error("there are sets")
			}
		})
	}
}

// TestPackFindsDamage packs a set whose values are broken.
func TestPackFindsDamage(t *testing.T) {
	log := &bytes.Buffer{}
	x, err := OpenSets(t.Context(), t.TempDir(), logged(log))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	set := core.VectorSet{Model: "m", Dimensions: 4}
	s, err := x.Begin(set)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(items(4, span(1, packRows+10)...)); err != nil {
		t.Fatal(err)
	}
	gone := map[core.PassageID]uint32{}
	for _, p := range span(1, packRows+5) {
		gone[core.PassageID(p)] = 0
	}
	c := x.Prepare(gone)
	c.Apply()
	truncate(t, s.path("values"), 1000)
	if err := errors.Join(c.Save(), x.Pack()); err != nil {
		t.Fatal(err)
	}
	wantLog(t, log, "vectors are damaged and start empty")
	wantPassages(t, x.Get(set))
}

// fill writes two sets, of which the first is in use, in folders 0 and 1.
func fill(t *testing.T, dir string, a, b core.VectorSet) {
	t.Helper()
	x, err := OpenSets(t.Context(), dir, logged(&bytes.Buffer{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []core.VectorSet{a, b} {
		s, err := x.Begin(set)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put(items(set.Dimensions, 1, 2, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.Use(a, b), x.Close()); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
