package extract

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func thisBinary(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestOfficeFilesAreReadInAChild(t *testing.T) {
	x := newExtractor(t, thisBinary(t), Limits{Text: 2 << 20})
	word := wordFile(t, `<w:p><w:r><w:t>The train leaves at nine.</w:t></w:r></w:p>`)
	many := wordFile(t, strings.Repeat(`<w:p><w:r><w:t>The train leaves at nine and nobody is late.</w:t></w:r></w:p>`, 20_000))
	for _, row := range []struct {
		name, mediaType string
		raw             []byte
		kind            core.Kind
		want            string // in the text, or in the error
	}{
		{"plan.docx", "", word, "", "leaves at nine"},
		{"plan", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", word, "", "leaves at nine"},
		{"wrong ending.xlsx", "", word, "", "leaves at nine"},
		{"many.docx", "", many, "", "nobody is late"},
		{"long.docx", "", wordFile(t, strings.Repeat(`<w:p><w:r><w:t>The train leaves at nine and nobody is late.</w:t></w:r></w:p>`, 60_000)), core.KindTooLarge, "2 MiB"},
		{"bomb.docx", "", wordFile(t, strings.Repeat(" ", 8<<20)), core.KindTooLarge, "unpacks"},
		{"old.doc", "application/msword", append(bytes.Clone(oleMagic), make([]byte, 4096)...), core.KindInvalid, ".docx"},
		{"cut.pptx", "", word[:300], core.KindInvalid, "damaged"},
		{"page.docx", "", []byte("<html>"), core.KindInvalid, "neither"},
		{"book.zip", "application/zip", word, core.KindInvalid, "application/zip"},
		{"list.csv", "application/vnd.ms-excel", []byte("a,b\n1,2"), "", "a=1, b=2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := x.File(t.Context(), row.name, row.mediaType, bytes.NewReader(row.raw))
			if core.KindOf(err) != row.kind && (err != nil || row.kind != "") {
				t.Fatalf("kind %q: %v", core.KindOf(err), err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), row.name) {
					t.Errorf("error: %v", err)
				}
				return
			}
			if all := told(c.Blocks); !strings.Contains(all, row.want) {
				t.Errorf("blocks\n%.300s", all)
			}
		})
	}
	if n := len(x.pool.idle); n != 1 {
		t.Errorf("%d children wait: files that cannot be read should not cost one", n)
	}
}

// A mail's attachments are read one level deep, each as what it is.
func TestAttachmentsOfAMail(t *testing.T) {
	attached := func(name, kind string, raw []byte) string {
		return "--B\r\nContent-Type: " + kind + "; name=\"" + name + "\"\r\nContent-Disposition: attachment; filename=\"" + name +
			"\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString(raw) + "\r\n"
	}
	inner := mail + "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nInner words.\r\n" +
		attached("deep.csv", "text/csv", []byte("deep,deeper\n1,2")) + "--B--\r\n"
	raw := mail + "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n" +
		attached("plan.docx", "application/octet-stream", wordFile(t, `<w:p><w:r><w:t>Plan text.</w:t></w:r></w:p>`)) +
		attached("rows.csv", "text/csv", []byte("name,count\nAnn,2")) + attached("x.zip", "application/zip", []byte("PK")) +
		attached("inner.eml", "message/rfc822", []byte(inner)) + attached("empty.txt", "text/plain", nil) + "--B--\r\n"
	x := newExtractor(t, thisBinary(t), Limits{})
	c, err := x.File(t.Context(), "mail.eml", "", strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	all := told(c.Blocks)
	for _, want := range []string{"See below.", "heading 1: plan.docx\nparagraph: Plan text.", "heading 1: rows.csv\nrows: Columns: name, count / name=Ann, count=2", "heading 1: x.zip", "Inner words.", "heading 1: empty.txt"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	if strings.Contains(all, "deeper") {
		t.Errorf("a mail in a mail in a mail was read:\n%s", all)
	}
	if len(c.Notes) != 2 || !strings.Contains(c.Notes[0], "x.zip") {
		t.Errorf("notes %q", c.Notes)
	}
}

// see says what its fields say.
type see struct {
	text string
	err  error
	wait bool
}

func (s see) Describe(ctx context.Context, mediaType string, image []byte) (string, error) {
	if s.wait {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return s.text + " " + mediaType, s.err
}

func TestPictures(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 2000)
	for _, row := range []struct {
		name, raw string
		by        Describer
		want      string
		notes     int
		kind      core.Kind
	}{
		{"a/map.png", png, nil, "image: ![map.png](#)\n", 0, ""},
		{"map.webp", "RIFF1234WEBPVP8 ", nil, "image: ![map.webp](#)\n", 0, ""},
		{"map.jpeg", "\xFF\xD8\xFF\xE0", see{text: "A map."}, "image: ![map.jpeg](#)\nparagraph: A map. image/jpeg\n", 0, ""},
		{"wrong.jpg", png, see{text: "A map."}, "image: ![wrong.jpg](#)\nparagraph: A map. image/png\n", 0, ""},
		{"map.png", png, see{err: errors.New("down")}, "image: ![map.png](#)\n", 1, ""},
		{"map.png", png + strings.Repeat("x", maxImage), see{text: "no"}, "image: ![map.png](#)\n", 1, ""},
		{"text.png", "hello", nil, "", 0, core.KindInvalid},
		{"photo.gif", "GIF89a", nil, "", 0, core.KindInvalid},
	} {
		x := New(Options{Describer: row.by})
		c, err := x.File(t.Context(), row.name, "", strings.NewReader(row.raw))
		if got := told(c.Blocks); got != row.want || len(c.Notes) != row.notes || err != nil && core.KindOf(err) != row.kind || err == nil && row.kind != "" {
			t.Errorf("%s: %q, notes %q, %v", row.name, got, c.Notes, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	x := New(Options{Describer: see{wait: true}})
	if _, err := x.File(ctx, "map.png", "", strings.NewReader(png)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's end: %v", err)
	}
}
