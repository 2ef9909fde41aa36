package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// odtReader turns an OpenDocument text into blocks.
type odtReader struct {
	out   []Block
	notes []string // of the block that is being read
	count int      // notes so far
	left  int64
}

func readODT(z *zipFile, o order) (officeFile, error) {
	if manifest, err := z.readAll("META-INF/manifest.xml", 1<<20); err == nil && bytes.Contains(manifest, []byte("encryption-data")) {
		return officeFile{}, errPassword
	}
	r := &odtReader{left: o.Text}
	err := z.eachXML("content.xml", func(x *xmlReader, _ xml.StartElement) error { return r.body(x) })
	if err != nil {
		return officeFile{}, err
	}
	done := officeFile{content: Content{Blocks: r.out, Meta: map[string]string{}}}
	c := &done.content
	err = z.eachXML("meta.xml", func(x *xmlReader, _ xml.StartElement) error { return odtMeta(x, c) })
	if err != nil && !errors.Is(err, errMissing) {
		c.Notes = append(c.Notes, "What this file says of itself, its title and author, is damaged and was not read.")
	}
	if c.Title == "" {
		c.Title = firstTitle(r.out)
	}
	return done, nil
}

func odtMeta(x *xmlReader, c *Content) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "meta":
			return odtMeta(x, c)
		case "title", "creator", "subject":
			text, err := x.text()
			text = oneLine(normalise(text))
			switch {
			case text == "":
			case e.Name.Local == "title":
				c.Title = text
			case e.Name.Local == "creator":
				c.Meta["author"] = text
			default:
				c.Meta[e.Name.Local] = text
			}
			return err
		}
		return x.skip()
	})
}

func (r *odtReader) add(kind Kind, level int, text string) error {
	text = strings.TrimSpace(normalise(text))
	if r.left -= int64(len(text)); r.left < 0 {
		return errMuchText
	}
	if text != "" {
		if kind == KindParagraph && soleImage.MatchString(text) {
			kind = KindImage
		}
		r.out = append(r.out, Block{Kind: kind, Level: level, Text: text})
	}
	notes := r.notes
	r.notes = nil
	for _, n := range notes {
		r.out = append(r.out, Block{Kind: KindParagraph, Text: n})
	}
	return nil
}

// body reads headings, paragraphs, lists and tables, and goes into whatever else
// there is around them.
func (r *odtReader) body(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "h":
			text, err := r.text(x)
			if err != nil {
				return err
			}
			return r.add(KindHeading, min(max(atoiOr(xmlAttr(e, "outline-level"), 1), 1), 6), oneLine(text))
		case "p":
			text, err := r.text(x)
			if err != nil {
				return err
			}
			return r.add(KindParagraph, 0, text)
		case "list":
			var lines []string
			if err := r.list(x, 0, &lines); err != nil {
				return err
			}
			return r.add(KindList, 0, strings.Join(lines, "\n"))
		case "table":
			rows, err := r.table(x)
			if err != nil {
				return err
			}
			return r.add(KindTable, 0, mdTable(rows))
		case "tracked-changes", "automatic-styles", "font-face-decls", "scripts", "sequence-decls", "forms", "annotation",
			"table-of-content", "alphabetical-index":
			return x.skip()
		}
		return r.body(x)
	})
}

func (r *odtReader) list(x *xmlReader, depth int, lines *[]string) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "list-item", "list-header":
			return r.list(x, depth, lines)
		case "list":
			return r.list(x, depth+1, lines)
		case "p", "h":
			text, err := r.text(x)
			if text = strings.TrimSpace(text); text != "" {
				*lines = append(*lines, listLine(depth, "-", text))
			}
			return err
		}
		return x.skip()
	})
}

func (r *odtReader) table(x *xmlReader) (rows [][]string, err error) {
	var walk func(e xml.StartElement) error
	walk = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "table-header-rows", "table-rows", "table-row-group":
			return x.children(walk)
		case "table-row":
			row, err := r.row(x)
			if strings.TrimSpace(strings.Join(row, "")) != "" {
				rows = append(rows, row)
			}
			return err
		}
		return x.skip()
	}
	err = x.children(walk)
	return rows, err
}

func (r *odtReader) row(x *xmlReader) (row []string, err error) {
	err = x.children(func(e xml.StartElement) error {
		if e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
			return x.skip()
		}
		in := &odtReader{left: r.left, count: r.count}
		if err := in.body(x); err != nil {
			return err
		}
		r.left, r.count = in.left, in.count
		text := cellText(in.out)
		for range min(max(atoiOr(xmlAttr(e, "number-columns-repeated"), 1), 1), maxColumns) {
			if len(row) < maxColumns {
				row = append(row, text)
			}
		}
		return nil
	})
	return row, err
}

// text reads what stands in a paragraph.
func (r *odtReader) text(x *xmlReader) (string, error) {
	var b bytes.Buffer
	err := r.inline(x, &b)
	return b.String(), err
}

func (r *odtReader) inline(x *xmlReader, b *bytes.Buffer) error {
	return x.content(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "s", "tab":
			b.WriteByte(' ')
		case "line-break":
			b.WriteByte('\n')
		case "a":
			text, err := r.text(x)
			b.WriteString(mdLink(text, xmlAttr(e, "href")))
			return err
		case "note":
			return r.note(x, b)
		case "annotation", "title", "binary-data":
		case "desc":
			label, err := x.text()
			b.WriteString(mdImage(label, ""))
			return err
		default:
			return r.inline(x, b)
		}
		return x.skip()
	}, func(s string) { b.WriteString(s) })
}

func (r *odtReader) note(x *xmlReader, b *bytes.Buffer) error {
	return x.children(func(e xml.StartElement) error {
		if e.Name.Local != "note-body" {
			return x.skip()
		}
		in := &odtReader{left: r.left}
		if err := in.body(x); err != nil {
			return err
		}
		r.left = in.left
		r.count++
		mark := fmt.Sprintf("[^%d]", r.count)
		b.WriteString(mark)
		r.notes = append(r.notes, mark+": "+cellText(in.out))
		return nil
	})
}
