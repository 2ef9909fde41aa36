package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// deck makes a presentation of the given slides' shapes.
func deck(t testing.TB, notes string, slides ...string) []byte {
	parts := []part{{"_rels/.rels", rels([4]string{"r", "officeDocument", "ppt/presentation.xml"})}}
	ids, list := "", [][4]string{}
	for i, s := range slides {
		// The order is the presentation's, not that of the names.
		name := fmt.Sprintf("slides/slide%d.xml", 90-i)
		ids += fmt.Sprintf(`<p:sldId id="%d" r:id="s%d"/>`, 256+i, i)
		list = append(list, [4]string{fmt.Sprintf("s%d", i), "slide", name})
		if s != "missing" {
			parts = append(parts, part{"ppt/" + name, "<p:sld " + nsP + " " + nsA + " " + nsR + "><p:cSld><p:spTree>" + s + "</p:spTree></p:cSld></p:sld>"})
		}
	}
	parts = append(parts,
		part{"ppt/presentation.xml", "<p:presentation " + nsP + " " + nsR + "><p:sldIdLst>" + ids + "</p:sldIdLst></p:presentation>"},
		part{"ppt/_rels/presentation.xml.rels", rels(list...)},
		part{"ppt/slides/_rels/slide90.xml.rels", rels([4]string{"n", "notesSlide", "../notesSlides/n1.xml"}, [4]string{"h", "hyperlink", "https://example.com", "External"})},
		part{"ppt/notesSlides/n1.xml", "<p:notes " + nsP + " " + nsA + "><p:cSld><p:spTree>" + slideShape("sldImg", "") + slideShape("body", notes) + "</p:spTree></p:cSld></p:notes>"})
	return zipped(t, parts...)
}

func slideShape(kind string, lines ...string) string {
	ph := `<p:nvPr/>`
	if kind != "" {
		ph = `<p:nvPr><p:ph type="` + kind + `"/></p:nvPr>`
	}
	var b strings.Builder
	b.WriteString(`<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/>` + ph + `</p:nvSpPr><p:txBody>`)
	for _, l := range lines {
		if !strings.HasPrefix(l, "<a:p>") {
			l = "<a:p><a:r><a:t>" + l + "</a:t></a:r></a:p>"
		}
		b.WriteString(l)
	}
	return b.String() + `</p:txBody></p:sp>`
}

func TestSlides(t *testing.T) {
	first := slideShape("ctrTitle", "Plan", "2027") + slideShape("body", "one", `<a:p><a:pPr lvl="1"/><a:r><a:t>deep</a:t></a:r></a:p>`, "two") + slideShape("sldNum", "1") + slideShape("ftr", "Acme")
	second := slideShape("", "Free text", `<a:p><a:pPr><a:buChar char="x"/></a:pPr><a:r><a:t>point</a:t></a:r><a:br/><a:fld><a:t>more</a:t></a:fld></a:p>`) +
		`<p:grpSp>` + slideShape("", "grouped") + `</p:grpSp>` +
		`<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="A red door"/></p:nvPicPr></p:pic><p:pic><p:nvPicPr><p:cNvPr id="5" name="Picture 4"/></p:nvPicPr></p:pic>`
	table := `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Who</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>When</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Ann</a:t></a:r></a:p></a:txBody></a:tc><a:tc/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	link := slideShape("", `<a:p><a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>Site</a:t></a:r></a:p>`)
	for _, row := range []struct {
		name, notes string
		slides      []string
		want        string
	}{
		{"title, list, notes", "Say hello", []string{first}, "heading 2 p1: Plan 2027\nlist p1: - one /   - deep / - two\nparagraph p1: Notes: Say hello"},
		{"free shapes", "", []string{slideShape("title", "A"), second}, "heading 2 p1: A\nheading 2 p2: Slide 2\nparagraph p2: Free text\nlist p2: - point more\nparagraph p2: grouped\nimage p2: ![A red door](#)"},
		{"table", "", []string{table}, "heading 2 p1: Slide 1\ntable p1: | Who | When | / | --- | --- | / | Ann |  |"},
		{"link", "", []string{link}, "heading 2 p1: Slide 1\nparagraph p1: [Site](https://example.com)"},
		{"an empty slide", "", []string{"", slideShape("title", "B")}, "heading 2 p2: B"},
		{"a damaged slide", "", []string{slideShape("title", "A"), "<broken", "missing"}, "heading 2 p1: A"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readBytes(deck(t, row.notes, row.slides...), order{Kind: kindSlide})
			if err != nil {
				t.Fatal(err)
			}
			same(t, row.want, told(got.content.Blocks))
			if got.pages != len(row.slides) {
				t.Errorf("%d pages", got.pages)
			}
			if damaged := strings.Contains(row.name, "damaged"); damaged != (len(got.content.Notes) == 1) {
				t.Errorf("notes %q", got.content.Notes)
			}
		})
	}
	if _, err := readBytes(deck(t, "", "missing"), order{Kind: kindSlide}); !errors.Is(err, errDamaged) {
		t.Errorf("no slide can be read: %v", err)
	}
	if _, err := readBytes(deck(t, "", "", ""), order{Kind: kindSlide, Pages: 1, Text: 1}); !errors.As(err, new(errTooManyPages)) {
		t.Errorf("too many slides: %v", err)
	}
	if _, err := readBytes(deck(t, "", slideShape("", strings.Repeat("word ", 100))), order{Kind: kindSlide, Pages: 1, Text: 100}); !errors.Is(err, errMuchText) {
		t.Errorf("too much text: %v", err)
	}
}
