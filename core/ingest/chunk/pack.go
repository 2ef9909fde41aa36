package chunk

import (
	"strings"
	"unicode"
)

// passage is sections, or a part of one, that stand together.
type passage struct {
	parts []section
	cost  int
}

// pack joins neighbouring sections that are too small to be found on their own
// and cuts those that are too large, at block borders.
func pack(all []section, limit int) []passage {
	var out []passage
	var cur passage
	flush := func() {
		if len(cur.parts) > 0 {
			out = append(out, cur)
		}
		cur = passage{}
	}
	for _, s := range all {
		if !cur.takes(s, limit) {
			flush()
		}
		if len(cur.parts) > 0 || s.cost <= limit && !s.summed {
			cur.parts = append(cur.parts, s)
			cur.cost += s.cost
			continue
		}
		for _, part := range cut(s, limit) {
			out = append(out, part.summaries()...)
			out = append(out, passage{parts: []section{part}, cost: part.cost})
		}
	}
	flush()
	return out
}

// takes decides whether a section joins the passage before it. Inside one
// chapter (headings of level 1 and 2) small neighbours join up to the limit. Over
// the border of a chapter only very small ones do, under the same parent, and
// only to half the limit: a passage about many things is found for none.
func (p passage) takes(s section, limit int) bool {
	if len(p.parts) == 0 || s.summed {
		return false
	}
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(s.units) > 0 && turned(last.lastPage(), s.units[0].page) {
		return false
	}
	extra := headingCost(s.path)
	if s.major() == last.major() && first.major() == s.major() && shared(first.path, s.path) >= s.major() {
		small := limit / 4
		return p.cost+s.cost+extra <= limit && (p.cost < small || s.cost < small)
	}
	tiny := limit / 8
	for _, part := range p.parts {
		if part.cost > tiny || !siblings(part, s) {
			return false
		}
	}
	return s.cost <= tiny && p.cost+s.cost+extra <= limit/2
}

func siblings(a, b section) bool {
	return len(a.path) == len(b.path) && len(a.path) > 0 && shared(a.path, b.path) == len(a.path)-1
}

func headingCost(path []heading) int {
	n := 0
	for _, h := range path[max(0, len(path)-1):] {
		n += cost(h.text) + 4*unitsPerToken
	}
	return n
}

// longestPermalink is in bytes, without what stands around it.
const longestPermalink = 400

// permalink tells the paragraph that opens a message where connectors of chats write it.
func permalink(text string) bool {
	address, opens := strings.CutPrefix(text, "[permalink](")
	address, closes := strings.CutSuffix(address, ")")
	return opens && closes && address != "" && len(address) <= longestPermalink && !strings.ContainsFunc(address, unicode.IsSpace)
}

// link is the address of the message that the section is, nil if it is none.
func (s section) link(limit int) *unit {
	if len(s.units) == 0 || !permalink(s.units[0].text) || 4*s.units[0].cost > limit {
		return nil
	}
	return &s.units[0]
}

// cut divides a section into parts of about equal cost, none over the limit but for a
// message's link. Rows of a sheet do not share a part with what sums them up: the
// numbers of one are no answer to a question for the other.
func cut(s section, limit int) []section {
	var out []section
	cur, left := section{path: s.path, anchor: s.anchor}, s.cost
	link := s.link(limit)
	for _, u := range s.units {
		if cur.cost > 0 && (full(cur.cost, u.cost, left, limit) || u.rows != cur.units[len(cur.units)-1].rows) {
			out = append(out, cur)
			left -= cur.cost
			cur = section{path: s.path, anchor: s.anchor}
			if link != nil {
				cur.units = append(cur.units, *link)
			}
		}
		cur.units = append(cur.units, u)
		cur.cost += u.cost
	}
	return append(out, cur)
}

// full tells whether a piece should end before the next item. Left is what is
// still to be placed, the piece included: it is shared out evenly, so that no
// crumb remains at the end.
func full(have, next, left, limit int) bool {
	target := left / ((left + limit - 1) / limit)
	return have+next > limit || have+next/2 > target
}

// common is how many headings all parts share.
func (p passage) common() int {
	n := len(p.parts[0].path)
	for _, part := range p.parts[1:] {
		n = min(n, shared(p.parts[0].path, part.path))
	}
	return n
}

func (p passage) heading() string {
	var names []string
	for _, h := range p.parts[0].path[:p.common()] {
		names = append(names, h.text)
	}
	return strings.Join(names, " › ")
}

// text writes the headings that the path does not hold before their text.
func (p passage) text() string {
	var blocks []string
	common := p.common()
	var before []heading
	for i, part := range p.parts {
		said := common
		if i > 0 {
			said = max(common, shared(before, part.path))
		}
		for _, h := range part.path[said:] {
			blocks = append(blocks, h.markdown())
		}
		for _, u := range part.units {
			blocks = append(blocks, u.text)
		}
		before = part.path
	}
	return strings.TrimSpace(strings.Join(blocks, "\n\n"))
}

func (p passage) page() int {
	for _, part := range p.parts {
		for _, u := range part.units {
			if u.page > 0 {
				return u.page
			}
		}
	}
	return 0
}
