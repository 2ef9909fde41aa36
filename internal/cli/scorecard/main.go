// Command scorecard prints how Footnote does on the figures that it is measured
// by: one line a figure, with what is wanted beside it. It runs the project's
// benchmarks and the built program; times depend on the machine and on what
// else it does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
)

// row is one figure.
type row struct {
	number string // of the scorecard; several rows may share one
	what   string
	got    string
	want   string
}

// measure takes some figures; an error becomes a row that says so.
type measure struct {
	name string
	take func(context.Context) ([]row, error)
}

func main() {
	program := flag.String("footnote", "bin/footnote", "the built program")
	bench := flag.String("bench", os.Getenv("BENCH_DIR"), "folder with test sets in BEIR form (BENCH_DIR)")
	passages := flag.Int("passages", 100_000, "size of the index for the search figures; 0 leaves them out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ROW\tFIGURE\tMEASURED\tWANTED")
	for _, m := range []measure{
		{"program", programFigures(*program)},
		{"citations", citationFigures},
		{"calls in text", callFigures},
		{"turns", turnFigures},
		{"rendering", renderFigures},
		{"connector wire", wireFigures},
		{"turns in Slack", slackTurnFigures},
		{"first words in Slack", slackFirstFigures(*passages)},
		{"search", searchFigures(*passages)},
		{"quality", qualityFigures(*program, *bench)},
	} {
		rows, err := m.take(ctx)
		if err != nil {
			rows = append(rows, row{"-", m.name, "not measured: " + err.Error(), ""})
		}
		for _, r := range rows {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", r.number, r.what, r.got, r.want)
		}
		out.Flush()
	}
}
