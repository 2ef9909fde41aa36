package bot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // so that every machine knows Berlin

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFilters(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 20, 0, 30, 0, 0, berlin) // a Wednesday; still Tuesday in London
	files, err := filepath.Glob("testdata/filters/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
			var row struct {
				Name  string      `json:"name"`
				Text  string      `json:"text"`
				Refs  []Reference `json:"refs"`
				Terms []string    `json:"terms"`
				Rest  string      `json:"rest"`
			}
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			if err := d.Decode(&row); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			t.Run(row.Name, func(t *testing.T) {
				terms := ParseFilters(row.Text, row.Refs, now, berlin)
				var got []string
				for _, one := range terms {
					got = append(got, string(one.Kind)+" "+said(one))
				}
				if d := cmp.Diff(row.Terms, got, cmpopts.EquateEmpty()); d != "" {
					t.Errorf("terms (-want +got):\n%s", d)
				}
				if rest := Without(row.Text, terms); rest != row.Rest {
					t.Errorf("without: %q, want %q", rest, row.Rest)
				}
			})
		}
	}
}

func said(one Term) string {
	show := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.Format(time.RFC3339)
	}
	if one.Kind == TermDate {
		return show(one.Range.From) + ".." + show(one.Range.To)
	}
	return one.Name + one.Ref.ID
}

func FuzzFilters(f *testing.F) {
	f.Add("in:wiki since:\"last month\" `x` #general from:@ann", "general", "ann")
	f.Fuzz(func(t *testing.T, text, channel, person string) {
		terms := ParseFilters(text, []Reference{{ID: "C1", Name: channel}, {Person: true, ID: "U1", Name: person}}, time.Now(), nil)
		at := 0
		for _, one := range terms {
			if one.Start < at || one.End <= one.Start || one.End > len(text) || one.Text != text[one.Start:one.End] {
				t.Fatalf("%q: term %+v", text, one)
			}
			at = one.End
		}
		if rest := Without(text, terms); strings.TrimSpace(text) != "" && rest == "" {
			t.Fatalf("%q has no rest", text)
		}
		if !slices.IsSortedFunc(terms, func(a, b Term) int { return a.Start - b.Start }) {
			t.Fatal("not in order")
		}
	})
}
