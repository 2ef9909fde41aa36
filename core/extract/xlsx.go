package extract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// workbook is what the cells of all sheets need: texts that are kept apart, and
// which styles show a date.
type workbook struct {
	z       *zipFile
	strings []string
	formats []cellFormat // by style
	since04 bool         // days count from 1904
	room    int
	cells   int // of the sheet that is read
	empty   int // formulas without a stored result
}

// readWorkbook reads sheet after sheet, row after row, without ever holding one.
func readWorkbook(z *zipFile, main string, o order) (officeFile, error) {
	rels, err := z.relations(main)
	if err != nil {
		return officeFile{}, err
	}
	w := &workbook{z: z, room: int(min(o.Text, maxSheetText))}
	var sheets []sheetRef
	if sheets, err = w.sheets(main, rels); err != nil {
		return officeFile{}, err
	}
	if err := w.readStrings(partOf(rels, "sharedStrings"), 4*o.Text); err != nil {
		return officeFile{}, err
	}
	if w.formats, err = readFormats(z, partOf(rels, "styles")); err != nil {
		return officeFile{}, err
	}
	var done officeFile
	for _, s := range sheets {
		blocks, notes, err := w.sheet(s, len(sheets) > 1)
		if err != nil {
			return officeFile{}, err
		}
		done.content.Blocks = append(done.content.Blocks, blocks...)
		done.content.Notes = append(done.content.Notes, notes...)
	}
	if w.empty > 0 {
		done.content.Notes = append(done.content.Notes, fmt.Sprintf(
			"%d cells hold formulas without a result; open the file in a spreadsheet program and save it to have them read.", w.empty))
	}
	done.content.Title, done.content.Meta = z.properties()
	return done, nil
}

// sheetRef is a sheet as the workbook lists it.
type sheetRef struct{ name, part string }

func (w *workbook) sheets(main string, rels map[string]relation) (out []sheetRef, err error) {
	err = w.z.eachXML(main, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "workbookPr":
				w.since04 = xmlAttr(e, "date1904") == "1" || xmlAttr(e, "date1904") == "true"
			case "sheets":
				return x.children(func(e xml.StartElement) error {
					if r := rels[relID(e)]; r.kind == "worksheet" {
						out = append(out, sheetRef{oneLine(normalise(xmlAttr(e, "name"))), r.target})
					}
					return x.skip()
				})
			}
			return x.skip()
		})
	})
	return out, err
}

func (w *workbook) readStrings(part string, limit int64) error {
	if part == "" {
		return nil
	}
	err := w.z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			text, err := richText(x)
			if limit -= int64(len(text)) + 16; limit < 0 {
				return errMuchText
			}
			w.strings = append(w.strings, text)
			return err
		})
	})
	if errors.Is(err, errMissing) {
		err = nil
	}
	return err
}

// richText joins the runs of a cell's text, without readings of characters.
func richText(x *xmlReader) (string, error) {
	var b strings.Builder
	var walk func(e xml.StartElement) error
	walk = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "t":
			text, err := x.text()
			b.WriteString(text)
			return err
		case "r":
			return x.children(walk)
		}
		return x.skip()
	}
	err := x.children(walk)
	return oneLine(normalise(b.String())), err
}

var errEnough = errors.New("enough of this sheet was read")

func (w *workbook) sheet(s sheetRef, several bool) ([]Block, []string, error) {
	out := &sheetWriter{room: &w.room}
	w.cells = 0
	rows := 0
	err := w.z.eachXML(s.part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local != "sheetData" {
				return x.skip()
			}
			return x.children(func(e xml.StartElement) error {
				if rows++; rows > maxSheetRows || w.cells > maxCells {
					return errEnough
				}
				row, err := w.row(x)
				if len(row) > 0 {
					out.row(row)
				}
				return err
			})
		})
	})
	name := "the sheet “" + s.name + "”"
	var notes []string
	switch {
	case errors.Is(err, errEnough):
		out.partial = true
		notes = append(notes, sentence(name)+" has more rows or cells than are read; only its beginning was.")
	case errors.Is(err, errMissing):
		return nil, []string{sentence(name) + " is missing in the file."}, nil
	case err != nil:
		return nil, nil, err
	}
	blocks, note := out.end(name)
	if note != "" {
		notes = append(notes, note)
	}
	if several && len(blocks) > 0 && s.name != "" {
		blocks = append([]Block{{Kind: KindHeading, Level: 2, Text: s.name}}, blocks...)
	}
	return blocks, notes, nil
}

func (w *workbook) row(x *xmlReader) (row []cell, err error) {
	next := 0
	err = x.children(func(e xml.StartElement) error {
		if e.Name.Local != "c" {
			return x.skip()
		}
		column := columnOf(xmlAttr(e, "r"), next)
		next = column + 1
		w.cells++
		text, err := w.cell(x, e)
		if text != "" && column < 1<<14 && (len(row) == 0 || column > row[len(row)-1].column) {
			kind := xmlAttr(e, "t")
			row = append(row, cell{column, text, kind == "" || kind == "n"})
		}
		return err
	})
	return row, err
}

// columnOf reads the letters of a reference such as AB12, from 0; without any the
// cell follows the one before it.
func columnOf(ref string, next int) int {
	n := 0
	for _, r := range ref {
		if r < 'A' || r > 'Z' || n > 1<<14 {
			break
		}
		n = n*26 + int(r-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}

func (w *workbook) cell(x *xmlReader, c xml.StartElement) (string, error) {
	kind, value, formula := xmlAttr(c, "t"), "", false
	err := x.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = x.text()
			return err
		case "is":
			value, err = richText(x)
			return err
		case "f":
			formula = true
		}
		return x.skip()
	})
	if formula && value == "" && kind != "str" {
		w.empty++
	}
	return w.shown(kind, xmlAttr(c, "s"), value), err
}
