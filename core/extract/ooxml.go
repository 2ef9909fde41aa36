package extract

import (
	"encoding/xml"
	"errors"
	"path"
	"strings"
)

// relation is where one part of an Office file points to.
type relation struct {
	kind     string // last word of its type: slide, hyperlink, footnotes, …
	target   string // name of an entry, or an address
	external bool
}

// relations reads what a part points to, by id. A part without any has none.
func (z *zipFile) relations(part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	out := map[string]relation{}
	err := z.eachXML(dir+"_rels/"+base+".rels", func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			r := relation{kind: path.Base(xmlAttr(e, "Type")), target: xmlAttr(e, "Target"), external: xmlAttr(e, "TargetMode") == "External"}
			if !r.external {
				r.target = resolve(dir, r.target)
			}
			out[xmlAttr(e, "Id")] = r
			return x.skip()
		})
	})
	if errors.Is(err, errMissing) {
		err = nil
	}
	return out, err
}

func resolve(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/")
	}
	return strings.TrimPrefix(path.Clean("/"+dir+target), "/")
}

// mainPart is the entry that an Office file begins with.
func (z *zipFile) mainPart() string {
	rels, err := z.relations("")
	if err == nil {
		for _, r := range rels {
			if r.kind == "officeDocument" && z.has(r.target) {
				return r.target
			}
		}
	}
	for _, usual := range []string{"word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"} {
		if z.has(usual) {
			return usual
		}
	}
	return ""
}

// partOf is the entry of the given kind that a part points to, "" if there is none.
func partOf(rels map[string]relation, kind string) string {
	for _, r := range rels {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}

// properties are what a file says of itself. What cannot be read is left out.
func (z *zipFile) properties() (title string, meta map[string]string) {
	meta = map[string]string{}
	_ = z.eachXML("docProps/core.xml", func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			text, err := x.text()
			if text = oneLine(normalise(text)); text == "" {
				return err
			}
			switch e.Name.Local {
			case "title":
				title = text
			case "creator":
				meta["author"] = text
			case "subject", "keywords", "category":
				meta[e.Name.Local] = text
			}
			return err
		})
	})
	if looksLikeFileName(title) || strings.EqualFold(title, "PowerPoint Presentation") {
		title = ""
	}
	return title, meta
}
