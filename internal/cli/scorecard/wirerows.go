package main

import (
	"context"
	"fmt"
)

// wireFigures hold the connector wire against a bare gRPC stream of the same
// documents over TLS, in the same run.
func wireFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./plugins", "^Benchmark(Wire|BareStream|Start)$", "5x", 1)
	if err != nil {
		return nil, err
	}
	got := "not measured"
	if wire, bare := b["Wire"]["docs/s"], b["BareStream"]["docs/s"]; wire > 0 && bare > 0 {
		got = fmt.Sprintf("%.2f × (%.0f documents of 4 KB a second)", wire/bare, wire)
	}
	return []row{
		{"6", "connector wire against a bare gRPC stream over TLS", got, "≥ 0.8 ×"},
		{"6", "starting, configuring and stopping a connector", b["Start"].figure("ns/op", "%.0f ns"), ""},
	}, nil
}

// githubFigures read a scripted GitHub on loopback, first into nothing and then
// through a process of the connector into ledger and index.
func githubFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./plugins/github", "^Benchmark(Sync|Indexed)$", "1x", 1)
	if err != nil {
		return nil, err
	}
	return []row{
		{"6", "connector github alone, against a scripted server", b["Sync"].figure("documents/s", "%.0f documents a second"), ""},
		{"6", "the same as a process, committed and searchable", b["Indexed"].figure("documents/s", "%.0f documents a second"), ""},
	}, nil
}
