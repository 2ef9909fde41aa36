package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// pages are all pages for people, by their path from here.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md"}
	err := filepath.WalkDir("docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestLinksLead follows every link between pages, to the heading that it names.
func TestLinksLead(t *testing.T) {
	link, code := regexp.MustCompile(`\]\(([^)\s]+)\)`), regexp.MustCompile("`[^`\n]+`")
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text(t, page), "code"), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			path, anchor, named := strings.Cut(m[1], "#")
			to := page
			if path != "" {
				to = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s leads to %s: %v", page, m[1], err)
				continue
			}
			if named && !anchors(text(t, to))[anchor] {
				t.Errorf("%s leads to %s, and there is no such heading", page, m[1])
			}
		}
	}
}

// anchors are the names of a page's headings in addresses.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return out
}

// TestIndexOfPages holds the two lists of pages against what there is.
func TestIndexOfPages(t *testing.T) {
	for _, dir := range []string{"docs", "docs/connectors"} {
		index := text(t, dir+"/README.md")
		there, err := filepath.Glob(dir + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range there {
			if name := filepath.Base(page); name != "README.md" && !strings.Contains(index, "]("+name+")") {
				t.Errorf("%s/README.md does not list %s", dir, name)
			}
		}
	}
}

// TestQuotedMessagesExist looks every message that docs/troubleshooting.md quotes up
// in the code. What is left out there, as …, may be anything.
func TestQuotedMessagesExist(t *testing.T) {
	var code strings.Builder
	for _, dir := range []string{"bot", "core", "internal", "plugins", "prompts", "store"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				code.WriteString(text(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	quoted := regexp.MustCompile("(?m)^> `(.+)`$").FindAllStringSubmatch(text(t, "docs/troubleshooting.md"), -1)
	if len(quoted) < 20 {
		t.Fatalf("only %d messages are quoted", len(quoted))
	}
	all := code.String()
	for _, m := range quoted {
		for part := range strings.SplitSeq(m[1], "…") {
			if part = strings.TrimSpace(part); !strings.Contains(all, part) {
				t.Errorf("no code says %q of %q", part, m[1])
			}
		}
	}
}
