package main

import (
	"context"
	"fmt"
)

// slackFirstFigures measure footnote serve as a process between a Slack and a
// model on loopback, with an index of so many passages; 0 leaves that one out.
func slackFirstFigures(passages int) func(context.Context) ([]row, error) {
	return func(ctx context.Context) ([]row, error) {
		b, err := benchmarks(ctx, "./internal/cli", "^BenchmarkSlackStreamed$", "30x", 1)
		if err != nil {
			return nil, err
		}
		s := b["SlackStreamed"]
		rows := []row{
			{"1", "Slack event to first words, model of 50 tokens a second, p50", s.figure("p50-ms", "%.0f ms"), ""},
			{"1", "Slack event to first words, model of 50 tokens a second, p95", s.figure("p95-ms", "%.0f ms"), ""},
		}
		if passages == 0 {
			return rows, nil
		}
		if b, err = benchmarks(ctx, "./internal/cli", "^BenchmarkSlackFirst$", "1000x", 1, fmt.Sprintf("SCALE=%d", passages)); err != nil {
			return rows, err
		}
		f, size := b["SlackFirst"], fmt.Sprintf("%d passages", passages)
		return append(rows,
			row{"1", "Slack event to first words, model that answers at once, " + size + ", p50", f.figure("p50-ms", "%.1f ms"), "≤ 30 ms at 100,000"},
			row{"1", "Slack event to first words, model that answers at once, " + size + ", p95", f.figure("p95-ms", "%.1f ms"), "≤ 80 ms at 100,000"},
			row{"1", "processor time of one question, " + size, f.figure("cpu-ms", "%.1f ms"), ""}), nil
	}
}

// slackTurnFigures run 200 turns at once through the Slack adapter, in channels
// with Slack's own streams and in channels where drafts are edited.
func slackTurnFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./internal/cli", "^BenchmarkSlackTurns$", "1x", 1)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, kind := range []string{"streams", "edits"} {
		r, what := b["SlackTurns/"+kind], "200 turns at once in Slack, "+kind+": "
		rows = append(rows,
			row{"11", what + "cores", r.figure("cores", "%.2f"), "≤ 0.5"},
			row{"11", what + "memory over idle", r.figure("MB-over-idle", "%.0f MB"), "≤ 150 MB"},
			row{"11", what + "longest silence of a stream beside them", r.figure("gap-ms", "%.0f ms"), "≤ 250 ms"},
			row{"11", what + "the same of a goroutine that only sleeps", r.figure("machine-gap-ms", "%.0f ms"), ""},
			row{"11", what + "processor time of a turn of 250 tokens", r.figure("cpu-ms/turn", "%.1f ms"), ""},
			row{"11", what + "all answers complete after, model 5 s", r.figure("all-done-s", "%.0f s"), ""})
	}
	return rows, nil
}

// renderFigures compare the renderers with the Markdown library's parse alone, in
// the same run.
func renderFigures(ctx context.Context) ([]row, error) {
	b, err := benchmarks(ctx, "./bot/render", "^BenchmarkRender$", "20x", 5)
	if err != nil {
		return nil, err
	}
	library := b["Render/library_parse"]["ns/op"]
	var rows []row
	for _, one := range []struct{ name, what string }{{"mrkdwn", "Slack mrkdwn"}, {"block", "Slack markdown block"}, {"discord", "Discord"}} {
		got := "not measured"
		if ns := b["Render/"+one.name]["ns/op"]; ns > 0 && library > 0 {
			got = fmt.Sprintf("%.2f × (%.1f ms)", ns/library, ns/1e6)
		}
		rows = append(rows, row{"10", "100 kB of Markdown to " + one.what + " against the library's parse alone", got, "≤ 1.5 ×"})
	}
	return rows, nil
}
