package index_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

// TestDamageOfVectorsHeals breaks the vectors under an open index: a search says so,
// and they can be put again without a restart.
func TestDamageOfVectorsHeals(t *testing.T) {
	dir, log, lost := t.TempDir(), &bytes.Buffer{}, 0
	x, err := index.Open(t.Context(), dir, index.Options{
		Install: "a", Log: slog.New(slog.NewTextHandler(log, nil)), VectorsLost: func() { lost++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	fill(t, x)
	want := answers(t, x)
	values, err := os.OpenFile(filepath.Join(dir, "vectors", "0", "values"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	if _, err := values.WriteAt(make([]byte, 2500), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Hybrid(t.Context(), core.HybridQuery{Vector: vectorOf(7)}); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Hybrid over damaged vectors: %v, want kind unavailable", err)
	}
	if !strings.Contains(log.String(), "vectors are damaged and start empty") {
		t.Errorf("the log does not tell of the damage: %s", log)
	}
	if n := embedded(t, x); n != 0 || lost != 1 {
		t.Errorf("%d passages have vectors, want none; told %d times", n, lost)
	}
	embedAll(t, x, damageDocuments())
	if got := answers(t, x); got != want {
		t.Errorf("filled again it finds\n%s\nwant\n%s", got, want)
	}
}

// TestVectorsOfGonePassages puts the vectors back to a state before a document was
// deleted, as a crash between both writes leaves them: a passage that comes back
// under the same id has no vector.
func TestVectorsOfGonePassages(t *testing.T) {
	dir, before := t.TempDir(), filepath.Join(t.TempDir(), "vectors")
	docs := damageDocuments()[:5]
	x := open(t, dir, "a")
	put(t, x, docs...)
	embedAll(t, x, docs)
	if err := os.CopyFS(before, os.DirFS(filepath.Join(dir, "vectors"))); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(t.Context(), []string{docs[0].Facts.Document}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second start finds what the first one wrote
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if before != "" {
			remove(t, dir, "vectors")
			if err := os.Rename(before, filepath.Join(dir, "vectors")); err != nil {
				t.Fatal(err)
			}
			before = ""
		}
		x = open(t, dir, "a")
		if n := embedded(t, x); n != len(docs)-1 {
			t.Errorf("%d passages have vectors, want %d", n, len(docs)-1)
		}
		put(t, x, docs...)
		if n := embedded(t, x); n != len(docs)-1 {
			t.Errorf("%d passages have vectors after a new Put, want %d", n, len(docs)-1)
		}
	}
}
