package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestOpenDocument(t *testing.T) {
	const ns = `xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:xlink="x" xmlns:draw="d" xmlns:svg="s"`
	file := func(body string, more ...part) []byte {
		return zipped(t, append([]part{{"mimetype", "application/vnd.oasis.opendocument.text"},
			{"content.xml", `<office:document-content ` + ns + `><office:automatic-styles><x><text:p>no</text:p></x></office:automatic-styles><office:body><office:text>` + body + `</office:text></office:body></office:document-content>`},
			{"meta.xml", `<office:document-meta xmlns:office="o" xmlns:dc="d"><office:meta><dc:title>Rules</dc:title><dc:creator>Ann</dc:creator></office:meta></office:document-meta>`}}, more...)...)
	}
	for _, row := range []struct{ name, body, want string }{
		{"text", `<text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="2"/>b<text:line-break/>c <text:span>d</text:span></text:p>`, "heading 2: Head\nparagraph: a b / c d"},
		{"list", `<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>in</text:p></text:list-item></text:list></text:list-item></text:list>`, "list: - one /   - in"},
		{"link", `<text:p><text:a xlink:href="https://e.org">e</text:a> <text:a xlink:href="#x">f</text:a></text:p>`, "paragraph: [e](https://e.org) f"},
		{"note", `<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p></text:note-body></text:note></text:p>`, "paragraph: a[^1]\nparagraph: [^1]: why"},
		{"table", `<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`,
			"table: | A | B | B | / | --- | --- | --- | / | 1 |  |  |"},
		{"changes and comments", `<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:p>new<office:annotation><text:p>hm</text:p></office:annotation></text:p>`, "paragraph: new"},
		{"picture", `<text:p><draw:frame><draw:image/><svg:title>x</svg:title><svg:desc>A plan</svg:desc></draw:frame></text:p>`, "image: ![A plan](#)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readBytes(file(row.body), order{Kind: kindODT})
			if err != nil {
				t.Fatal(err)
			}
			same(t, row.want, told(got.content.Blocks))
			if got.content.Title != "Rules" || got.content.Meta["author"] != "Ann" {
				t.Errorf("title %q, meta %v", got.content.Title, got.content.Meta)
			}
		})
	}
	if _, err := readBytes(file("", part{"META-INF/manifest.xml", "<m:encryption-data/>"}), order{Kind: kindODT}); !errors.Is(err, errPassword) {
		t.Errorf("encrypted: %v", err)
	}
}

func TestBook(t *testing.T) {
	chapter := func(body string) string { return "<html><body>" + body + "</body></html>" }
	parts := []part{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`},
		{"OPS/book.opf", `<package xmlns:dc="d"><metadata><dc:title>On tea</dc:title><dc:creator>Ann</dc:creator><dc:language>en-GB</dc:language></metadata>
<manifest><item id="b" href="b%20two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="g" href="gone.xhtml" media-type="text/html"/><item id="i" href="i.png" media-type="image/png"/></manifest>
<spine><itemref idref="a"/><itemref idref="i"/><itemref idref="b"/><itemref idref="g"/></spine></package>`},
		{"OPS/a.xhtml", chapter("<h1 id='x'>First</h1><p>Tea is hot.</p>")},
		{"OPS/b two.xhtml", chapter("<h1>Second</h1><table><tr><th>Kind</th><th>Time</th></tr><tr><td>Green</td><td>2</td></tr></table>")},
	}
	got, err := readBytes(zipped(t, parts...), order{Kind: kindBook})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "heading 1: First\nparagraph: Tea is hot.\nheading 1: Second\ntable: | Kind | Time | / |---|---| / | Green | 2 |", told(got.content.Blocks))
	if c := got.content; c.Title != "On tea" || c.Meta["author"] != "Ann" || c.Language != "en" || len(c.Notes) != 1 || c.Blocks[0].Anchor != "" {
		t.Errorf("content %+v", c)
	}
	locked := append(parts, part{"META-INF/encryption.xml", `<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e>`})
	if _, err := readBytes(zipped(t, locked...), order{Kind: kindBook}); !errors.Is(err, errPassword) {
		t.Errorf("locked: %v", err)
	}
	if _, err := readBytes(zipped(t, parts[:2]...), order{Kind: kindBook}); !errors.Is(err, errDamaged) {
		t.Errorf("no book inside: %v", err)
	}
}

const mail = "From: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.com>\r\nTo: team@example.com\r\nSubject: =?iso-8859-1?q?Caf=E9?= plan\r\nDate: Tue, 01 Dec 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n"

func TestMail(t *testing.T) {
	const head = "paragraph: Subject: Café plan / From: Ann Müller <ann@example.com> / To: team@example.com / Date: Tue, 01 Dec 2026 09:00:00 UTC\n"
	mixed := mail + "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n" +
		"--B\r\nContent-Type: text/csv; name=\"../../rows.csv\"\r\nContent-Disposition: attachment; filename=\"../../rows.csv\"\r\nContent-Transfer-Encoding: base64\r\n\r\nYSxiCjEsMgo=\r\n" +
		"--B\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nhello\r\n--B--\r\n"
	for _, row := range []struct{ name, raw, want, attached string }{
		{"plain", mail + "\r\nHello,\n\nsee you.\r\n", head + "paragraph: Hello,\nparagraph: see you.", ""},
		{"HTML wins", mail + "Content-Type: multipart/alternative; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nflat\r\n--B\r\nContent-Type: text/html\r\n\r\n<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><script>x</script>\r\n--B--\r\n",
			head + "table: | A | B | / |---|---| / | 1 | 2 |", ""},
		{"latin", mail + "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe\r\n", head + "paragraph: Grüße", ""},
		{"attachments", mixed, head + "paragraph: See the file.", "../../rows.csv 8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var attached []string
			got, err := readOffice(strings.NewReader(row.raw), int64(len(row.raw)), order{Kind: kindMail, Text: 1 << 20}, func(a attachment) error {
				attached = append(attached, fmt.Sprint(a.name, " ", len(a.body)))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			same(t, row.want, told(got.content.Blocks))
			if list := strings.Join(attached, "; "); !strings.HasPrefix(list, row.attached) || row.attached == "" && list != "" {
				t.Errorf("attached %q", list)
			}
			if got.content.Title != "Café plan" || got.content.Meta["date"] != "2026-12-01T09:00:00Z" {
				t.Errorf("title %q, meta %v", got.content.Title, got.content.Meta)
			}
		})
	}
	flat, err := readBytes([]byte(mixed), order{Kind: kindMail, Flat: true, Text: 1 << 20})
	if err != nil || len(flat.content.Notes) != 1 {
		t.Errorf("flat: notes %q, %v", flat.content.Notes, err)
	}
	for _, raw := range []string{"", "no mail at all", "\x00\x01\x02"} {
		if _, err := readBytes([]byte(raw), order{Kind: kindMail}); !errors.Is(err, errDamaged) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
