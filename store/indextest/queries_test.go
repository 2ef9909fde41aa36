package indextest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/indextest"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// queryRow is a query that nobody means to ask, and what it finds all the same.
type queryRow struct {
	Name       string
	Query      string
	Times      int    // how often it stands there; 0 is once
	Numbers    int    // so many different words after it
	Then       string // after that
	Principals int    // groups that the asker is in, beside public; document "group" is for the last one
	Want       []string
}

func (r queryRow) text() string {
	var b strings.Builder
	b.WriteString(strings.Repeat(r.Query, max(1, r.Times)))
	for i := range r.Numbers {
		fmt.Fprintf(&b, "w%dx ", i)
	}
	return b.String() + r.Then
}

func (r queryRow) filter() core.Filter {
	held := []core.Principal{core.Public}
	for i := range r.Principals {
		held = append(held, core.Group("directory", fmt.Sprintf("team-%05d", i)))
	}
	return core.Filter{Principals: held}
}

// queried are the documents that the rows ask for.
func queried() []core.IndexedDocument {
	texts := []struct{ id, language, text string }{
		{"en", "en", "What is a parental leave? The 7 rules of it."},
		{"zh", "zh", "员工每年有二十天年假。"},
		{"ru", "ru", "Вклад открыт. The machine was descaled."},
		{"th", "th", "พนักงานลาพักร้อนได้สิบวัน"},
		{"he", "he", "חופשה שנתית"},
		{"ids", "en", "OPS-4711 needs leave"},
		{"group", "en", "What is the parental leave of the last team?"},
	}
	var out []core.IndexedDocument
	for i, one := range texts {
		d := indextest.Document(one.id, core.PassageID(i+1), one.text)
		d.Language = one.language
		out = append(out, d)
	}
	out[len(out)-1].Facts.Access = core.NewAccess(core.Group("directory", "team-19999"))
	return out
}

// TestQueryRows asks every index what is in testdata/queries. The deadline is for a
// search that would never end.
func TestQueryRows(t *testing.T) {
	rows := readQueryRows(t)
	t.Run("embedded", func(t *testing.T) {
		x, err := index.Open(t.Context(), t.TempDir(), index.Options{Install: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		askRows(t, x, rows)
	})
	t.Run("typesense", func(t *testing.T) {
		x, err := typesense.New(typesense.Options{URLs: []string{typesensetest.New(t).URL}, APIKey: typesensetest.Key, Install: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Prepare(t.Context(), "", false); err != nil {
			t.Fatal(err)
		}
		askRows(t, x, rows)
	})
}

func askRows(t *testing.T, x core.Index, rows []queryRow) {
	if err := x.Put(t.Context(), queried()); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			hits, err := x.Keyword(ctx, core.KeywordQuery{Text: r.text(), Filter: r.filter(), Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, h := range hits {
				got = append(got, h.Document)
			}
			slices.Sort(got)
			slices.Sort(r.Want)
			if diff := cmp.Diff(r.Want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readQueryRows(t *testing.T) (rows []queryRow) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "queries", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in testdata/queries: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			var r queryRow
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&r); err != nil || r.Name == "" || r.Want == nil {
				t.Fatalf("%s, line %d: %v", file, i+1, err)
			}
			rows = append(rows, r)
		}
	}
	return rows
}
