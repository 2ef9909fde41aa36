package extract

import "testing"

// FuzzOffice holds that no file breaks the readers, whatever it claims to be, and
// that what they say is within the bounds.
func FuzzOffice(f *testing.F) {
	for _, raw := range [][]byte{
		wordFile(f, `<w:p><w:r><w:t>a</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`),
		deck(f, "n", slideShape("title", "t"), "<broken"),
		workbookFile(f, "", cells("a", "b")+`<row><c s="1"><v>-1</v></c><c t="s"><v>-7</v></c></row>`),
		zipped(f, part{"content.xml", `<a><h>x</h><table><table-row><table-cell number-columns-repeated="-9"/></table-row></table></a>`}),
		zipped(f, part{"META-INF/container.xml", `<c><rootfile full-path="a"/></c>`}, part{"a", `<p><manifest><item id="x" href="%zz" media-type="html"/></manifest><spine><itemref idref="x"/></spine></p>`}),
		[]byte(mail + "\r\ntext"), oleMagic, zipMagic,
	} {
		f.Add(raw, false)
		f.Add(raw, true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, asMail bool) {
		o := order{Kind: kindWord}
		if asMail {
			o.Kind = kindMail
		}
		got, err := readBytes(raw, o)
		if err != nil {
			if a := officeAnswer(got, err); a.Fault == "" {
				t.Fatalf("%v is no fault", err)
			}
			return
		}
		for _, b := range got.content.Blocks {
			if !knownKind(b.Kind) || b.Level < 0 || b.Level > 6 || b.Page < 0 || b.Text == "" {
				t.Fatalf("block %+v", b)
			}
		}
	})
}

// FuzzWord goes past the zip: what stands in a Word file is the likeliest to be odd.
func FuzzWord(f *testing.F) {
	for _, s := range []string{`<w:p><w:r><w:t>a</w:t></w:r></w:p>`, `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="-3"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`,
		`<w:p><w:pPr><w:numPr><w:ilvl w:val="-2"/><w:numId w:val="3"/></w:numPr></w:pPr><w:hyperlink r:id="h"><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:hyperlink></w:p>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if got, err := readBytes(wordFile(t, body), order{Kind: kindWord}); err == nil {
			_ = told(got.content.Blocks)
		}
	})
}
