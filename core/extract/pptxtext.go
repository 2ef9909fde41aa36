package extract

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// line reads one paragraph of drawing text.
func (r *slideReader) line(x *xmlReader) (slideLine, error) {
	var l slideLine
	var b bytes.Buffer
	err := x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			l.depth = atoiOr(xmlAttr(e, "lvl"), 0)
			return x.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "buChar", "buAutoNum", "buBlip":
					l.bulleted = true
				case "buNone":
					l.plain = true
				}
				return x.skip()
			})
		case "r", "fld":
			text, address, err := r.run(x)
			if address != "" {
				text = mdLink(text, address)
			}
			b.WriteString(text)
			return err
		case "br":
			b.WriteByte(' ')
		}
		return x.skip()
	})
	l.text = strings.TrimSpace(b.String())
	if r.left -= int64(len(l.text)); r.left < 0 {
		return l, errMuchText
	}
	return l, err
}

func (r *slideReader) run(x *xmlReader) (text, address string, err error) {
	err = x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "t":
			t, err := x.text()
			text += t
			return err
		case "rPr":
			return x.children(func(e xml.StartElement) error {
				if rel := r.rels[relID(e)]; e.Name.Local == "hlinkClick" && rel.external {
					address = rel.target
				}
				return x.skip()
			})
		}
		return x.skip()
	})
	return text, address, err
}

func (r *slideReader) table(x *xmlReader) error {
	var rows [][]string
	err := x.children(func(e xml.StartElement) error {
		if e.Name.Local != "tr" {
			return x.skip()
		}
		var row []string
		err := x.children(func(e xml.StartElement) error {
			if e.Name.Local != "tc" {
				return x.skip()
			}
			var parts []string
			var walk func(e xml.StartElement) error
			walk = func(e xml.StartElement) error {
				if e.Name.Local != "p" {
					return x.children(walk)
				}
				line, err := r.line(x)
				parts = append(parts, line.text)
				return err
			}
			err := x.children(walk)
			row = append(row, strings.Join(parts, " "))
			return err
		})
		rows = append(rows, row)
		return err
	})
	r.add(Block{Kind: KindTable, Text: mdTable(rows), Page: r.page})
	return err
}

// picture keeps the label that somebody wrote. The names that programs give,
// such as "Picture 3", say nothing.
func (r *slideReader) picture(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		if e.Name.Local == "cNvPr" {
			r.add(Block{Kind: KindImage, Text: mdImage(xmlAttr(e, "descr"), ""), Page: r.page})
			return x.skip()
		}
		return r.picture(x)
	})
}
