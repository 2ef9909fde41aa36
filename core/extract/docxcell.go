package extract

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
)

// wordCell is a cell of a table. One that goes on with the cell above is empty.
type wordCell struct {
	text   string
	span   int
	blocks []Block
}

func (r *wordReader) cell(x *xmlReader) (wordCell, error) {
	c := wordCell{span: 1}
	in := &wordReader{
		z: r.z, rels: r.rels, styles: r.styles, lists: r.lists, notes: r.notes,
		page: r.page, paged: r.paged, tables: r.tables + 1, left: r.left,
	}
	follows := false
	err := x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tcPr":
			return x.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "gridSpan":
					c.span, _ = strconv.Atoi(xmlAttr(e, "val"))
				case "vMerge":
					follows = xmlAttr(e, "val") != "restart"
				}
				return x.skip()
			})
		case "p":
			return in.paragraph(x)
		case "tbl":
			return in.table(x)
		case "sdt", "customXml", "AlternateContent", "ins":
			return in.body(x)
		}
		return x.skip()
	})
	in.endList()
	r.page, r.paged, r.left = in.page, in.paged, in.left
	if !follows {
		c.blocks, c.text = in.out, cellText(in.out)
	}
	c.span = max(c.span, 1)
	return c, err
}

// field is a field of a Word file, such as a link: an instruction, then the text
// that it made.
type field struct {
	instruction strings.Builder
	from        int // where its text begins; -1 before that
}

var linkField = regexp.MustCompile(`^\s*HYPERLINK\s+(?:\\[lL]\s+)?"([^"]*)"`)

// linkOf is the address of a link's instruction, "" if it is something else.
func linkOf(instruction string) string {
	if m := linkField.FindStringSubmatch(instruction); m != nil {
		return m[1]
	}
	return ""
}

func (p *wordParagraph) fieldMark(kind string) {
	switch n := len(p.fields); {
	case kind == "begin":
		if n < maxNesting {
			p.fields = append(p.fields, &field{from: -1})
		}
	case n == 0:
	case kind == "separate":
		p.fields[n-1].from = p.text.Len()
	case kind == "end":
		f := p.fields[n-1]
		p.fields = p.fields[:n-1]
		if address := linkOf(f.instruction.String()); address != "" && f.from >= 0 {
			p.linkFrom(f.from, address)
		}
	}
}
