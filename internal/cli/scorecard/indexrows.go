package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// vectorFigures hold the search by codes against a comparison with each vector.
func vectorFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./store/vector", "^BenchmarkVector$", "100x", 1)
	if err != nil {
		return nil, err
	}
	v := b["Vector"]
	return []row{
		{"5", "search by vectors, 100,000 × 768, mask of 40 %, top 50, processor time", v.figure("cpu-ms/op", "%.1f ms"), "≤ 10 ms"},
		{"5", "its recall against a comparison with each", v.figure("recall@50", "%.3f"), "≥ 0.99"},
		{"5", "memory of a vector beside the file", v.figure("B/vector", "%.0f bytes"), ""},
		{"5", "comparison with each, 32-bit numbers in memory, processor time", v.figure("exact-cpu-ms/op", "%.1f ms"), ""},
	}, nil
}

// millionFigures measure a large index in a process that only searches: what its
// building leaves in memory does not count.
func millionFigures(o *options) func(context.Context) ([]row, error) {
	return func(ctx context.Context) (rows []row, err error) {
		dir := o.keep
		if dir == "" {
			if dir, err = os.MkdirTemp("", "footnote-scorecard-"); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		}
		small, err := kept(ctx, "^BenchmarkScale$", 10_000, dir)
		if err != nil {
			return nil, err
		}
		built, err := kept(ctx, "^BenchmarkScale$", o.million, dir)
		if err != nil {
			return nil, err
		}
		large, err := kept(ctx, "^BenchmarkScale$", o.million, dir)
		if err != nil {
			return nil, err
		}
		rows = largeRows(small, built, large, o.million)
		hybrid, err := benchmarks(ctx, "./store/index", "^BenchmarkHybrid$", "200x", 1, scaleOf(o.million, dir)...)
		if err != nil {
			return rows, err
		}
		vectors, err := benchmarks(ctx, "./store/vector", "^BenchmarkVector$", "50x", 1, scaleOf(o.million, dir)...)
		if err != nil {
			return rows, err
		}
		h, v, size := hybrid["Hybrid"], vectors["Vector"], fmt.Sprintf("%d passages", o.million)
		return append(rows,
			row{"3", "search by words and vectors, " + size + ", processor time", h.figure("cpu-ms", "%.1f ms"), ""},
			row{"3", "the same, p95", h.figure("p95-ms", "%.1f ms"), ""},
			row{"7", "memory after 200 of these", h.figure("rss-MB", "%.0f MB") + ", " + h.figure("anonymous-MB", "%.0f MB of it not files"), ""},
			row{"5", "search by vectors, × 768, mask of 40 %, top 50, processor time", v.figure("cpu-ms/op", "%.1f ms"), "≤ 100 ms"},
			row{"5", "its recall against a comparison with each", v.figure("recall@50", "%.3f"), "≥ 0.99"}), nil
	}
}

func largeRows(small, built, large result, passages int) []row {
	size, grown := fmt.Sprintf("%d passages", passages), "not measured"
	if a, b := small["cpu-ms"], large["cpu-ms"]; a > 0 && b > 0 {
		grown = fmt.Sprintf("n^%.2f", growth(a, b, float64(passages)/10_000))
	}
	return []row{
		{"3", "keyword search, access filter, " + size + ", processor time", large.figure("cpu-ms", "%.1f ms"), ""},
		{"3", "the same, p50", large.figure("p50-ms", "%.1f ms"), ""},
		{"3", "the same, p95", large.figure("p95-ms", "%.1f ms"), "≤ 120 ms"},
		{"4", "growth of its processor time from 10,000", grown, "≤ 0.75"},
		{"6", "indexing alone, processor time", built.figure("index-cpu-s", "%.0f s"), ""},
		{"7", "memory of index and benchmark after 1000 searches", large.figure("rss-MB", "%.0f MB") + ", " + large.figure("anonymous-MB", "%.0f MB of it not files"), "≤ 600 MB"},
		{"8", "index opened, then given all facts", large.figure("open-ms", "%.0f ms") + ", " + large.figure("facts-ms", "%.0f ms"), ""},
	}
}

// kept runs a benchmark over the index of that size in the folder, which is made
// where it is missing.
func kept(ctx context.Context, match string, passages int, dir string) (result, error) {
	b, err := benchmarks(ctx, "./store/index", match, "1000x", 1, scaleOf(passages, dir)...)
	if err != nil {
		return nil, err
	}
	return b["Scale"], nil
}

func scaleOf(passages int, dir string) []string {
	return []string{fmt.Sprintf("SCALE=%d", passages), "SCALE_DIR=" + dir}
}
