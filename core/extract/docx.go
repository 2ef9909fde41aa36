package extract

import (
	"encoding/xml"
	"errors"
	"strings"
)

// wordReader turns the text part of a Word file into blocks. What was deleted
// under revision, what is hidden, running heads and comments are left out: a
// reader of the printed page does not see them either.
type wordReader struct {
	z      *zipFile
	rels   map[string]relation
	styles map[string]wordStyle
	lists  wordLists
	notes  map[string]string // text of foot- and endnotes by their mark

	out    []Block
	list   []string // lines of the list that is being read
	marks  []string // of notes, in the block that is being read
	page   int
	paged  bool // the program that saved the file left page marks
	tables int  // how deep inside tables
	left   int64
}

func readWord(z *zipFile, main string, o order) (officeFile, error) {
	rels, err := z.relations(main)
	if err != nil {
		return officeFile{}, err
	}
	r := &wordReader{z: z, rels: rels, notes: map[string]string{}, page: 1, left: o.Text}
	if r.styles, err = readWordStyles(z, partOf(rels, "styles")); err != nil {
		return officeFile{}, err
	}
	if r.lists, err = readWordLists(z, partOf(rels, "numbering")); err != nil {
		return officeFile{}, err
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := r.readNotes(kind); err != nil {
			return officeFile{}, err
		}
	}
	err = z.eachXML(main, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local != "body" {
				return x.skip()
			}
			return r.body(x)
		})
	})
	if err != nil {
		return officeFile{}, err
	}
	r.endList()
	done := officeFile{content: Content{Blocks: r.out}, pages: r.page}
	done.content.Title, done.content.Meta = z.properties()
	if done.content.Title == "" {
		done.content.Title = firstTitle(r.out)
	}
	if !r.paged { // nobody knows where pages end
		done.pages = 0
		for i := range r.out {
			r.out[i].Page = 0
		}
	}
	if partOf(rels, "aFChunk") != "" || partOf(rels, "package") != "" {
		done.content.Notes = append(done.content.Notes, "Files that are embedded in this document were not read.")
	}
	return done, nil
}

// readNotes reads the foot- or endnotes, which lie in a part of their own.
func (r *wordReader) readNotes(kind string) error {
	part := partOf(r.rels, kind)
	if part == "" {
		return nil
	}
	rels, err := r.z.relations(part)
	if err != nil {
		return err
	}
	err = r.z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			in := &wordReader{z: r.z, rels: rels, styles: r.styles, lists: r.lists, tables: 1, left: r.left}
			if err := in.body(x); err != nil {
				return err
			}
			if t := xmlAttr(e, "type"); t == "" || t == "normal" {
				r.notes[kind+xmlAttr(e, "id")] = cellText(in.out)
			}
			return nil
		})
	})
	if errors.Is(err, errMissing) {
		err = nil
	}
	return err
}

// body reads paragraphs and tables up to the end of the element around them.
func (r *wordReader) body(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "p":
			return r.paragraph(x)
		case "tbl":
			return r.table(x)
		case "sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "AlternateContent", "Choice", "txbxContent":
			return r.body(x)
		}
		return x.skip()
	})
}

func (r *wordReader) paragraph(x *xmlReader) error {
	p := &wordParagraph{in: r, page: r.page, outline: -1}
	if err := p.inline(x); err != nil {
		return err
	}
	marks := r.marks
	r.marks = nil
	p.write()
	for _, m := range marks {
		if text := r.notes[m]; text != "" {
			r.add(Block{Kind: KindParagraph, Text: noteMark(m) + ": " + text, Page: p.page})
		}
	}
	for _, b := range p.boxes { // text boxes that are anchored here
		r.add(b)
	}
	if r.left < 0 {
		return errMuchText
	}
	return nil
}

func noteMark(m string) string {
	if id, ok := strings.CutPrefix(m, "endnotes"); ok {
		return "[^e" + id + "]"
	}
	return "[^" + strings.TrimPrefix(m, "footnotes") + "]"
}

// add ends the list before a block that is none.
func (r *wordReader) add(b Block) {
	if b.Kind != KindList {
		r.endList()
	}
	if b.Text = strings.TrimSpace(normalise(b.Text)); b.Text == "" {
		return
	}
	r.left -= int64(len(b.Text))
	r.out = append(r.out, b)
}

func (r *wordReader) endList() {
	if len(r.list) > 0 {
		lines := r.list
		r.list = nil
		r.add(Block{Kind: KindList, Text: strings.Join(lines, "\n"), Page: r.page})
	}
}

// table reads rows and cells. One with a single row or column only lays things
// out, and its cells are read as text.
func (r *wordReader) table(x *xmlReader) error {
	page := r.page
	var rows [][]string
	var loose []Block
	err := x.children(func(e xml.StartElement) error {
		if e.Name.Local != "tr" {
			return r.inRow(x, e, &rows, &loose)
		}
		return r.row(x, &rows, &loose)
	})
	if err != nil {
		return err
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if width < 2 || len(rows) < 2 {
		for _, b := range loose {
			r.add(b)
		}
		return nil
	}
	r.add(Block{Kind: KindTable, Text: mdTable(rows), Page: page})
	return nil
}

// inRow looks for rows inside what may stand around them.
func (r *wordReader) inRow(x *xmlReader, e xml.StartElement, rows *[][]string, loose *[]Block) error {
	switch e.Name.Local {
	case "tr":
		return r.row(x, rows, loose)
	case "sdt", "sdtContent", "ins", "customXml":
		return x.children(func(e xml.StartElement) error { return r.inRow(x, e, rows, loose) })
	}
	return x.skip()
}

func (r *wordReader) row(x *xmlReader, rows *[][]string, loose *[]Block) error {
	var row []string
	var cell func(e xml.StartElement) error
	cell = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tc":
			c, err := r.cell(x)
			row = append(row, c.text)
			for range min(c.span, maxColumns) - 1 {
				row = append(row, "")
			}
			*loose = append(*loose, c.blocks...)
			return err
		case "sdt", "sdtContent", "customXml":
			return x.children(cell)
		}
		return x.skip()
	}
	err := x.children(cell)
	if len(*rows) > 0 || strings.TrimSpace(strings.Join(row, "")) != "" {
		*rows = append(*rows, row)
	}
	return err
}
