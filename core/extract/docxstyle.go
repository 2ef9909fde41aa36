package extract

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
)

// wordStyle is what a paragraph style makes of a paragraph.
type wordStyle struct {
	outline int // level of a heading from 1; 0 if it is none
	list    string
	depth   int
	based   string
}

// readWordStyles reads the paragraph styles by id, each with what it takes from
// the one that it is based on.
func readWordStyles(z *zipFile, part string) (map[string]wordStyle, error) {
	out := map[string]wordStyle{}
	if part == "" {
		return out, nil
	}
	err := z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if t := xmlAttr(e, "type"); e.Name.Local != "style" || t != "" && t != "paragraph" {
				return x.skip()
			}
			s, err := readWordStyle(x)
			out[xmlAttr(e, "styleId")] = s
			return err
		})
	})
	if err != nil && !errors.Is(err, errMissing) {
		return nil, err
	}
	for id, s := range out {
		for based, steps := s.based, 0; based != "" && steps < 12; steps++ {
			under := out[based]
			if s.outline == 0 {
				s.outline = under.outline
			}
			if s.list == "" {
				s.list, s.depth = under.list, under.depth
			}
			based = under.based
		}
		out[id] = s
	}
	return out, nil
}

func readWordStyle(x *xmlReader) (wordStyle, error) {
	var s wordStyle
	named := 0
	err := x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "name":
			named = headingName(xmlAttr(e, "val"))
		case "basedOn":
			s.based = xmlAttr(e, "val")
		case "pPr":
			p := &wordParagraph{outline: -1}
			err := p.properties(x)
			if s.list, s.depth = p.list, p.depth; p.outline >= 0 && p.outline < 9 {
				s.outline = p.outline + 1
			}
			return err
		}
		return x.skip()
	})
	if named > 0 {
		s.outline = named
	}
	return s, err
}

// headingName knows the built-in styles, which every program writes in English.
func headingName(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if rest, ok := strings.CutPrefix(name, "heading "); ok {
		if n, err := strconv.Atoi(rest); err == nil && 0 < n && n < 10 {
			return n
		}
	}
	return 0
}

// wordLists knows the marks of lists and counts their items.
type wordLists struct {
	levels map[string]map[int]string // format by depth, by id of the list
	counts map[string][]int
}

func readWordLists(z *zipFile, part string) (wordLists, error) {
	l := wordLists{levels: map[string]map[int]string{}, counts: map[string][]int{}}
	if part == "" {
		return l, nil
	}
	kinds := map[string]map[int]string{}
	err := z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			switch e.Name.Local {
			case "abstractNum":
				levels := map[int]string{}
				kinds[xmlAttr(e, "abstractNumId")] = levels
				return x.children(func(e xml.StartElement) error {
					if e.Name.Local != "lvl" {
						return x.skip()
					}
					depth := atoiOr(xmlAttr(e, "ilvl"), 0)
					return x.children(func(e xml.StartElement) error {
						if e.Name.Local == "numFmt" {
							levels[depth] = xmlAttr(e, "val")
						}
						return x.skip()
					})
				})
			case "num":
				id := xmlAttr(e, "numId")
				return x.children(func(e xml.StartElement) error {
					if e.Name.Local == "abstractNumId" {
						l.levels[id] = kinds[xmlAttr(e, "val")]
					}
					return x.skip()
				})
			}
			return x.skip()
		})
	})
	if errors.Is(err, errMissing) {
		err = nil
	}
	return l, err
}

// mark is what stands before the next item of a list: a dash, or its number.
func (l wordLists) mark(list string, depth int) string {
	if format := l.levels[list][depth]; format == "" || format == "bullet" || format == "none" || depth < 0 || depth > 8 {
		return "-"
	}
	counts := l.counts[list]
	for len(counts) <= depth {
		counts = append(counts, 0)
	}
	counts = counts[:depth+1] // deeper levels begin anew
	counts[depth]++
	l.counts[list] = counts
	return strconv.Itoa(counts[depth]) + "."
}
