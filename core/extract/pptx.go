package extract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// slideReader reads slides in the order in which they are shown. A slide is a
// page: its title is a heading, its notes follow its text.
type slideReader struct {
	z     *zipFile
	rels  map[string]relation // of the slide that is read
	page  int
	out   []Block
	title string
	left  int64
}

func readSlides(z *zipFile, main string, o order) (officeFile, error) {
	rels, err := z.relations(main)
	if err != nil {
		return officeFile{}, err
	}
	parts, err := slideParts(z, main, rels)
	if err != nil {
		return officeFile{}, err
	}
	if len(parts) > o.Pages {
		return officeFile{}, errTooManyPages{len(parts)}
	}
	r := &slideReader{z: z, left: o.Text}
	var done officeFile
	bad := 0
	for i, part := range parts {
		r.page = i + 1
		before := len(r.out)
		err := r.slide(part)
		switch {
		case err == nil:
		case errors.Is(err, errDamaged), errors.Is(err, errMissing), errors.Is(err, errTooDeep):
			r.out = r.out[:before] // one bad slide does not spoil the others
			bad++
		default:
			return done, err
		}
	}
	if bad > 0 && bad == len(parts) {
		return done, errDamaged
	}
	done = officeFile{content: Content{Blocks: r.out}, pages: len(parts)}
	done.content.Title, done.content.Meta = z.properties()
	if done.content.Title == "" && len(r.out) > 0 && r.out[0].Kind == KindHeading && r.out[0].Page == 1 {
		done.content.Title = r.out[0].Text
	}
	if bad > 0 {
		done.content.Notes = append(done.content.Notes, fmt.Sprintf("%d of the %d slides are damaged and were not read.", bad, len(parts)))
	}
	return done, nil
}

// errTooManyPages says how many there are.
type errTooManyPages struct{ pages int }

func (e errTooManyPages) Error() string { return strconv.Itoa(e.pages) + " pages" }

func slideParts(z *zipFile, main string, rels map[string]relation) ([]string, error) {
	var parts []string
	err := z.eachXML(main, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local != "sldIdLst" {
				return x.skip()
			}
			return x.children(func(e xml.StartElement) error {
				if r, ok := rels[relID(e)]; ok && r.kind == "slide" {
					parts = append(parts, r.target)
				}
				return x.skip()
			})
		})
	})
	return parts, err
}

func (r *slideReader) slide(part string) (err error) {
	if r.rels, err = r.z.relations(part); err != nil {
		return err
	}
	r.title = ""
	at := len(r.out)
	if err := r.shapes(part); err != nil {
		return err
	}
	heading := Block{Kind: KindHeading, Level: 2, Text: r.title, Page: r.page}
	if heading.Text == "" {
		heading.Text = "Slide " + strconv.Itoa(r.page)
	}
	notes := partOf(r.rels, "notesSlide")
	if notes != "" {
		body := len(r.out)
		if r.rels, err = r.z.relations(notes); err != nil {
			return err
		}
		r.title = ""
		if err := r.shapes(notes); err != nil && !errors.Is(err, errMissing) {
			return err
		}
		if len(r.out) > body {
			r.out[body].Text = "Notes: " + r.out[body].Text
		}
	}
	if len(r.out) == at && heading.Text == "Slide "+strconv.Itoa(r.page) {
		return nil // nothing but pictures
	}
	r.out = append(r.out, Block{})
	copy(r.out[at+1:], r.out[at:])
	r.out[at] = heading
	return nil
}

// shapes reads all shapes of a slide or of its notes.
func (r *slideReader) shapes(part string) error {
	return r.z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error { return r.inside(x) })
}

func (r *slideReader) inside(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sp":
			return r.shape(x)
		case "tbl":
			return r.table(x)
		case "pic":
			return r.picture(x)
		case "Fallback", "timing", "transition", "extLst":
			return x.skip()
		}
		return r.inside(x)
	})
}

// shape reads a box of text. Dates, feet and numbers of slides are left out.
func (r *slideReader) shape(x *xmlReader) error {
	kind := ""
	var box []slideLine
	var walk func(e xml.StartElement) error
	walk = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "ph":
			if kind = xmlAttr(e, "type"); kind == "" {
				kind = "obj"
			}
			return x.skip()
		case "p":
			line, err := r.line(x)
			box = append(box, line)
			return err
		}
		return x.children(walk)
	}
	if err := x.children(walk); err != nil {
		return err
	}
	switch kind {
	case "title", "ctrTitle":
		r.title = oneLine(strings.TrimSpace(r.title + " " + joinedLines(box)))
	case "dt", "ftr", "sldNum", "hdr", "sldImg":
	default:
		r.text(box, kind == "body" || kind == "obj")
	}
	return nil
}

// slideLine is a paragraph of a box.
type slideLine struct {
	text     string
	depth    int
	bulleted bool // by its own properties
	plain    bool // its own properties take the bullet away
}

func joinedLines(box []slideLine) string {
	var parts []string
	for _, l := range box {
		parts = append(parts, l.text)
	}
	return strings.Join(parts, " ")
}

// text writes a box: as a list where its lines have bullets, which is what the
// placeholders of a layout have unless a line says otherwise.
func (r *slideReader) text(box []slideLine, placeholder bool) {
	var list []string
	flush := func() {
		r.add(Block{Kind: KindList, Text: strings.Join(list, "\n"), Page: r.page})
		list = nil
	}
	lines := 0
	for _, l := range box {
		if l.text != "" {
			lines++
		}
	}
	for _, l := range box {
		switch {
		case l.text == "":
		case l.bulleted || l.depth > 0 || placeholder && !l.plain && lines > 1:
			list = append(list, listLine(l.depth, "-", l.text))
		default:
			flush()
			r.add(Block{Kind: KindParagraph, Text: l.text, Page: r.page})
		}
	}
	flush()
}

func (r *slideReader) add(b Block) {
	if b.Text = strings.TrimSpace(normalise(b.Text)); b.Text != "" {
		r.out = append(r.out, b)
	}
}
