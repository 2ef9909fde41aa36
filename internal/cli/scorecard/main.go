// Command scorecard prints how Footnote does on the figures that it is measured
// by: one line a figure, with what is wanted beside it. It runs the project's
// benchmarks, the built program and other engines; times depend on the machine and
// on what else it does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
)

// row is one figure.
type row struct {
	number string // of the scorecard; several rows may share one
	what   string
	got    string
	want   string
}

// options are what is measured, and on what.
type options struct {
	program  string // the built one
	bench    string // folder of test sets; "" for none
	passages int
	million  int    // passages of row 3
	keep     string // folder where the index of row 3 is kept; "" for none
	bare     spent  // on indexing alone; set by the contest
}

// measure takes some figures; an error becomes a row that says so.
type measure struct {
	name string
	rows string // their numbers, by which it is chosen, as well as by its name
	take func(context.Context) ([]row, error)
}

// usual are the rows that need no million passages and no chat platform.
const usual = "2,4,5,6,7,8,9,10,12,13,turns"

func measures(o *options) []measure {
	return []measure{
		{"program", "7,8", programFigures(o.program)},
		{"citations", "9", citationFigures},
		{"calls", "9", callFigures},
		{"turns", "", turnFigures},
		{"rendering", "10", renderFigures},
		{"wire", "6", wireFigures},
		{"github", "6", githubFigures},
		{"vectors", "5", vectorFigures},
		{"engines", "2,4,6", contestFigures(o)},
		{"folder", "6,7,8", folderFigures(o)},
		{"quality", "12,13", qualityFigures(o.program, o.bench)},
		{"slack-turns", "11", slackTurnFigures},
		{"slack-first", "1", slackFirstFigures(o.passages)},
		{"million", "3", millionFigures(o)},
	}
}

// chosen tells whether one of the wanted rows or names is of the measure.
func (m measure) chosen(wanted []string) bool {
	numbers := strings.Split(m.rows, ",")
	return slices.ContainsFunc(wanted, func(w string) bool { return w != "" && (w == m.name || slices.Contains(numbers, w)) })
}

func wantedRows(list string) []string { return strings.Split(strings.ReplaceAll(list, " ", ""), ",") }

func main() {
	var o options
	flag.StringVar(&o.program, "footnote", "bin/footnote", "the built program")
	flag.StringVar(&o.bench, "bench", os.Getenv("BENCH_DIR"), "folder with test sets in BEIR form (BENCH_DIR)")
	flag.IntVar(&o.passages, "passages", 100_000, "size of the index for the search figures")
	flag.IntVar(&o.million, "million", 1_000_000, "size of the index for row 3")
	flag.StringVar(&o.keep, "keep", "", "folder where the index of row 3 is kept and found again")
	rows := flag.String("rows", usual, "which rows, by number or by name: 1 to 13 or one of "+names())
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	wanted := wantedRows(*rows)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ROW\tFIGURE\tMEASURED\tWANTED")
	for _, m := range measures(&o) {
		if !m.chosen(wanted) {
			continue
		}
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

func names() string {
	var out []string
	for _, m := range measures(&options{}) {
		out = append(out, m.name)
	}
	return strings.Join(out, ", ")
}
