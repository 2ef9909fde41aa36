package extract

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
)

// wordParagraph gathers one paragraph. Outline is its own level from 0, -1 if it
// has none; list and depth are its own place in a list.
type wordParagraph struct {
	in      *wordReader
	text    bytes.Buffer
	style   string
	outline int
	list    string
	depth   int
	page    int
	fields  []*field
	boxes   []Block
}

// inline reads what stands in a paragraph up to its end.
func (p *wordParagraph) inline(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			return p.properties(x)
		case "r":
			return p.run(x)
		case "hyperlink":
			return p.link(x, p.in.rels[relID(e)].target)
		case "fldSimple":
			return p.link(x, linkOf(xmlAttr(e, "instr")))
		case "ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml", "dir", "bdo", "AlternateContent", "Choice":
			return p.inline(x)
		case "oMath", "oMathPara":
			text, err := x.text()
			p.text.WriteString(oneLine(text))
			return err
		}
		return x.skip()
	})
}

func (p *wordParagraph) link(x *xmlReader, address string) error {
	from := p.text.Len()
	if err := p.inline(x); err != nil || address == "" {
		return err
	}
	p.linkFrom(from, address)
	return nil
}

// linkFrom makes a link of the text from an offset on.
func (p *wordParagraph) linkFrom(from int, address string) {
	if from <= p.text.Len() { // a field may have ended in between
		text := string(p.text.Bytes()[from:])
		p.text.Truncate(from)
		p.text.WriteString(mdLink(text, address))
	}
}

func (p *wordParagraph) properties(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pStyle":
			p.style = xmlAttr(e, "val")
		case "outlineLvl":
			p.outline = atoiOr(xmlAttr(e, "val"), -1)
		case "numPr":
			return x.children(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "numId":
					p.list = xmlAttr(e, "val")
				case "ilvl":
					p.depth = atoiOr(xmlAttr(e, "val"), 0)
				}
				return x.skip()
			})
		}
		return x.skip()
	})
}

func atoiOr(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return otherwise
}

// run reads a piece of text of one look. Hidden text is passed over.
func (p *wordParagraph) run(x *xmlReader) error {
	hidden := false
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "rPr":
			return x.children(func(e xml.StartElement) error {
				if v := xmlAttr(e, "val"); e.Name.Local == "vanish" && v != "0" && v != "false" {
					hidden = true
				}
				return x.skip()
			})
		case "AlternateContent", "Choice":
			return p.run(x)
		case "drawing", "pict", "object":
			return p.drawing(x)
		}
		if hidden {
			return x.skip()
		}
		return p.piece(x, e)
	})
}

func (p *wordParagraph) piece(x *xmlReader, e xml.StartElement) error {
	r := p.in
	switch e.Name.Local {
	case "t":
		text, err := x.text()
		if r.left -= int64(len(text)); r.left < 0 {
			return errMuchText
		}
		p.text.WriteString(text)
		return err
	case "instrText":
		text, err := x.text()
		if n := len(p.fields); n > 0 {
			p.fields[n-1].instruction.WriteString(text)
		}
		return err
	case "fldChar":
		p.fieldMark(xmlAttr(e, "fldCharType"))
	case "tab", "ptab":
		p.text.WriteByte(' ')
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteByte('-')
	case "lastRenderedPageBreak":
		r.page++
		if r.paged = true; p.text.Len() == 0 {
			p.page = r.page
		}
	case "footnoteReference":
		p.note("footnotes" + xmlAttr(e, "id"))
	case "endnoteReference":
		p.note("endnotes" + xmlAttr(e, "id"))
	}
	return x.skip()
}

func (p *wordParagraph) note(mark string) {
	if p.in.notes[mark] != "" {
		p.text.WriteString(noteMark(mark))
		p.in.marks = append(p.in.marks, mark)
	}
}

// drawing keeps a picture's label and the text of text boxes.
func (p *wordParagraph) drawing(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "docPr":
			if label := xmlAttr(e, "descr"); label != "" {
				p.text.WriteString(mdImage(label, ""))
			}
			return x.skip()
		case "txbxContent":
			in := &wordReader{
				z: p.in.z, rels: p.in.rels, styles: p.in.styles, lists: p.in.lists, notes: p.in.notes,
				page: p.page, tables: p.in.tables, left: p.in.left,
			}
			err := in.body(x)
			in.endList()
			p.boxes = append(p.boxes, in.out...)
			p.in.left = in.left
			return err
		case "Fallback":
			return x.skip()
		}
		return p.drawing(x)
	})
}

// write adds the finished paragraph to the document as what its style makes it.
func (p *wordParagraph) write() {
	r, s := p.in, p.in.styles[p.style]
	text := strings.TrimSpace(p.text.String())
	if text == "" {
		return
	}
	outline := p.outline
	if outline < 0 {
		outline = s.outline - 1
	}
	if p.list == "" {
		p.list, p.depth = s.list, max(p.depth, s.depth)
	}
	switch {
	case outline >= 0 && outline < 9 && r.tables == 0 && len(text) < 500:
		r.add(Block{Kind: KindHeading, Level: min(outline+1, 6), Text: oneLine(text), Page: p.page})
	case p.list != "" && p.list != "0":
		r.list = append(r.list, listLine(p.depth, r.lists.mark(p.list, p.depth), normalise(text)))
	case soleImage.MatchString(text):
		r.add(Block{Kind: KindImage, Text: text, Page: p.page})
	default:
		r.add(Block{Kind: KindParagraph, Text: text, Page: p.page})
	}
}
