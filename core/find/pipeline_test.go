package find_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/ingest/chunk"
	"github.com/footnote-bot/footnote/store/index"
)

// pipeline is production's way from text to a ranking, in one process: extract,
// chunk, index, search.
type pipeline struct {
	extractor *extract.Extractor
	index     *index.Index
	passages  map[core.PassageID]core.Result
	next      core.PassageID
}

func newPipeline(t testing.TB) *pipeline {
	t.Helper()
	x, err := index.Open(t.Context(), t.TempDir(), index.Options{Install: "test"})
	if err != nil {
		t.Fatal(err)
	}
	e := extract.New(extract.Options{Executable: os.Args[0]})
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &pipeline{extractor: e, index: x, passages: map[core.PassageID]core.Result{}}
}

// add takes documents in. Their bodies are kept as passages only.
func (p *pipeline) add(ctx context.Context, docs []core.Document) error {
	var batch []core.IndexedDocument
	for _, d := range docs {
		c, err := p.extractor.Text(ctx, d.ExternalID, d.MediaType, d.Body)
		if err != nil {
			return err
		}
		batch = append(batch, p.indexed(d, c))
	}
	return p.index.Put(ctx, batch)
}

func (p *pipeline) indexed(d core.Document, c extract.Content) core.IndexedDocument {
	if d.Title == "" {
		d.Title = c.Title
	}
	d.Body = ""
	out := core.IndexedDocument{Facts: core.Facts{Document: d.ID, Source: d.Source, Access: d.Access}, Title: d.Title, Language: c.Language}
	for _, passage := range chunk.Split(d.Title, c, chunk.Options{}) {
		p.next++
		passage.ID, passage.Document = p.next, d.ID
		p.passages[passage.ID] = core.Result{Document: d, Passage: passage}
		out.Passages = append(out.Passages, passage)
	}
	return out
}

// Visible and Around make the pipeline a Gate that lets everything of the right
// access through.
func (p *pipeline) Visible(_ context.Context, f core.Filter, ids []core.PassageID) ([]core.Result, error) {
	var out []core.Result
	for _, id := range ids {
		r, ok := p.passages[id]
		if ok && f.Allows(core.Facts{Document: r.Document.ID, Source: r.Document.Source, Access: r.Document.Access}) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (p *pipeline) Around(_ context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error) {
	return inWindows(maps.Values(p.passages), windows, func(r core.Result) bool {
		return f.Allows(core.Facts{Document: r.Document.ID, Source: r.Document.Source, Access: r.Document.Access})
	}), nil
}

// The pipeline as an eval.Engine.

func (p *pipeline) Index(ctx context.Context, docs []eval.Document) error {
	for len(docs) > 0 {
		n := min(500, len(docs))
		batch := make([]core.Document, n)
		for i, d := range docs[:n] {
			batch[i] = core.Document{ID: d.ID, Source: "bench", ExternalID: "x.txt", MediaType: "text/plain", Title: d.Title, Access: d.Access, Body: d.Text}
		}
		if err := p.add(ctx, batch); err != nil {
			return err
		}
		docs = docs[n:]
	}
	return nil
}

func (p *pipeline) Search(ctx context.Context, query string, f core.Filter, k int) ([]string, error) {
	hits, err := p.index.Keyword(ctx, core.KeywordQuery{Text: query, Filter: f, Limit: 2 * k})
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	for _, h := range hits {
		if !seen[h.Document] && len(out) < k {
			seen[h.Document] = true
			out = append(out, h.Document)
		}
	}
	return out, nil
}

func (p *pipeline) Language(text string) string { return extract.Language(text) }

func benchSet(t testing.TB, name string) eval.Set {
	t.Helper()
	dir := os.Getenv("BENCH_DIR")
	if dir == "" {
		t.Skip("BENCH_DIR is not set: it names the folder of the retrieval test sets")
	}
	s, err := eval.Read(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBenchQuality holds the ranking to a floor on each set, with one set of
// parameters and the language taken from the text.
func TestBenchQuality(t *testing.T) {
	for _, row := range []struct {
		set   string
		floor float64
	}{
		{"product-docs", 0.75},
		{"zh-cmrc-trial", 0.984},
		{"scifact", 0.68},
		{"xquad-dev", 0.937},
	} {
		t.Run(row.set, func(t *testing.T) {
			s := benchSet(t, row.set)
			start := time.Now()
			r, err := eval.Run(t.Context(), s, newPipeline(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("nDCG@10 %.4f, Recall@100 %.4f, MRR@10 %.4f, leaks %d, p50 %.2f ms, p95 %.2f ms, index %.1f s, all %.1f s",
				r.NDCG10, r.Recall, r.MRR10, r.Leaks, r.Latency.P50, r.Latency.P95, r.IndexSeconds, time.Since(start).Seconds())
			for l, q := range r.ByLanguage {
				t.Logf("%s: %d queries, nDCG@10 %.4f", l, q.Queries, q.NDCG10)
			}
			if r.NDCG10 < row.floor {
				t.Errorf("nDCG@10 = %.4f, want at least %.2f", r.NDCG10, row.floor)
			}
			if r.Leaks != 0 {
				t.Errorf("%d leaks", r.Leaks)
			}
		})
	}
}
