package slack

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docTable reads the rows of the page's table whose first head is the one given.
func docTable(t *testing.T, page, head string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	inside := false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case cells[0] == head:
			inside = true
		case inside && !strings.HasPrefix(line, "|--"):
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("docs/%s has no table with the head %q", page, head)
	}
	return rows
}

var coded = regexp.MustCompile("`([^`]+)`")

// codes are the words in backticks of a cell, sorted.
func codes(cell string) []string {
	var out []string
	for _, m := range coded.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return out
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// same compares names in a page with those in the code, both ways.
func same(t *testing.T, what string, page, code []string) {
	t.Helper()
	page, code = sorted(page), sorted(code)
	if !slices.Equal(page, code) {
		t.Errorf("%s: the page has\n  %q\nthe code\n  %q", what, page, code)
	}
}

func TestPageNamesScopesAndEvents(t *testing.T) {
	page := map[string][]string{}
	for _, row := range docTable(t, "slack.md", "feature") {
		name, _, _ := strings.Cut(row[0], " (")
		page[name] = slices.Concat([]string{"scopes"}, codes(row[1]), []string{"events"}, codes(row[2]))
	}
	code := map[string][]string{}
	for _, f := range features {
		if len(f.scopes)+len(f.events) > 0 {
			code[f.name] = slices.Concat([]string{"scopes"}, sorted(f.scopes), []string{"events"}, sorted(f.events))
		}
	}
	same(t, "features", slices.Collect(maps.Keys(page)), slices.Collect(maps.Keys(code)))
	for name, want := range code {
		if !slices.Equal(page[name], want) {
			t.Errorf("%s: the page has %q, the code %q", name, page[name], want)
		}
	}
}

func TestPageNamesCommands(t *testing.T) {
	var page []string
	for _, row := range docTable(t, "slack.md", "`/footnote …`") {
		page = append(page, codes(row[0])...)
	}
	code := slices.DeleteFunc(slices.Collect(maps.Keys(adminVerbs)), func(v string) bool { return v == "" })
	same(t, "/footnote", page, code)
}

// written is the code of the package, without tests.
func written(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()
}

func found(text, pattern string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestPageNamesButtons(t *testing.T) {
	var page []string
	for _, row := range docTable(t, "slack.md", "button") {
		page = append(page, found(row[0], `\*\*([^*]+)\*\*`)...)
	}
	code := written(t)
	var labels []string
	for _, pattern := range []string{
		`NewButtonBlockElement\(act\w+, [^"]*"([^"]+)"`, `NewFeedbackButton\([^"]*"([^"]+)"`, `add\(act\w+, "([^"]+)"\)`,
	} {
		labels = append(labels, found(code, pattern)...)
	}
	same(t, "buttons", page, labels)
}

func TestPageNamesChecks(t *testing.T) {
	var page []string
	for _, row := range docTable(t, "slack.md", "check") {
		page = append(page, codes(row[0])...)
	}
	raw, err := os.ReadFile("setup.go")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "checks", page, append(found(string(raw), `\bname\("([a-z ]+)"\)`), found(string(raw), `Check\{\s*\{?Name: +"([a-z ]+)",`)...))
}

func TestPageTellsTheLimits(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "slack.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(raw)), " ")
	for want, holds := range map[string]bool{
		"Up to 5 files":                     mostFiles == 5,
		"source code up to 10 MB":           largestFile == 10_000_000,
		"images up to 5 MB":                 largestImage == 5_000_000,
		"At most 20 of its people":          mostCalled == 20,
		"at most 3 messages":                mostMessages == 3,
		"`" + commandAsk + " QUESTION`":     true,
		"`" + commandAsk + " " + showFlag:   true,
		"*⋮ → Ask about this message*":      strings.Contains(string(Manifest(Variant{})), "Ask about this message"),
		"👀 on the question":                 eyes == "eyes",
		"Requests whose signature is wrong": true,
	} {
		if !holds || !strings.Contains(page, want) {
			t.Errorf("docs/slack.md and the code do not agree: %q", want)
		}
	}
}
