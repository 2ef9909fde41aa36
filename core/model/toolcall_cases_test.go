package model_test

import (
	"bufio"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/model/toolcall"
)

type toolCallRow struct {
	Name   string
	Kind   string
	Text   string
	Tokens []string
	Tools  []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Native      bool `json:"native_tools"`
	Context     []string
	Forced      string
	Changing    []string   // tools that change something
	WantCalls   []wantCall `json:"want_calls"`
	WantVisible *string    `json:"want_visible"`
}

type wantCall struct {
	Name      string
	Arguments any
}

func (r toolCallRow) options() toolcall.Options {
	o := toolcall.Options{Native: r.Native, Context: r.Context, Forced: r.Forced}
	for _, t := range r.Tools {
		o.Tools = append(o.Tools, toolcall.Tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	o.ReadOnly = func(name string) bool {
		for _, c := range r.Changing {
			if c == name {
				return false
			}
		}
		return true
	}
	return o
}

func detectAll(t *testing.T, o toolcall.Options, pieces []string) (string, []wantCall) {
	t.Helper()
	d := toolcall.NewDetector(o)
	var visible strings.Builder
	for _, p := range pieces {
		visible.WriteString(d.Write(p))
	}
	rest, calls := d.Close()
	visible.WriteString(rest)
	var got []wantCall
	for _, c := range calls {
		var args any
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			t.Fatalf("%s: arguments %q: %v", c.Name, c.Arguments, err)
		}
		got = append(got, wantCall{c.Name, args})
	}
	return visible.String(), got
}

// cuts returns the text whole, one character a piece, and at a few random places.
func cuts(text string) [][]string {
	all := [][]string{{text}}
	var single []string
	for _, r := range text {
		single = append(single, string(r))
	}
	all = append(all, single)
	for seed := range int64(4) {
		rng := rand.New(rand.NewSource(seed))
		var pieces []string
		for rest := single; len(rest) > 0; {
			n := min(1+rng.Intn(9), len(rest))
			pieces, rest = append(pieces, strings.Join(rest[:n], "")), rest[n:]
		}
		all = append(all, pieces)
	}
	return all
}

func TestToolCallCases(t *testing.T) {
	files, err := filepath.Glob("testdata/toolcalls/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatalf("row files: %v, %v", files, err)
	}
	for _, file := range files {
		for _, row := range readRows(t, file) {
			t.Run(row.Name, func(t *testing.T) { runRow(t, row) })
		}
	}
}

func readRows(t *testing.T, file string) []toolCallRow {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []toolCallRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row toolCallRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s row %d: %v", file, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func runRow(t *testing.T, row toolCallRow) {
	text := row.Text
	for _, token := range row.Tokens {
		text += token
	}
	first := ""
	for i, pieces := range append(cuts(text), row.Tokens) {
		if len(pieces) == 0 && text != "" {
			continue
		}
		visible, calls := detectAll(t, row.options(), pieces)
		if i == 0 {
			first = visible
		}
		if visible != first {
			t.Errorf("cut %d shows %q, whole shows %q", i, visible, first)
		}
		if row.WantVisible != nil && visible != *row.WantVisible {
			t.Errorf("cut %d shows %q, want %q", i, visible, *row.WantVisible)
		}
		if row.Kind == "stream_filter" {
			continue
		}
		if len(calls)+len(row.WantCalls) > 0 && !reflect.DeepEqual(calls, row.WantCalls) {
			t.Errorf("cut %d calls %v, want %v", i, calls, row.WantCalls)
		}
		if len(row.WantCalls) == 0 && row.WantVisible == nil && len(calls) == 0 && row.Context == nil && visible != text {
			t.Errorf("cut %d shows %q of a message without calls", i, visible)
		}
	}
}
