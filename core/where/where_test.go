package where

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// documents are what the rows ask for.
func documents() []core.Facts {
	day := func(text string) time.Time {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		return t
	}
	facts := func(id, source, title, kind string, updated time.Time, meta map[string]string) core.Facts {
		return core.Document{ID: id, Source: source, Title: title, Kind: kind, Updated: updated, Meta: meta}.Facts()
	}
	return []core.Facts{
		facts("a", "wiki", "Alpha", "page", day("2026-01-31T23:59:59Z"), map[string]string{"Status": "Open", "priority": "2"}),
		facts("b", "wiki", "the alpha of it", "ticket", day("2026-01-30T00:00:00Z"), map[string]string{"status": "done", "priority": " 10"}),
		facts("c", "drive", "100 % sure", "file", day("2026-02-01T00:00:00Z"), map[string]string{"priority": "high", "Größe": "ö", "due date": "2026-02-28"}),
		facts("d", "drive", "a_b", "", time.Time{}, map[string]string{"source": "mail", "archived": "True", "delta": "-2"}),
		facts("e", "mail", "axb", "page", time.Time{}, map[string]string{"status": "open", "in": "x", "note": `say "hi" \ bye`}),
	}
}

func TestConditions(t *testing.T) {
	rows(t, "conditions", func(t *testing.T, row struct {
		Name, Where string
		Hits        []string
	}) {
		w, err := Parse(row.Where)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, d := range documents() {
			if w.Holds(d) {
				got = append(got, d.Document)
			}
		}
		if !slices.Equal(got, row.Hits) {
			t.Errorf("%s passes %q, want %q", row.Where, got, row.Hits)
		}
	})
}

func TestFaults(t *testing.T) {
	rows(t, "faults", func(t *testing.T, row struct {
		Where, Says string
		At          int
	}) {
		_, err := Parse(row.Where)
		if core.KindOf(err) != core.KindInvalid || !strings.HasPrefix(err.Error(), fmt.Sprintf("where, character %d: ", row.At)) ||
			!strings.Contains(err.Error(), row.Says) {
			t.Errorf("%q gives %v; it should say %q at character %d", row.Where, err, row.Says, row.At)
		}
	})
}

func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"long":       "a = \"" + strings.Repeat("x", LongestText) + "\"",
		"deep":       strings.Repeat("(", 60) + "a = 1" + strings.Repeat(")", 60),
		"nots":       strings.Repeat("not ", 60) + "a = 1",
		"conditions": strings.Repeat("a = 1 or ", MostConditions) + "a = 1",
		"values":     "a in (" + strings.Repeat("1,", MostValues) + "1)",
		"not UTF-8":  "a = \"\xff\"",
	} {
		if _, err := Parse(text); core.KindOf(err) != core.KindInvalid {
			t.Errorf("%s: %v, want an error of kind invalid", name, err)
		}
	}
	if _, err := Parse(strings.Repeat("a = 1 or ", MostConditions-1) + "a = 1"); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`a = "b" and not (c in (1, 2) or d not exists)`, "`x y` >= 2026-01-01", `updated < "x"`, "((", "\"\\"} {
		f.Add(seed)
	}
	facts := documents()
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text)
		if err != nil {
			if core.KindOf(err) != core.KindInvalid {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		not := core.Where{Op: core.WhereNot, Parts: []core.Where{*w}}
		for _, d := range facts {
			if w.Holds(d) == not.Holds(d) {
				t.Fatalf("%q and its opposite agree on %s", text, d.Document)
			}
		}
	})
}

// A field is read as a number and a date once, however many values there are: with
// hundreds of them, and as many documents as a large source has, that is the cost.
func TestManyValuesReadAFieldOnce(t *testing.T) {
	list := func(n int) *core.Where {
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var values []string
		for i := range n {
			values = append(values, day.AddDate(0, 0, i).Format(time.DateOnly), fmt.Sprint(i))
		}
		w, err := Parse("note in (" + strings.Join(values, ", ") + ")")
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	few, many := list(2), list(400)
	d := core.Document{Meta: map[string]string{"note": "PAY-1234"}}.Facts()
	cost := func(w *core.Where) float64 { return testing.AllocsPerRun(20, func() { w.Holds(d) }) }
	if a, b := cost(few), cost(many); b > a+2 {
		t.Errorf("4 values allocate %v times, 800 values %v times", a, b)
	}
}

func rows[T any](t *testing.T, folder string, run func(*testing.T, T)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in %s: %v", folder, err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			var row T
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), n), func(t *testing.T) { run(t, row) })
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
