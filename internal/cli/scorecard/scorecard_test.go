package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseKeepsTheSmallest(t *testing.T) {
	t.Parallel()
	got := parse([]byte(`goos: linux
BenchmarkScale-2   	 300	  3361828 ns/op	  1.017 cpu-ms	 15.04 p95-ms
BenchmarkScale-2   	 300	  2361828 ns/op	  1.117 cpu-ms	 14.04 p95-ms
BenchmarkWriter/100x2k/4bytes 	 5	 12 ns/token
BenchmarkBroken-2
PASS
`))
	want := map[string]result{
		"Scale":                {"ns/op": 2361828, "cpu-ms": 1.017, "p95-ms": 14.04},
		"Writer/100x2k/4bytes": {"ns/token": 12},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := got["Scale"].figure("cpu-ms", "%.1f ms"); s != "1.0 ms" {
		t.Error(s)
	}
	if s := got["Scale"].figure("open-ms", "%.0f ms"); s != "not measured" {
		t.Error(s)
	}
}

func TestRowsChoose(t *testing.T) {
	t.Parallel()
	for rows, want := range map[string]string{
		"5":         "vectors",
		"12, 13":    "quality",
		"3":         "million",
		"1,11":      "slack-turns slack-first",
		"turns,10":  "turns rendering",
		"2":         "engines",
		"":          "",
		"nothing,0": "",
	} {
		var got []string
		for _, m := range measures(&options{}) {
			if m.chosen(wantedRows(rows)) {
				got = append(got, m.name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q chooses %v, want %s", rows, got, want)
		}
	}
	for _, m := range measures(&options{}) {
		slow := m.name == "million" || strings.HasPrefix(m.name, "slack")
		if m.chosen(wantedRows(usual)) == slow {
			t.Errorf("%s is chosen by default: %v", m.name, !slow)
		}
	}
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ small, large, factor, want float64 }{
		{1, 10, 10, 1}, {1, 1, 10, 0}, {2, 20, 100, 0.5}, {1, 1000, 100, 1.5},
	} {
		if got := growth(row.small, row.large, row.factor); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("growth(%g, %g, %g) = %g, want %g", row.small, row.large, row.factor, got, row.want)
		}
	}
}

// A small contest goes the whole way of a large one.
func TestContest(t *testing.T) {
	t.Parallel()
	c, err := newContest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range c.contenders {
		one.questions = 2
	}
	if err := c.run(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	for _, one := range c.contenders {
		if len(one.searching) != 2 || len(one.searching[1].took) != 2*contestRounds || one.indexing.cpu <= 0 {
			t.Errorf("%s: %+v", one.name, one)
		}
		for _, r := range one.rows(40, c.contenders[0]) {
			if strings.Contains(r.got, "NaN") || r.got == "" {
				t.Errorf("%s: %s", r.what, r.got)
			}
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}
