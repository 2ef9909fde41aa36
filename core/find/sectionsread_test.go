package find

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// However many sections there are, the ledger is read once to look again at all of them
// and once for what stands around them, and more often only where whole documents are
// wanted.
func TestReadsAtOnce(t *testing.T) {
	var ledger, hits []string
	for i := range 12 {
		ledger = append(ledger, fmt.Sprintf("w/%d:0-99", i))
		hits = append(hits, fmt.Sprintf("w/%d:50", i))
	}
	for _, row := range []struct {
		name   string
		extent extent
		pages  int
		looks  []int // windows of each
	}{
		{"sections alone", alone, 0, []int{12}},
		{"pages of the first ones", alone, 1, []int{12, padded}},
		{"neighbours", neighbours, 0, []int{12, 12}},
		{"documents", whole, 0, []int{12, 6, 6}},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, byName := reading{ledger: strings.Join(ledger, " "), paged: row.pages}.library()
			var results []core.Result
			for _, name := range hits {
				results = append(results, byName[name])
			}
			sections := sectionsOf(results)
			for _, s := range sections {
				s.extent = row.extent
			}
			r := &reader{passages: l, count: func(s string) int { return len(s) }, room: 1e6, recheck: true}
			got, _, err := r.read(t.Context(), sections, 20)
			if err != nil || len(got) != 12 {
				t.Fatalf("%d sections, %v", len(got), err)
			}
			if diff := cmp.Diff(row.looks, l.looks); diff != "" {
				t.Errorf("windows of each look (-want +got):\n%s", diff)
			}
			for i, s := range got {
				if want := fmt.Sprintf("w/%d", i); s.center.Document.ID != want {
					t.Errorf("%s stands where %s should", s.center.Document.ID, want)
				}
			}
		})
	}
}

// Nothing is read where nothing was found.
func TestReadsNothing(t *testing.T) {
	l := &library{}
	got, why, err := (&reader{passages: l, count: func(string) int { return 1 }, room: 100, recheck: true}).read(t.Context(), nil, 5)
	if len(got)+len(why)+len(l.looks) != 0 || err != nil {
		t.Errorf("%v, %v, %v, looks %v", got, why, err, l.looks)
	}
}

func TestAtOnce(t *testing.T) {
	for _, row := range []struct {
		sizes []int
		want  int
	}{
		{nil, 0},
		{[]int{1}, 1},
		{[]int{mostAtOnce + 1}, 1},
		{[]int{mostAtOnce + 1, 1}, 1},
		{[]int{mostAtOnce - 1, 1, 1}, 2},
		{slices.Repeat([]int{1}, mostAtOnce), mostAtOnce},
	} {
		var windows []core.Window
		for _, n := range row.sizes {
			windows = append(windows, core.Window{From: 3, To: 2 + n})
		}
		if got := len(atOnce(windows)); got != row.want {
			t.Errorf("%d windows: %d at once, want %d", len(row.sizes), got, row.want)
		}
	}
}
