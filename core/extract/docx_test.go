package extract

import "testing"

func TestWord(t *testing.T) {
	styles := part{"word/styles.xml", `<w:styles ` + nsW + `>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:basedOn w:val="berschrift1"/><w:name w:val="Kapitel"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="character" w:styleId="Kapitel"><w:name w:val="x"/></w:style></w:styles>`}
	numbering := part{"word/numbering.xml", `<w:numbering ` + nsW + `>
<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`}
	notes := part{"word/footnotes.xml", `<w:footnotes ` + nsW + `><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:t>Since May.</w:t></w:r></w:p></w:footnote></w:footnotes>`}
	core := part{"docProps/core.xml", `<cp:coreProperties xmlns:cp="a" xmlns:dc="b"><dc:title>Travel rules</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`}
	links := part{"word/_rels/document.xml.rels", rels(
		[4]string{"s", "styles", "styles.xml"}, [4]string{"n", "numbering", "/word/numbering.xml"}, [4]string{"f", "footnotes", "footnotes.xml"},
		[4]string{"h", "hyperlink", "https://example.com/a(b)", "External"}, [4]string{"j", "hyperlink", "javascript:alert(1)", "External"})}
	p := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	item := func(depth, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + depth + `"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	for _, row := range []struct{ name, body, want string }{
		{"headings by style", p("Titel", "Travel") + p("Kapitel", "By train") + p("Out", "Third") + p("Loop", "Plain"),
			"heading 1: Travel\nheading 1: By train\nheading 3: Third\nparagraph: Plain"},
		{"lists", item("0", "one") + item("1", "inside") + item("0", "two") + p("", "after") + item("0", "three"),
			"list: 1. one /   - inside / 2. two\nparagraph: after\nlist: 3. three"},
		{"runs", `<w:p><w:r><w:t>a</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve">b </w:t><w:br/><w:noBreakHyphen/><w:t>c</w:t></w:r></w:p>`, "paragraph: a b  / -c"},
		{"a link", `<w:p><w:hyperlink r:id="h"><w:r><w:t>our [page]</w:t></w:r></w:hyperlink><w:r><w:t>!</w:t></w:r></w:p>`, `paragraph: [our \[page\]](https://example.com/a%28b%29)!`},
		{"a link that runs", `<w:p><w:hyperlink r:id="j"><w:r><w:t>click</w:t></w:r></w:hyperlink></w:p>`, "paragraph: click"},
		{"a link as field", `<w:p><w:r><w:t>see </w:t><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://e.org" </w:instrText><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>this</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
			"paragraph: see [this](https://e.org)"},
		{"other fields", `<w:p><w:r><w:fldChar w:fldCharType="end"/><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>7</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`, "paragraph: 7"},
		{"a footnote", `<w:p><w:r><w:t>Rules</w:t><w:footnoteReference w:id="2"/><w:footnoteReference w:id="9"/></w:r></w:p>`, "paragraph: Rules[^2]\nparagraph: [^2]: Since May."},
		{"revisions and hidden text", `<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>er</w:t></w:r></w:p>`, "paragraph: newer"},
		{"pages", `<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>`, "paragraph p1: one\nparagraph p2: two"},
		{"no page marks", `<w:p><w:r><w:t>one</w:t><w:br w:type="page"/></w:r></w:p>`, "paragraph: one"},
		{"a table", `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>z</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>q</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			`table: | Name | a\|b |  | / | --- | --- | --- | / | x y |  | z | / |  | q |  |`},
		{"a table for the looks", `<w:tbl><w:tr><w:tc>` + p("", "left") + item("0", "item") + `</w:tc><w:tc>` + p("", "right") + `</w:tc></w:tr></w:tbl>`, "paragraph: left\nlist: 1. item\nparagraph: right"},
		{"a span without end", `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>` + p("", "a") + `</w:tc></w:tr><w:tr><w:tc>` + p("", "b") + `</w:tc></w:tr></w:tbl>`, "table: | a | / | --- | / | b |"},
		{"content controls", `<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>` + p("Kapitel", "In a box") + `</w:sdtContent></w:sdt>`, "heading 1: In a box"},
		{"a picture", `<w:p><w:r><w:drawing><wp:inline xmlns:wp="x"><wp:docPr id="1" name="Picture 1" descr="Map of the site"/></wp:inline></w:drawing></w:r></w:p>`, "image: ![Map of the site](#)"},
		{"a text box", `<w:p><w:r><w:t>before</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing><w:txbxContent>` + p("", "boxed") + `</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>` + p("", "boxed") + `</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
			"paragraph: before\nparagraph: boxed"},
		{"a formula", `<w:p><m:oMath xmlns:m="m"><m:r><m:t>E=m</m:t></m:r></m:oMath></w:p>`, "paragraph: E=m"},
		{"nothing", `<w:p/><w:sectPr/>`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readBytes(wordFile(t, row.body, styles, numbering, notes, core, links), order{Kind: kindWord})
			if err != nil {
				t.Fatal(err)
			}
			same(t, row.want, told(got.content.Blocks))
			if got.content.Title != "Travel rules" || got.content.Meta["author"] != "Ann" {
				t.Errorf("title %q, meta %v", got.content.Title, got.content.Meta)
			}
		})
	}
}
