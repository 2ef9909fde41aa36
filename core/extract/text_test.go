package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestFormats(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "text", "*"))
	if err != nil {
		t.Fatal(err)
	}
	x := newExtractor(t, "", Limits{})
	read := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		read++
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".src")
			c, err := x.File(t.Context(), name, "", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "text/"+filepath.Base(file)+".golden", dump(c))
		})
	}
	if read < 10 {
		t.Errorf("only %d files in testdata", read)
	}
}

func TestFormatOf(t *testing.T) {
	rows := []struct{ name, mediaType, want string }{
		{"a.md", "", "markdown"}, {"A.MD", "text/plain; charset=utf-8", "markdown"}, {"a", "text/markdown", "markdown"},
		{"a.html", "", "html"}, {"x", "text/html; charset=gbk", "html"}, {"a.md", "text/html", "html"},
		{"a.txt", "text/plain", "plain"}, {"README", "", "plain"}, {"a.weird", "application/octet-stream", "plain"},
		{"a.go", "text/plain", "code"}, {"a.go", "", "code"}, {"a", "application/javascript", "code"}, {"a", "text/x-python", "code"},
		{"a.csv", "", "rows"}, {"a", "text/csv", "rows"}, {"a.json", "", "json"}, {"a", "application/ld+json", "json"},
		{"a.pdf", "", "pdf"}, {"a", "application/pdf", "pdf"}, {"a.pdf", "application/octet-stream", "pdf"},
		{"a.png", "", "none"}, {"a.docx", "application/octet-stream", "none"}, {"a", "image/png", "none"}, {"a", "video/mp4", "none"},
		{"a", "text/markdown; broken=\"", "markdown"}, {`c:\x\a.md`, "", "markdown"},
	}
	const body = "# H\n\na,b\n"
	for _, row := range rows {
		f := formatOf(row.name, row.mediaType)
		got := "none"
		if f.pdf {
			got = "pdf"
		} else if f.parse != nil {
			got = kindOfFormat(t, f, body)
		}
		if got != row.want {
			t.Errorf("%q %q: %s, want %s", row.name, row.mediaType, got, row.want)
		}
	}
}

// kindOfFormat tells formats apart by what they make of the same text.
func kindOfFormat(t *testing.T, f format, body string) string {
	c, err := f.parse(t.Context(), "", body)
	if err != nil || len(c.Blocks) == 0 {
		t.Fatalf("%v, %d blocks", err, len(c.Blocks))
	}
	switch first := c.Blocks[0]; {
	case len(c.Notes) > 0:
		return "json"
	case first.Kind == KindHeading:
		return "markdown"
	case first.Kind == KindRows:
		return "rows"
	case first.Kind == KindCode:
		return "code"
	case len(c.Blocks) == 1:
		return "html"
	}
	return "plain"
}

func TestRefused(t *testing.T) {
	x := newExtractor(t, "", Limits{Text: 1000})
	rows := []struct {
		name, mediaType, body string
		kind                  core.Kind
	}{
		{"a.png", "image/png", "\x89PNG", core.KindInvalid},
		{"a.txt", "text/plain", "a\x00b\x01", core.KindInvalid},
		{"a.md", "", strings.Repeat("x", 1001), core.KindTooLarge},
		{"a.pdf", "text/markdown", strings.Repeat("x", 5000), core.KindTooLarge},
	}
	for _, row := range rows {
		_, err := x.File(t.Context(), row.name, row.mediaType, strings.NewReader(row.body))
		if core.KindOf(err) != row.kind || !strings.HasPrefix(err.Error(), row.name+" ") {
			t.Errorf("%s: kind %q, %v", row.name, core.KindOf(err), err)
		}
	}
	if _, err := x.Text(t.Context(), "a.md", "text/markdown", strings.Repeat("x", 1001)); core.KindOf(err) != core.KindTooLarge {
		t.Errorf("Text: %v", err)
	}
}

func TestCharsets(t *testing.T) {
	rows := []struct{ name, mediaType, raw, want string }{
		{"utf-8", "text/plain", "Größe 你好", "Größe 你好"},
		{"utf-8 mark", "text/plain", "\xEF\xBB\xBFabc", "abc"},
		{"utf-16 le", "text/plain", "\xFF\xFEa\x00\xfc\x00", "aü"},
		{"utf-16 be", "text/plain", "\xFE\xFF\x4f\x60", "你"},
		{"declared latin-1", "text/plain; charset=iso-8859-1", "Gr\xf6\xdfe", "Größe"},
		{"declared gbk", "text/plain; charset=gbk", "\xc4\xe3\xba\xc3", "你好"},
		{"guessed gb18030", "text/plain", strings.Repeat("\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xd6\xd0\xce\xc4\xce\xc4\xb5\xb5\xa3\xac", 9), strings.Repeat("这是一个中文文档，", 9)},
		{"utf-8 with one stray byte", "text/plain", strings.Repeat("größer ", 30) + "\xff", strings.Repeat("größer ", 30) + "\uFFFD"},
		{"meta", "text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"},
	}
	x := newExtractor(t, "", Limits{})
	for _, row := range rows {
		c, err := x.File(t.Context(), "a", row.mediaType, strings.NewReader(row.raw))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		} else if len(c.Blocks) != 1 || c.Blocks[0].Text != strings.TrimSpace(row.want) {
			t.Errorf("%s: %+v", row.name, c.Blocks)
		}
	}
}
