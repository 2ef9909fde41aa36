package index_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/indextest"
)

// The tests of damage hold an index against what this one finds.
var damageSet = core.VectorSet{Model: "m", Dimensions: 16}

func damageDocuments() []core.IndexedDocument {
	var out []core.IndexedDocument
	for i := range 40 {
		text := fmt.Sprintf("walrus number%d swims in bay%d with herring%d", i, i%7, i%3)
		out = append(out, indextest.Document(fmt.Sprintf("s/%d", i), core.PassageID(i+1), text))
	}
	return out
}

func vectorOf(p core.PassageID) []float32 {
	rng := rand.New(rand.NewPCG(uint64(p), 5))
	v := make([]float32, damageSet.Dimensions)
	for i := range v {
		v[i] = rng.Float32() - 0.4
	}
	return v
}

// fill puts the documents in several writes, so that there are several segments,
// deleted windows and dead vectors.
func fill(t *testing.T, x *index.Index) {
	t.Helper()
	docs := damageDocuments()
	put(t, x, docs[:25]...)
	embedAll(t, x, docs[:25])
	put(t, x, docs[20:]...)
	put(t, x, indextest.Document("s/gone", 99, "walrus gone"))
	embedAll(t, x, append(docs, indextest.Document("s/gone", 99, "")))
	if err := x.Delete(t.Context(), []string{"s/gone"}); err != nil {
		t.Fatal(err)
	}
	if err := x.UseVectors(t.Context(), damageSet); err != nil {
		t.Fatal(err)
	}
}

func embedAll(t *testing.T, x *index.Index, docs []core.IndexedDocument) {
	t.Helper()
	var vectors []core.PassageVector
	for _, d := range docs {
		p := d.Passages[0].ID
		vectors = append(vectors, core.PassageVector{Passage: p, Document: d.Facts.Document, Vector: vectorOf(p)})
	}
	if err := x.PutVectors(t.Context(), damageSet, vectors); err != nil {
		t.Fatal(err)
	}
}

// answers are what a few questions find, "" where one meets damage.
func answers(t *testing.T, x *index.Index) string {
	t.Helper()
	var out strings.Builder
	for _, text := range []string{"walrus", "bay3", "herring1 number7", "number1", "gone"} {
		hits, err := x.Hybrid(t.Context(), core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: text, Limit: 100}, Vector: vectorOf(7)})
		if err != nil {
			return ""
		}
		fmt.Fprintln(&out, text)
		for _, h := range hits {
			fmt.Fprintf(&out, "%d %s %.4f %.4f %v\n", h.Passage, h.Document, h.Keyword, h.Vector, h.Embedded)
		}
	}
	return out.String()
}

func facts(docs []core.IndexedDocument) []core.Facts {
	var out []core.Facts
	for _, d := range docs {
		out = append(out, d.Facts)
	}
	return out
}

// alwaysFound is damage that the files of a kind cannot bear, whatever they hold. One
// that is cut or flipped may still hold all that counts, and one of several may not
// count: it depends on when the engine wrote what, and it keeps an older state to go
// back to.
var alwaysFound = []string{"deleted", "empty", "zeros"}

// TestDamageIsFound flips bytes of, cuts and deletes each file in the folder of an
// index. Each time a search is right, or the damage is found: when the index is
// opened or by the first search. Then the next start begins empty, or without
// vectors, says so, and can be filled again.
func TestDamageIsFound(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	x := open(t, whole, "a")
	fill(t, x)
	want := answers(t, x)
	if err := x.Close(); err != nil || want == "" {
		t.Fatalf("the whole index finds %q, %v", want, err)
	}
	kinds := map[string][]string{} // the engine may keep segments that it no longer reads
	for _, name := range files(t, whole) {
		kind := cmp.Or(filepath.Ext(name), name)
		kinds[kind] = append(kinds[kind], name)
	}
	for kind, names := range kinds {
		t.Run(kind, func(t *testing.T) {
			together := map[string]map[string][]byte{}
			for _, name := range names {
				for what, content := range damages(t, filepath.Join(whole, name)) {
					found := hurt(t, whole, what, map[string][]byte{name: content}, want)
					if slices.Contains(alwaysFound, what) {
						if together[what] == nil {
							together[what] = map[string][]byte{}
						}
						together[what][name] = content
						if len(names) == 1 && !found {
							t.Errorf("%s: the damage was not found", what)
						}
					}
				}
			}
			for what, files := range together {
				if len(names) > 1 && !hurt(t, whole, what, files, want) {
					t.Errorf("all of them %s: the damage was not found", what)
				}
			}
		})
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "newest" { // without which less is noticed
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, name)
		return err
	})
	if err != nil || len(names) < 6 {
		t.Fatalf("files = %v, %v", names, err)
	}
	return names
}

// damages are contents that a file may be left with; nil for no file.
func damages(t *testing.T, path string) map[string][]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{"deleted": nil, "empty": {}, "half": b[:len(b)/2], "zeros": make([]byte, len(b))}
	rng := rand.New(rand.NewPCG(uint64(len(b)), 1))
	flips := 3
	if testing.Short() {
		flips = 1
	}
	for range flips {
		at := rng.IntN(len(b))
		c := bytes.Clone(b)
		for i := at; i < min(at+4, len(c)); i++ {
			c[i] ^= 0x55
		}
		out[fmt.Sprintf("flipped at %d", at)] = c
	}
	return out
}

// hurt opens a copy of the index with files damaged.
func hurt(t *testing.T, whole, what string, damaged map[string][]byte, want string) (found bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	for name, content := range damaged {
		remove(t, dir, name)
		if content != nil {
			write(t, filepath.Join(dir, name), string(content))
		}
	}
	docs, log := damageDocuments(), &bytes.Buffer{}
	start := func() *index.Index {
		x, err := index.Open(t.Context(), dir, index.Options{Install: "a", Log: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatalf("%s: Open: %v", what, err)
		}
		if err := x.SetFacts(t.Context(), facts(docs)); err != nil {
			t.Fatalf("%s: SetFacts: %v", what, err)
		}
		return x
	}
	x := start()
	if !x.Fresh() && embedded(t, x) == len(docs) {
		if got := answers(t, x); got == want {
			_ = x.Close()
			return false
		} else if got != "" {
			t.Errorf("%s: a search is wrong:\n%s\nwant\n%s", what, got, want)
		}
		_ = x.Close()
		x = start()
	}
	_, label := damaged["index.json"]
	if (what != "deleted" || !label) && !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("%s: the damage was found and nothing said", what)
	}
	if !x.Fresh() && embedded(t, x) == len(docs) {
		t.Errorf("%s: the damage is still there after a start", what)
	}
	if strings.HasPrefix(what, "flipped") { // filled after the others
		return x.Close() == nil
	}
	if x.Fresh() {
		put(t, x, docs...)
	}
	embedAll(t, x, docs)
	if err := x.UseVectors(t.Context(), damageSet); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, x); strings.Count(got, "\n") != strings.Count(want, "\n") {
		t.Errorf("%s: filled again it finds\n%s\nwant\n%s", what, got, want)
	}
	if err := x.Close(); err != nil {
		t.Errorf("%s: Close: %v", what, err)
	}
	return true
}

func embedded(t *testing.T, x *index.Index) int {
	t.Helper()
	ids, err := x.Embedded(t.Context(), damageSet)
	if err != nil {
		t.Fatal(err)
	}
	return len(slices.Compact(ids))
}
