package extract

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// part is one entry of a zipped file that a test makes.
type part struct{ name, body string }

func zipped(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		e, err := w.Create(p.name)
		if err == nil {
			_, err = e.Write([]byte(p.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	nsW   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	nsR   = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	nsA   = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
	nsP   = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
	nsX   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relNS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// rels writes relationships; each is id, kind, target, and "External" where it is.
func rels(of ...[4]string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, r := range of {
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="%s" Target="%s"`, r[0], relNS+r[1], r[2])
		if r[3] != "" {
			fmt.Fprintf(&b, ` TargetMode="%s"`, r[3])
		}
		b.WriteString("/>")
	}
	return b.String() + "</Relationships>"
}

func wordFile(t testing.TB, body string, more ...part) []byte {
	return zipped(t, append([]part{
		{"_rels/.rels", rels([4]string{"rId1", "officeDocument", "word/document.xml"})},
		{"word/document.xml", "<w:document " + nsW + " " + nsR + "><w:body>" + body + "</w:body></w:document>"},
	}, more...)...)
}

func readBytes(raw []byte, o order) (officeFile, error) {
	if o.Text == 0 {
		o.Text, o.Pages = 1<<20, 100
	}
	return readOffice(bytes.NewReader(raw), int64(len(raw)), o, func(attachment) error { return nil })
}

// told writes blocks so that a test can compare them: kind, level, page, text.
func told(blocks []Block) string {
	var b strings.Builder
	for _, bl := range blocks {
		fmt.Fprintf(&b, "%s", bl.Kind)
		if bl.Level > 0 {
			fmt.Fprintf(&b, " %d", bl.Level)
		}
		if bl.Page > 0 {
			fmt.Fprintf(&b, " p%d", bl.Page)
		}
		fmt.Fprintf(&b, ": %s\n", strings.ReplaceAll(bl.Text, "\n", " / "))
	}
	return b.String()
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if want = strings.TrimSpace(want); want != strings.TrimSpace(got) {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}

func TestWhatAFileIsIsToldByItsContent(t *testing.T) {
	word := wordFile(t, `<w:p><w:r><w:t>text</w:t></w:r></w:p>`)
	encrypted := append(append(append([]byte{}, oleMagic...), make([]byte, 200_000)...), []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00\x00\x00")...)
	locked := bytes.Clone(word)
	for _, sign := range []string{"PK\x03\x04", "PK\x01\x02"} { // set the flag "encrypted" of every entry
		at := map[string]int{"PK\x03\x04": 6, "PK\x01\x02": 8}[sign]
		for i := 0; i+at < len(locked); i++ {
			if bytes.HasPrefix(locked[i:], []byte(sign)) {
				locked[i+at] |= 1
			}
		}
	}
	for _, row := range []struct {
		name string
		raw  []byte
		want error
	}{
		{"word", word, nil},
		{"cut short", word[:len(word)/2], errDamaged},
		{"only a magic", []byte("PK\x03\x04"), errDamaged},
		{"empty", nil, errUnknown},
		{"text", []byte("<html>hello</html>"), errUnknown},
		{"a zip of something else", zipped(t, part{"notes.txt", "hello"}), errUnknown},
		{"encrypted", encrypted, errPassword},
		{"entries are encrypted", locked, errPassword},
		{"old", append(append([]byte{}, oleMagic...), make([]byte, 5000)...), errOldOffice},
		{"binary workbook", zipped(t, part{"xl/workbook.bin", "x"}), errOldOffice},
		{"no text part", zipped(t, part{"_rels/.rels", rels([4]string{"a", "officeDocument", "word/document.xml"})}), errUnknown},
		{"broken XML", wordFile(t, `<w:p><w:r><w:t>text</w:r></w:p>`), errDamaged},
		{"names that lead out", zipped(t, part{"../../word/document.xml", "<w:document " + nsW + "><w:body/></w:document>"}), nil},
		{"entities", zipped(t, part{"word/document.xml", `<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document ` + nsW + `><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>`}), errDamaged},
		{"an entity that names a file", zipped(t, part{"word/document.xml", `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document ` + nsW + `><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>`}), errDamaged},
		{"deep", wordFile(t, strings.Repeat("<w:sdt>", 5000)+strings.Repeat("</w:sdt>", 5000)), errTooDeep},
		{"tables in tables", wordFile(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 2000)+strings.Repeat("</w:tc></w:tr></w:tbl>", 2000)), errTooDeep},
		{"much text", wordFile(t, "<w:p><w:r><w:t>"+strings.Repeat("words and words ", 80_000)+"</w:t></w:r></w:p>"), errMuchText},
		{"a bomb", wordFile(t, "<w:p/>"+strings.Repeat(" ", 6<<20)), errExpands},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := readBytes(row.raw, order{Kind: kindWord}); !errors.Is(err, row.want) {
				t.Errorf("err = %v, want %v", err, row.want)
			}
		})
	}
}

// What a zip says of its sizes is not believed, and what it becomes in all counts.
func TestExpansionIsBounded(t *testing.T) {
	if _, err := openZip(bytes.NewReader(zipped(t, part{"a", strings.Repeat("a", 1000)}, part{"A", "second"})), 0); err == nil {
		t.Fatal("a size of nothing opens")
	}
	raw := zipped(t, part{"a", strings.Repeat("a", 1000)}, part{"A", "second"}, part{`dir\b`, "b"})
	z, err := openZip(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := z.readAll("/a", 2000); err != nil || len(got) != 1000 {
		t.Errorf("a: %d bytes, %v", len(got), err)
	}
	if got, err := z.readAll("dir/B", 2000); err != nil || string(got) != "b" {
		t.Errorf("b: %q, %v", got, err)
	}
	z.left = 999
	if _, err := z.readAll("a", 2000); !errors.Is(err, errExpands) {
		t.Errorf("over all: %v", err)
	}
	z.left = 5000
	if _, err := z.readAll("a", 999); !errors.Is(err, errExpands) {
		t.Errorf("over one: %v", err)
	}
	if _, err := z.readAll("c", 999); !errors.Is(err, errMissing) {
		t.Errorf("missing: %v", err)
	}
}
