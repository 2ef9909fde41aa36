package chunk

import (
	"strings"

	"github.com/footnote-bot/footnote/core/extract"
)

const leftOut = "More could be summed up than has room here."

// summary is what a table that is cut says as a whole, as far as a passage has room.
func (s section) summary(table string, limit int) string {
	name := "the table"
	if n := len(s.path); n > 0 {
		name += " under “" + s.path[n-1].text + "”"
	}
	room := limit - cost(leftOut) - separatorCost
	var out []string
	for i, line := range extract.TableSummary(name, table) {
		if room -= cost(line) + unitsPerToken/4; room < 0 && i > 0 {
			out = append(out, leftOut)
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// summaries are passages of their own for the tables that begin in the section: what
// sums up a table is no answer to a question for one of its rows.
func (s section) summaries() (out []passage) {
	for _, u := range s.units {
		if u.sumUp != "" {
			sum := unit{text: u.sumUp, cost: cost(u.sumUp) + separatorCost, page: u.page}
			out = append(out, passage{parts: []section{{path: s.path, anchor: s.anchor, units: []unit{sum}, cost: sum.cost}}, cost: sum.cost})
		}
	}
	return out
}
