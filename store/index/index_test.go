package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/indextest"
)

func open(t *testing.T, dir, install string) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), dir, index.Options{Install: install})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return x
}

func TestContract(t *testing.T) {
	dirs := map[core.Index]string{}
	indextest.Run(t, func(t *testing.T) core.Index {
		dir := t.TempDir()
		x := open(t, dir, "a")
		dirs[x] = dir
		return x
	}, func(t *testing.T, old core.Index) core.Index {
		if err := old.(*index.Index).Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		return open(t, dirs[old], "a")
	})
}

func TestVectorContract(t *testing.T) {
	dirs := map[core.Index]string{}
	indextest.RunVectors(t, func(t *testing.T) core.VectorIndex {
		dir := t.TempDir()
		x := open(t, dir, "a")
		dirs[x] = dir
		return x
	}, func(t *testing.T, old core.VectorIndex) core.VectorIndex {
		dir := dirs[old]
		if err := old.(*index.Index).Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		x := open(t, dir, "a")
		dirs[x] = dir
		return x
	})
}

func filled(t *testing.T, dir string) {
	t.Helper()
	x := open(t, dir, "a")
	if !x.Fresh() {
		t.Error("a new folder is not fresh")
	}
	if err := x.Put(t.Context(), []core.IndexedDocument{indextest.Document("s/a", 1, "walrus")}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenAgain(t *testing.T) {
	damage := map[string]struct {
		install string
		harm    func(t *testing.T, dir string)
		fresh   bool
	}{
		"untouched":       {install: "a"},
		"another install": {install: "b", fresh: true},
		"no label":        {install: "a", fresh: true, harm: func(t *testing.T, dir string) { remove(t, dir, "index.json") }},
		"label of another form": {install: "a", fresh: true, harm: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "index.json"), `{"install":"a","schema":0}`)
		}},
		"label is no JSON": {install: "a", fresh: true, harm: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "index.json"), "{") }},
		"segments gone":    {install: "a", fresh: true, harm: func(t *testing.T, dir string) { remove(t, dir, "segments") }},
		"segments cut":     {install: "a", fresh: true, harm: cutSegments},
		"segments garbled": {install: "a", fresh: true, harm: garbleSegments},
		"root garbled": {install: "a", fresh: true, harm: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "segments", "root.bolt"), strings.Repeat("x", 70000))
		}},
		"marked by a search": {install: "a", fresh: true, harm: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "damaged"), "") }},
	}
	for name, row := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			filled(t, dir)
			if row.harm != nil {
				row.harm(t, dir)
			}
			x := open(t, dir, row.install)
			if x.Fresh() != row.fresh {
				t.Errorf("Fresh() = %v, want %v", x.Fresh(), row.fresh)
			}
			want := 1
			if row.fresh {
				want = 0
			}
			if docs, passages := x.Count(); docs != want || passages != want {
				t.Errorf("Count() = %d, %d, want %d", docs, passages, want)
			}
			doc := indextest.Document("s/a", 2, "narwhal")
			if err := x.Put(t.Context(), []core.IndexedDocument{doc}); err != nil {
				t.Fatalf("Put: %v", err)
			}
			hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus narwhal"})
			if err != nil || len(hits) != 1 || hits[0].Passage != 2 {
				t.Errorf("hits = %+v, %v, want passage 2", hits, err)
			}
		})
	}
}

func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, "a")
	if _, err := index.Open(t.Context(), dir, index.Options{Install: "a"}); core.KindOf(err) != core.KindLocked {
		t.Errorf("second Open: %v, want kind locked", err)
	}
}

func TestClosed(t *testing.T) {
	x := open(t, t.TempDir(), "a")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "a"}); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Keyword after Close: %v, want kind unavailable", err)
	}
	if err := x.Put(t.Context(), nil); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Put after Close: %v, want kind unavailable", err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func eachSegment(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "segments", "*.zap"))
	if err != nil || len(names) == 0 {
		t.Fatalf("segment files: %v, %v", names, err)
	}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(n, 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, n, string(change(b)))
	}
}

func cutSegments(t *testing.T, dir string) {
	eachSegment(t, dir, func(b []byte) []byte { return b[:len(b)/2] })
}

func garbleSegments(t *testing.T, dir string) {
	eachSegment(t, dir, func(b []byte) []byte {
		for i := range b {
			b[i] ^= 0x5a
		}
		return b
	})
}

// TestSimilarWords checks that a word which no document holds finds what it may
// be a slip of or the beginning of, and that it covers less than the word itself.
func TestSimilarWords(t *testing.T) {
	x := open(t, t.TempDir(), "a")
	put := func(id string, passage core.PassageID, language, text string) {
		t.Helper()
		d := indextest.Document(id, passage, text)
		d.Language = language
		if err := x.Put(t.Context(), []core.IndexedDocument{d}); err != nil {
			t.Fatal(err)
		}
	}
	put("s/a", 1, "en", "Vacation is requested in the calendar.")
	put("s/b", 2, "de", "Der Urlaubsantrag liegt im Ordner.")
	put("s/c", 3, "en", "The canteen opens at noon.")
	for _, row := range []struct {
		query string
		want  core.PassageID // 0: nothing
	}{
		{"vaction", 1},
		{"calender", 1},
		{"Urlaub", 2},
		{"cat", 0},
		{"zeppelin", 0},
		{"ordner42", 0},
	} {
		hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: row.query})
		switch {
		case err != nil:
			t.Fatal(err)
		case row.want == 0 && len(hits) > 0:
			t.Errorf("%s finds %+v, want nothing", row.query, hits)
		case row.want > 0 && (len(hits) != 1 || hits[0].Passage != row.want):
			t.Errorf("%s finds %+v, want passage %d", row.query, hits, row.want)
		case row.want > 0 && (hits[0].Coverage < 0.3 || hits[0].Coverage > 0.7):
			t.Errorf("%s: coverage %.2f, want about half", row.query, hits[0].Coverage)
		}
	}
}
