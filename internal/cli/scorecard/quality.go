package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/scorecard/rival"
)

// known is the nDCG@10 of the best engine that was measured on each set when the
// figures were set, by words alone.
var known = map[string]float64{"scifact": 0.690, "product-docs": 0.772, "zh-cmrc-trial": 0.989, "xquad-dev": 0.942}

// qualityFigures run footnote eval on every set of the folder, and the other engines
// on the same documents.
func qualityFigures(program, dir string) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		if dir == "" {
			return nil, errors.New("set BENCH_DIR to a folder with test sets in BEIR form")
		}
		sets, err := filepath.Glob(filepath.Join(dir, "*", "corpus.jsonl"))
		if err != nil {
			return nil, err
		}
		// No times are taken, so two sets go side by side.
		found := make([][]row, len(sets))
		var g errgroup.Group
		g.SetLimit(2)
		for i, corpus := range sets {
			g.Go(func() (err error) {
				if found[i], err = qualityRows(ctx, program, filepath.Dir(corpus)); err != nil {
					return fmt.Errorf("%s: %w", filepath.Base(filepath.Dir(corpus)), err)
				}
				return nil
			})
		}
		err = g.Wait()
		return slices.Concat(found...), err
	}
}

func qualityRows(ctx context.Context, program, dir string) ([]row, error) {
	name := filepath.Base(dir)
	ours, err := evaluate(ctx, program, dir)
	if err != nil {
		return nil, err
	}
	want, best := "", known[name]
	if best > 0 {
		want = fmt.Sprintf("≥ %.3f", best-0.005)
	}
	rows := []row{{"12", "nDCG@10 on " + name, fmt.Sprintf("%.4f", ours.NDCG), want}, {"13", "leaks on " + name, ours.leaks(), "0"}}
	if ours.Readers != nil {
		rows = append(rows, row{"13", "recall behind a full scan on " + name, fmt.Sprintf("%.4f", ours.Readers.Gap), "≤ 0.005"})
	}
	others, err := rivalQuality(ctx, dir)
	if err != nil {
		return rows, err
	}
	return append(rows, row{"12", "the same of others on " + name, strings.Join(others, ", "), ""}), nil
}

// evaluation is what of the output of footnote eval is shown.
type evaluation struct {
	NDCG    float64 `json:"ndcg_at_10"`
	Leaks   int     `json:"leaks"`
	Readers *struct {
		Leaks int     `json:"leaks"`
		After int     `json:"leaks_after_changes"`
		Gap   float64 `json:"recall_gap"`
	} `json:"readers"`
}

func (e evaluation) leaks() string {
	if e.Readers == nil {
		return fmt.Sprint(e.Leaks)
	}
	return fmt.Sprintf("%d, readers together %d, after changes %d", e.Leaks, e.Readers.Leaks, e.Readers.After)
}

func evaluate(ctx context.Context, program, set string) (evaluation, error) {
	var r evaluation
	out, err := exec.CommandContext(ctx, program, "eval", set, "--json").Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// rivalQuality measures the other engines; nobody asks for their leaks.
func rivalQuality(ctx context.Context, dir string) (out []string, err error) {
	set, err := eval.Read(dir)
	if err != nil {
		return nil, err
	}
	set.Users = nil
	tmp, err := os.MkdirTemp("", "footnote-scorecard-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	fts5, err := rival.OpenFTS5(ctx, tmp)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fts5.Close()) }()
	bleve, err := rival.OpenBleve(tmp)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bleve.Close()) }()
	for _, one := range []struct {
		name   string
		engine rival.Engine
	}{{"FTS5", fts5}, {"bleve as it comes", bleve}} {
		r, err := eval.Run(ctx, set, judged{one.engine})
		if err != nil {
			return out, fmt.Errorf("%s: %w", one.name, err)
		}
		out = append(out, fmt.Sprintf("%s %.4f", one.name, r.NDCG10))
	}
	return out, nil
}

// judged is another engine as eval.Run wants it: a document is one piece of text.
type judged struct{ rival.Engine }

func (j judged) Index(ctx context.Context, docs []eval.Document) error {
	batch := make([]core.IndexedDocument, len(docs))
	for i, d := range docs {
		batch[i] = core.IndexedDocument{Facts: core.Facts{Document: d.ID, Access: d.Access}, Title: d.Title, Passages: []core.Passage{{Text: d.Text}}}
	}
	return j.Put(ctx, batch)
}

func (j judged) Search(ctx context.Context, query string, f core.Filter, k int) ([]string, error) {
	return j.Engine.Search(ctx, query, f.Principals, k)
}

func (judged) Language(string) string { return "" }
