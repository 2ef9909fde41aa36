package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/cite"
)

// row is one line of a case file.
type caseRow struct {
	Name     string            `json:"name"`
	Platform string            `json:"platform"`
	Target   string            `json:"target"`
	Markdown string            `json:"markdown"`
	Want     json.RawMessage   `json:"want"`
	Limit    int               `json:"limit"`
	Count    string            `json:"count"`
	Sources  map[string]string `json:"sources"`
	Mode     string            `json:"mode"`
	Links    string            `json:"links"`
	Passage  string            `json:"passage"`
}

// targets is the dialect of each platform's targets.
var targets = map[string]Dialect{
	"slack mrkdwn": Mrkdwn, "slack markdown_block": MarkdownBlock, "discord content": Discord,
	"slack plain": Plain, "discord plain": Plain,
}

var counts = map[string]Count{"rune": Runes, "utf16": UTF16}

var modes = map[string]cite.Mode{"hyperlink": cite.Hyperlink, "remove": cite.Remove, "keep": cite.Keep}

func TestRenderingCases(t *testing.T) {
	files, err := filepath.Glob("testdata/rendering/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	names := map[string]string{}
	for _, file := range files {
		for n, line := range readLines(t, file) {
			r, err := readCase(line)
			if err != nil {
				t.Errorf("%s:%d: %v", file, n+1, err)
				continue
			}
			if before, ok := names[r.Name]; ok {
				t.Errorf("%s:%d: %s is in %s too", file, n+1, r.Name, before)
			}
			names[r.Name] = file
			t.Run(r.Name, func(t *testing.T) { checkCase(t, r) })
		}
	}
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		all = append(all, lines.Text())
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return all
}

// readCase reads one row; a key that the test does not know is an error.
func readCase(line string) (r caseRow, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	if r.Name == "" || len(r.Want) == 0 {
		return r, errors.New("a row needs name and want")
	}
	return r, nil
}

func checkCase(t *testing.T, r caseRow) {
	t.Helper()
	text := prepared(t, r)
	if r.Target == "split" {
		var want []string
		count, ok := counts[r.Count]
		if err := json.Unmarshal(r.Want, &want); err != nil || !ok || r.Limit < 1 {
			t.Fatalf("a split row needs a list, a limit and a count: %v", err)
		}
		if got := Split(text, Limit{r.Limit, count}); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		return
	}
	dialect, ok := targets[r.Platform+" "+r.Target]
	if !ok {
		t.Fatalf("unknown target %q of platform %q", r.Target, r.Platform)
	}
	var want string
	if err := json.Unmarshal(r.Want, &want); err != nil {
		t.Fatal(err)
	}
	if got := Render(dialect, text); got != want {
		t.Errorf("%q\ngot  %q\nwant %q", r.Markdown, got, want)
	}
}

// prepared is the row's text as it leaves the core: citations written, links
// decided.
func prepared(t *testing.T, r caseRow) string {
	t.Helper()
	text := r.Markdown
	if r.Mode != "" {
		mode, ok := modes[r.Mode]
		if !ok {
			t.Fatalf("unknown mode %q", r.Mode)
		}
		text = cited(t, text, mode, r.Sources)
	}
	switch r.Links {
	case "", "any":
		return text
	case "sources":
		var b strings.Builder
		l := cite.NewLive(func(s string) { b.WriteString(s) })
		for _, url := range r.Sources {
			l.Allow(url)
		}
		l.AllowIn(r.Passage)
		l.Write(text)
		l.Close()
		return b.String()
	default:
		t.Fatalf("unknown links %q", r.Links)
		return ""
	}
}

func cited(t *testing.T, text string, mode cite.Mode, sources map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := cite.NewWriter(cite.Options{Mode: mode, Text: func(s string) { b.WriteString(s) }})
	for key, url := range sources {
		n, err := strconv.Atoi(key)
		if err != nil {
			t.Fatalf("source %q is no number", key)
		}
		w.AddSource(n, cite.Source{Document: "d" + key, URL: url, Show: core.ShowLink})
	}
	w.Write(text)
	w.Close()
	return b.String()
}
