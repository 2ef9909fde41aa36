package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// maxChapter bounds one file of a book, in bytes.
const maxChapter = 16 << 20

// book is what an EPUB says of itself.
type book struct {
	content  Content
	chapters []string // entries in reading order
}

// readBook reads the chapters of an EPUB in the order in which they are read.
func readBook(z *zipFile, o order) (officeFile, error) {
	if locks, err := z.readAll("META-INF/encryption.xml", 1<<20); err == nil && bytes.Contains(locks, []byte("xmlenc#aes")) {
		return officeFile{}, errPassword
	}
	b, err := bookOf(z)
	if err != nil {
		return officeFile{}, err
	}
	if len(b.chapters) > o.Pages {
		return officeFile{}, errTooManyPages{len(b.chapters)}
	}
	left, bad := o.Text, 0
	for _, chapter := range b.chapters {
		raw, err := z.readAll(chapter, maxChapter)
		if errors.Is(err, errMissing) || errors.Is(err, errDamaged) {
			bad++
			continue
		}
		if err != nil {
			return officeFile{}, err
		}
		c, err := parseHTML(context.Background(), chapter, normalise(string(raw)))
		if err != nil {
			bad++
			continue
		}
		for _, block := range c.Blocks {
			block.Anchor = "" // it belongs to a file inside the book
			left -= int64(len(block.Text))
			b.content.Blocks = append(b.content.Blocks, block)
		}
		if left < 0 {
			return officeFile{}, errMuchText
		}
	}
	if bad > 0 && len(b.content.Blocks) == 0 {
		return officeFile{}, errDamaged
	}
	if bad > 0 {
		b.content.Notes = append(b.content.Notes, fmt.Sprintf("%d of the %d chapters are damaged and were not read.", bad, len(b.chapters)))
	}
	return officeFile{content: b.content}, nil
}

func bookOf(z *zipFile) (b book, err error) {
	pack := ""
	err = z.eachXML("META-INF/container.xml", func(x *xmlReader, _ xml.StartElement) error {
		var walk func(e xml.StartElement) error
		walk = func(e xml.StartElement) error {
			if e.Name.Local == "rootfile" && pack == "" {
				pack = xmlAttr(e, "full-path")
			}
			return x.children(walk)
		}
		return x.children(walk)
	})
	if err != nil {
		return b, err
	}
	b.content.Meta = map[string]string{}
	files := map[string]string{}
	err = z.eachXML(pack, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "metadata":
				return b.metadata(x)
			case "manifest":
				return x.children(func(e xml.StartElement) error {
					if t := xmlAttr(e, "media-type"); strings.Contains(t, "html") {
						href, err := url.PathUnescape(xmlAttr(e, "href"))
						if err == nil {
							files[xmlAttr(e, "id")] = path.Join(path.Dir(pack), href)
						}
					}
					return x.skip()
				})
			case "spine":
				return x.children(func(e xml.StartElement) error {
					if f := files[xmlAttr(e, "idref")]; f != "" {
						b.chapters = append(b.chapters, f)
					}
					return x.skip()
				})
			}
			return x.skip()
		})
	})
	if errors.Is(err, errMissing) {
		err = errDamaged
	}
	return b, err
}

func (b *book) metadata(x *xmlReader) error {
	return x.children(func(e xml.StartElement) error {
		text, err := x.text()
		text = oneLine(normalise(text))
		switch {
		case text == "":
		case e.Name.Local == "title" && b.content.Title == "":
			b.content.Title = text
		case e.Name.Local == "creator" && b.content.Meta["author"] == "":
			b.content.Meta["author"] = text
		case e.Name.Local == "language" && len(text) >= 2:
			b.content.Language = strings.ToLower(text[:2])
		}
		return err
	})
}
