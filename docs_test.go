package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConnectorPageCompiles builds the connector of docs/connectors.md as an
// author would copy it.
func TestConnectorPageCompiles(t *testing.T) {
	page, err := os.ReadFile("docs/connectors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	code, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/connectors.md has no Go code")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "notes"), file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

var nameInText = regexp.MustCompile("`((?:docs|changelog|plugins|plugin-sdk|testdata|internal|core|store|bot)/[A-Za-z0-9_./-]+)`")

// TestNamedFilesExist keeps the pages from naming files that are not there.
func TestNamedFilesExist(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "docs/connectors.md", "docs/plugins.md", "docs/connectors-other-languages.md", "docs/http.md", "docs/configuration.md", "docs/dependencies.md", "docs/slack.md", "docs/discord.md", "docs/operations.md"}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range nameInText.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
}

// TestDependenciesAreListed holds go.mod against the page that says why each
// direct dependency is there.
func TestDependenciesAreListed(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		if !strings.HasPrefix(line, "\t") || strings.Contains(line, "// indirect") {
			continue
		}
		path := strings.TrimPrefix(strings.Fields(line)[0], "github.com/")
		if !strings.Contains(string(page), path) {
			t.Errorf("docs/dependencies.md does not list %s", path)
		}
	}
}

// TestPicturesExist holds the pictures that pages show against docs/images, both
// ways.
func TestPicturesExist(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\((images/[^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
			shown[filepath.Join("docs", m[1])] = true
		}
	}
	there, err := filepath.Glob("docs/images/*")
	if err != nil || len(there) != len(shown) {
		t.Errorf("%d pictures are shown, %d are there: %v", len(shown), len(there), err)
	}
	for _, picture := range there {
		if !shown[picture] {
			t.Errorf("no page shows %s", picture)
		}
	}
}
