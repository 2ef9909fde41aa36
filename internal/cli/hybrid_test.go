package cli

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// TestHybridIsBetterThanItsHalves measures a set of product documentation with the
// recorded vectors of a small real model: by words, by vectors, and by both with the
// share that is set where nobody sets one.
func TestHybridIsBetterThanItsHalves(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("measures 300 searches, which takes some seconds")
	}
	dir := filepath.Join("..", "..", "..", "shared", "bench", "product-docs")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the test set ../shared/bench/product-docs is not beside this checkout")
	}
	set, err := eval.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	record, err := eval.ReadRecorded(filepath.Join("..", "..", "testdata", "vectors", "product-docs.vectors"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{DataDir: t.TempDir()}
	cfg.Embeddings = config.Embeddings{BaseURL: "recorded", Name: record.Model, Dimensions: record.Dimensions}
	a, err := openApp(t.Context(), cfg, "", slog.New(slog.DiscardHandler), evalVectors{record}.stand)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	e := &engine{app: a, progress: newUser(t).invocation(nil, io.Discard, io.Discard).progress("eval")}
	if err := e.Index(t.Context(), set.Documents); err != nil {
		t.Fatal(err)
	}
	used, mixes := e.Mixes()
	if !mixes {
		t.Fatal("the vectors are not in use")
	}
	words, vectors, both := quality(t, e, set, 1), quality(t, e, set, 0.001), quality(t, e, set, used)
	t.Logf("nDCG@10 by words %.4f, by vectors %.4f, by both %.4f", words, vectors, both)
	if both <= max(words, vectors) {
		t.Errorf("both together are no better than one of them")
	}
}

func quality(t *testing.T, e *engine, set eval.Set, share float64) float64 {
	t.Helper()
	sum, n := 0.0, 0
	for _, q := range set.Queries {
		if len(set.Relevant[q.ID]) == 0 {
			continue
		}
		ranking, err := e.SearchAt(t.Context(), share, q.Text, core.Filter{Bypass: true}, 10)
		if err != nil {
			t.Fatal(err)
		}
		sum += eval.NDCG(ranking, set.Relevant[q.ID], 10)
		n++
	}
	return sum / float64(max(1, n))
}
