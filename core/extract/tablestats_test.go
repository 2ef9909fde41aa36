package extract

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// eachRow runs a test for every line of a file in testdata.
func eachRow[T any](t *testing.T, file string, run func(t *testing.T, row T)) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		n++
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s:%d: %v", file, n, err)
		}
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) { run(t, row) })
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%s: %d lines, %v", file, n, err)
	}
}

func TestReadNumber(t *testing.T) {
	eachRow(t, "numbers/numbers.jsonl", func(t *testing.T, row struct {
		Text         string
		Point, Comma *float64
		Unit         string
	}) {
		got, ok := readNumber(row.Text)
		if ok != (row.Point != nil || row.Comma != nil) || got.isPoint != (row.Point != nil) || got.isComma != (row.Comma != nil) {
			t.Fatalf("%q: %+v, %v", row.Text, got, ok)
		}
		if ok && (row.Point != nil && *row.Point != got.point || row.Comma != nil && *row.Comma != got.comma || row.Unit != got.unit) {
			t.Errorf("%q: %+v", row.Text, got)
		}
	})
}

func TestTableSummary(t *testing.T) {
	eachRow(t, "tables/tables.jsonl", func(t *testing.T, row struct {
		Name        string
		Table, Want []string
	}) {
		table := strings.Join(row.Table, "\n")
		blocks, err := markdownBlocks(t.Context(), table)
		if err != nil || len(blocks) != 1 || blocks[0].Kind != KindTable {
			t.Fatalf("%s: %d blocks, %v", row.Name, len(blocks), err)
		}
		t.Log(row.Name)
		same(t, strings.Join(row.Want, "\n"), strings.Join(TableSummary("the table", blocks[0].Text), "\n"))
	})
}

// What is hostile costs what it is long and leaves a summary of bounded size.
func TestHostileTables(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	rows := func(n int, row string) string { return strings.Repeat(row+"\n", n) }
	for _, row := range []struct{ name, table, want string }{
		{"100,000 rows", "| a | b |\n|---|---|\n" + rows(100_000, "| n | 0.1 |"), "sum 10000,"},
		{"5,000 columns", rows(1, strings.Repeat("| c ", 5000)+"|") + rows(1, strings.Repeat("|---", 5000)+"|") + rows(10, strings.Repeat("| 2 ", 5000)+"|"), "5000 columns"},
		{"cells of 1 MB", "| " + long + " | b |\n|---|---|\n" + rows(4, "| "+long+" | 2 |"), "sum 8,"},
		{"a total of 1 MB", "| a | b |\n|---|---|\n" + rows(4, "| n | 2 |") + "| Total | 2 | \n| Total | =" + long + " |", "sum 8,"},
		{"backslashes", "| a | b |\n|---|---|\n" + rows(4, "| "+strings.Repeat(`\`, 1<<20)+" | 2 |"), "4 rows"},
		{"formulas", "| a | b |\n|---|---|\n" + rows(5, "| =HYPERLINK(\"https://x.example\";\"y\") | =1+1 |"), "5 rows"},
		{"bars", rows(1, strings.Repeat("|", 200_000)) + rows(1, strings.Repeat("|-", 200_000)) + rows(5, strings.Repeat("|", 200_000)), ""},
		{"nothing", "", ""},
		{"half a table", "| a |", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			lines := TableSummary("the table", row.table)
			all := strings.Join(lines, "\n")
			if !strings.Contains(all, row.want) || row.want == "" && all != "" || len(all) > 64<<10 {
				t.Errorf("%d bytes: %.600s", len(all), all)
			}
			if again := strings.Join(TableSummary("the table", row.table), "\n"); again != all {
				t.Errorf("another summary of the same table: %.600s", again)
			}
		})
	}
}

// A sheet's numbers are exact, whatever they look like; its texts are not.
func TestExactNumbers(t *testing.T) {
	s := newSheetStats([]string{"a", "b"})
	for i := range 4 {
		s.row([]cell{{column: 0, text: "1.234", exact: true}, {column: 1, text: "1.234", exact: i > 0}})
	}
	got := strings.Join(s.totals("the sheet"), "\n")
	if !strings.Contains(got, "a: sum 4.936,") || !strings.Contains(got, "b: not added up, because “1.234” can be read") {
		t.Error(got)
	}
}
