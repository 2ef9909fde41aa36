package cite

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// row is one line of a case file.
type row struct {
	Name          string               `json:"name"`
	Mode          string               `json:"mode"`
	Tokens        []string             `json:"tokens"`
	Existing      map[string]rowSource `json:"existing"`
	Mapping       map[string]rowSource `json:"mapping"`
	Show          map[string]string    `json:"show"`
	Renumber      bool                 `json:"renumber"`
	WantText      string               `json:"want_text"`
	WantCitations []int                `json:"want_citations"`
	WantMapping   map[string]string    `json:"want_mapping"`
	WantDeleted   []int                `json:"want_deleted"`
	WantSeen      []int                `json:"want_seen"`
}

type rowSource struct {
	Title    string `json:"title"`
	URL      string `json:"url"`
	Document string `json:"document"`
}

func TestCitationCases(t *testing.T) {
	files, err := filepath.Glob("testdata/citations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		for _, r := range readRows(t, file) {
			t.Run(r.Name, func(t *testing.T) {
				whole := strings.Join(r.Tokens, "")
				checkRow(t, "as given", r, r.Tokens)
				checkRow(t, "one character a token", r, characters(whole))
				checkRow(t, "one token", r, []string{whole})
			})
		}
	}
}

func readRows(t *testing.T, file string) []row {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	names := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v in %.80s", file, err, lines.Text())
		}
		if names[r.Name] {
			t.Fatalf("%s: the name %q occurs twice", file, r.Name)
		}
		names[r.Name] = true
		rows = append(rows, r)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return rows
}

func characters(s string) []string {
	var out []string
	for len(s) > 0 {
		_, n := utf8.DecodeRuneInString(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func checkRow(t *testing.T, how string, r row, tokens []string) {
	t.Helper()
	switch r.Mode {
	case "collapse":
		checkCollapse(t, how, r, tokens)
	case "strip_links":
		if got := StripLinks(strings.Join(tokens, "")); got != r.WantText {
			t.Errorf("%s: got %q, want %q", how, got, r.WantText)
		}
	default:
		checkStream(t, how, r, tokens)
	}
}

func checkCollapse(t *testing.T, how string, r row, tokens []string) {
	t.Helper()
	got, combined := Collapse(strings.Join(tokens, ""), toSources(t, r.Existing), toSources(t, r.Mapping))
	if got != r.WantText {
		t.Errorf("%s: got %q, want %q", how, got, r.WantText)
	}
	urls := map[string]string{}
	for n, s := range combined {
		urls[strconv.Itoa(n)] = s.URL
	}
	if d := cmp.Diff(r.WantMapping, urls); r.WantMapping != nil && d != "" {
		t.Errorf("%s: combined map (-want +got)\n%s", how, d)
	}
	if numbers := sortedNumbers(combined); !slices.Equal(numbers, r.WantCitations) {
		t.Errorf("%s: combined numbers %v, want %v", how, numbers, r.WantCitations)
	}
}

func toSources(t *testing.T, m map[string]rowSource) map[int]Source {
	t.Helper()
	out := map[int]Source{}
	for key, s := range m {
		n, err := strconv.Atoi(key)
		if err != nil {
			t.Fatal(err)
		}
		out[n] = Source{Document: s.Document, Title: s.Title, URL: s.URL, Show: core.ShowLink}
	}
	return out
}

var modes = map[string]Mode{"hyperlink": Hyperlink, "show": Hyperlink, "remove": Remove, "keep": Keep}

var levels = map[string]core.Show{"": core.ShowLink, "link": core.ShowLink, "number": core.ShowNumber, "nothing": core.ShowNothing}

func checkStream(t *testing.T, how string, r row, tokens []string) {
	t.Helper()
	mode, ok := modes[r.Mode]
	if !ok {
		t.Fatalf("mode %q", r.Mode)
	}
	var text strings.Builder
	var cited, deleted []int
	w := NewWriter(Options{
		Mode: mode, Renumber: r.Renumber,
		Text:    func(s string) { text.WriteString(s) },
		Cited:   func(display, _ int) { cited = append(cited, display) },
		Deleted: func(n int) { deleted = append(deleted, n) },
	})
	sources := toSources(t, r.Mapping)
	for _, n := range sortedNumbers(sources) {
		s := sources[n]
		s.Show = levels[r.Show[strconv.Itoa(n)]]
		w.AddSource(n, s)
	}
	for _, token := range tokens {
		w.Write(token)
	}
	w.Close()
	if got := text.String(); got != r.WantText {
		t.Errorf("%s: got %q, want %q", how, got, r.WantText)
	}
	if !slices.Equal(cited, r.WantCitations) {
		t.Errorf("%s: cited %v, want %v", how, cited, r.WantCitations)
	}
	if r.WantDeleted != nil && !slices.Equal(deleted, r.WantDeleted) {
		t.Errorf("%s: deleted %v, want %v", how, deleted, r.WantDeleted)
	}
	if seen := w.Seen(); r.WantSeen != nil && !slices.Equal(seen, r.WantSeen) {
		t.Errorf("%s: seen %v, want %v", how, seen, r.WantSeen)
	}
}
