package extract

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// maxXMLDepth is how deep elements may nest. Office programs stay below 100 even
// with tables in tables.
const maxXMLDepth = 256

// xmlReader walks through XML without building a tree. Entities that a document
// declares are errors: nothing expands. Elements and attributes are told apart by
// their local names alone, since the namespaces of the formats have changed.
type xmlReader struct {
	d     *xml.Decoder
	depth int
}

func newXML(r io.Reader) *xmlReader {
	d := xml.NewDecoder(r)
	d.CharsetReader = charset.NewReaderLabel
	return &xmlReader{d: d}
}

// children calls f for each element directly inside the one that was opened last.
// f reads its element to the end, with children, text or skip.
func (x *xmlReader) children(f func(xml.StartElement) error) error {
	return x.content(f, nil)
}

// content is children that also hands over the text in between.
func (x *xmlReader) content(f func(xml.StartElement) error, text func(string)) error {
	if x.depth++; x.depth > maxXMLDepth {
		return errTooDeep
	}
	defer func() { x.depth-- }()
	for {
		token, err := x.d.Token()
		if err != nil {
			if x.depth == 1 && errors.Is(err, io.EOF) {
				return nil // the document's own end
			}
			return xmlFault(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// xmlFault keeps the errors of what the XML is read from.
func xmlFault(err error) error {
	if errors.Is(err, errExpands) || errors.Is(err, errPassword) {
		return err
	}
	return errors.Join(errDamaged, err)
}

// skip passes over the element that was opened last.
func (x *xmlReader) skip() error {
	if err := x.d.Skip(); err != nil {
		return xmlFault(err)
	}
	return nil
}

// text is all text inside the element that was opened last.
func (x *xmlReader) text() (string, error) {
	var b strings.Builder
	err := x.gather(&b)
	return b.String(), err
}

func (x *xmlReader) gather(b *strings.Builder) error {
	return x.content(func(xml.StartElement) error { return x.gather(b) }, func(s string) { b.WriteString(s) })
}

// xmlAttr is an attribute by its local name, "" if it is missing.
func xmlAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relID is the attribute that points into the relationships: it shares its local
// name with plain ids.
func relID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && (strings.HasSuffix(a.Name.Space, "/relationships") || a.Name.Space == "r") {
			return a.Value
		}
	}
	return ""
}

// eachXML walks an entry from its root on.
func (z *zipFile) eachXML(name string, f func(*xmlReader, xml.StartElement) error) error {
	r, err := z.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newXML(r)
	return x.children(func(e xml.StartElement) error { return f(x, e) })
}
