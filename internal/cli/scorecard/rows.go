package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

func citationFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./core/cite", "^BenchmarkWriter$", "1x", 5)
	if err != nil {
		return nil, err
	}
	long, short := b["Writer/200k/4bytes"], b["Writer/100x2k/4bytes"]
	return []row{
		{"9", "citation writer, 200k tokens", long.figure("ns/token", "%.0f ns a token"), "≤ 150"},
		{"9", "citation writer, 100 answers of 2k tokens", short.figure("ns/token", "%.0f ns a token"), "200k at most 1.2 × this"},
		{"9", "citation writer, 16k digits behind a bracket", b["Writer/adversarial/digits"].figure("ns/token", "%.0f ns a token"), "≤ 2 × normal"},
		{"9", "citation writer, 8k openers", b["Writer/adversarial/openers"].figure("ns/token", "%.0f ns a token"), "≤ 2 × normal"},
	}, nil
}

func callFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./core/model/toolcall", "^Benchmark(Prose|Braces|Angles|Digits)", "1x", 5)
	if err != nil {
		return nil, err
	}
	return []row{
		{"9", "calls in text, 200k tokens of prose", b["Prose200k"].figure("ns/token", "%.0f ns a token"), "≤ 150"},
		{"9", "calls in text, 2k tokens of prose", b["Prose2k"].figure("ns/token", "%.0f ns a token"), "200k at most 1.2 × this"},
		{"9", "calls in text, 16k braces", b["Braces"].figure("ns/token", "%.0f ns a token"), "≤ 2 × normal"},
	}, nil
}

func turnFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./core/agent", "^Benchmark(Assemble|Cancel)$", "20x", 3)
	if err != nil {
		return nil, err
	}
	return []row{
		{"-", "context of a long conversation assembled", b["Assemble"].figure("ns/op", "%.0f ns"), "≤ 20,000,000"},
		{"-", "from cancelling an answer to its text stored", b["Cancel"].figure("stored-ms", "%.2f ms"), ""},
		{"-", "from cancelling an answer to the model's connection closed", b["Cancel"].figure("closed-ms", "%.2f ms"), ""},
	}, nil
}

func searchFigures(passages int) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		if passages == 0 {
			return nil, nil
		}
		b, err := benchmarks(ctx, "./store/index", "^BenchmarkScale$", "500x", 1, fmt.Sprintf("SCALE=%d", passages))
		if err != nil {
			return nil, err
		}
		s, size := b["Scale"], fmt.Sprintf("%d passages", passages)
		return []row{
			{"2", "keyword search with access filter, " + size + ", p50", s.figure("p50-ms", "%.1f ms"), ""},
			{"2", "keyword search with access filter, " + size + ", p95", s.figure("p95-ms", "%.1f ms"), "≤ 25 ms at 100,000"},
			{"8", "index opened with all facts, " + size, s.figure("open-ms", "%.0f ms"), "≤ 300 ms at 100,000"},
			{"6", "bare index, " + size, s.figure("index-s", "%.0f s"), ""},
		}, nil
	}
}

// qualityFigures runs footnote eval on every set of the folder.
func qualityFigures(program, dir string) func(context.Context) ([]row, error) {
	best := map[string]float64{"scifact": 0.690, "product-docs": 0.772, "zh-cmrc-trial": 0.989, "xquad-dev": 0.942}
	return func(ctx context.Context) ([]row, error) {
		if dir == "" {
			return nil, errors.New("set BENCH_DIR to a folder with test sets in BEIR form")
		}
		sets, err := filepath.Glob(filepath.Join(dir, "*", "corpus.jsonl"))
		if err != nil {
			return nil, err
		}
		var rows []row
		for _, corpus := range sets {
			set := filepath.Base(filepath.Dir(corpus))
			r, err := evaluate(ctx, program, filepath.Dir(corpus))
			if err != nil {
				return rows, fmt.Errorf("%s: %w", set, err)
			}
			want := ""
			if b, ok := best[set]; ok {
				want = fmt.Sprintf("≥ %.3f", b-0.005)
			}
			rows = append(rows,
				row{"12", "nDCG@10 on " + set, fmt.Sprintf("%.4f", r.NDCG), want},
				row{"13", "leaks on " + set, fmt.Sprint(r.Leaks), "0"})
		}
		return rows, nil
	}
}

type evaluation struct {
	NDCG  float64 `json:"ndcg_at_10"`
	Leaks int     `json:"leaks"`
}

func evaluate(ctx context.Context, program, set string) (evaluation, error) {
	var r evaluation
	out, err := exec.CommandContext(ctx, program, "eval", set, "--json").Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}
