package chunk

import (
	"cmp"
	"strings"

	"github.com/footnote-bot/footnote/core/extract"
)

// maxHeading bounds a heading in a path, in bytes. A longer one also stands in
// the text in full.
const maxHeading = 200

type heading struct {
	level int
	text  string
}

// unit is a piece of text that is not cut again.
type unit struct {
	text string
	cost int
	page int
	rows bool // of a sheet

	sumUp string // of the table that begins here, if it is cut
}

// section is a heading with what follows it up to the next heading.
type section struct {
	path   []heading // outermost first, without the document's title
	anchor string    // of the nearest heading that has one
	units  []unit
	cost   int
	page   int
	summed bool // a table of it is cut and summed up
}

// major is how many of the path's headings are of level 1 or 2: passages do not
// reach across those.
func (s section) major() int {
	n := 0
	for n < len(s.path) && s.path[n].level <= 2 {
		n++
	}
	return n
}

// sections groups blocks under their headings. Only a first heading that says
// the document's title again stays out of the paths.
func sections(title string, blocks []extract.Block, limit int) []section {
	var out []section
	cur, first := section{}, true
	for _, b := range blocks {
		if strings.TrimSpace(b.Text) == "" {
			continue
		}
		if b.Kind != extract.KindHeading {
			if turned(cur.lastPage(), b.Page) {
				out = append(out, cur)
				cur = section{path: cur.path, anchor: cur.anchor, page: b.Page}
			}
			cur.add(b, limit)
			continue
		}
		out = append(out, cur)
		cur = section{page: b.Page, anchor: cmp.Or(b.Anchor, cur.anchor)}
		if !first || !sameTitle(title, b) {
			cur.path = under(out[len(out)-1].path, b)
		}
		if first = false; len(b.Text) > maxHeading {
			cur.add(extract.Block{Kind: extract.KindParagraph, Text: b.Text, Page: b.Page}, limit)
		}
	}
	return settle(append(out, cur))
}

// turned tells whether another page begins: a passage of a paged document stands
// on one page, so that its citation opens the right one.
func turned(before, page int) bool { return before > 0 && page > 0 && before != page }

func (s section) lastPage() int {
	if n := len(s.units); n > 0 {
		return s.units[n-1].page
	}
	return 0
}

// settle gives a home to headings without text of their own: the next section's
// path if that repeats them, else they become text.
func settle(all []section) []section {
	out := all[:0]
	for i, s := range all {
		switch {
		case len(s.units) > 0:
			out = append(out, s)
		case len(s.path) == 0 || i+1 < len(all) && hasPrefix(all[i+1].path, s.path):
		default:
			h := s.path[len(s.path)-1]
			text := h.markdown()
			s.path = s.path[: len(s.path)-1 : len(s.path)-1]
			s.units, s.cost = []unit{{text: text, cost: cost(text), page: s.page}}, cost(text)
			out = append(out, s)
		}
	}
	return out
}

func (h heading) markdown() string { return strings.Repeat("#", h.level) + " " + h.text }

func (s *section) add(b extract.Block, limit int) {
	pieces := splitBlock(b, limit-separatorCost)
	for i, text := range pieces {
		u := unit{text: text, cost: cost(text) + separatorCost, page: b.Page, rows: b.Kind == extract.KindRows}
		if i == 0 && len(pieces) > 1 && b.Kind == extract.KindTable {
			u.sumUp, s.summed = s.summary(b.Text, limit), true
		}
		s.units = append(s.units, u)
		s.cost += u.cost
	}
}

// under is the path of a heading that follows a section with the given path.
func under(path []heading, b extract.Block) []heading {
	level := min(max(b.Level, 1), 6)
	keep := 0
	for keep < len(path) && path[keep].level < level {
		keep++
	}
	text := oneLine(b.Text)
	if len(text) > maxHeading {
		text = strings.TrimSpace(strings.ToValidUTF8(text[:maxHeading], "")) + "…"
	}
	return append(path[:keep:keep], heading{level, text})
}

func sameTitle(title string, b extract.Block) bool {
	return b.Level <= 1 && strings.EqualFold(oneLine(title), oneLine(b.Text))
}

func hasPrefix(path, prefix []heading) bool { return shared(path, prefix) == len(prefix) }

// shared counts the leading headings that two paths have in common.
func shared(a, b []heading) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// separatorCost is what the blank line between two units costs.
const separatorCost = 6

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
