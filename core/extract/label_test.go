package extract

import (
	"strings"
	"testing"
)

// What a column is follows from its name and its numbers: what labels is not added
// up, what measures is.
func TestLabels(t *testing.T) {
	names := map[label]string{noLabel: "", nameLabel: "name", timeLabel: "time", otherLabel: "other"}
	eachRow(t, "tables/labels.jsonl", func(t *testing.T, row struct {
		Header, Label, Beside string
		Values                []string
		First                 bool
	}) {
		columns, at := []string{"Name", row.Header, row.Beside}, 1
		if row.First {
			columns, at = []string{row.Header, row.Beside}, 0
		}
		s := newSheetStats(columns)
		for _, v := range row.Values {
			s.row([]cell{{column: at, text: v}})
		}
		if got := names[s.label(at)]; got != row.Label {
			t.Errorf("%q with %v is %q, not %q", row.Header, row.Values, got, row.Label)
		}
		summed := strings.Contains(strings.Join(s.totals("the table"), "\n"), ", smallest ")
		if summed != (row.Label == "") {
			t.Errorf("%q with %v: %q", row.Header, row.Values, s.totals("the table"))
		}
	})
}

// A word of a column's name means one thing.
func TestHeaderWordsAreOneThing(t *testing.T) {
	seen := map[string]meaning{}
	for _, list := range headerLists {
		for w := range strings.FieldsSeq(list.words) {
			if m, ok := seen[w]; ok {
				t.Errorf("%q stands in the lists %d and %d", w, m, list.meaning)
			}
			if seen[w] = list.meaning; w != strings.ToLower(w) {
				t.Errorf("%q is not in lower case", w)
			}
		}
	}
}
