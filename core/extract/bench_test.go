package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkMarkdown(b *testing.B) {
	body, err := os.ReadFile(filepath.Join("testdata", "text", "guide.md"))
	if err != nil {
		b.Fatal(err)
	}
	_, rest := cutFrontMatter(string(body))
	text := strings.Repeat(rest+"\n\n", 200)
	x := newExtractor(b, "", Limits{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := x.Text(b.Context(), "x.md", "", text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	body, err := os.ReadFile(filepath.Join(goRoot(b), "doc", "go_spec.html"))
	if err != nil {
		b.Skipf("the Go distribution here has no documentation: %v", err)
	}
	x := newExtractor(b, "", Limits{})
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := x.Text(b.Context(), "x.html", "", string(body)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPDFWarm reads with a child that is already running.
func BenchmarkPDFWarm(b *testing.B) {
	x := newExtractor(b, self(b), Limits{})
	body := readPDF(b, "handbook.pdf")
	if _, err := x.File(b.Context(), "x.pdf", "", bytes.NewReader(body)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := x.File(b.Context(), "x.pdf", "", bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}
