package main

import (
	"context"
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
