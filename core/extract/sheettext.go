package extract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of what is said of a sheet.
const (
	mostLines   = 40  // of totals
	longestLine = 600 // bytes of a list of columns or values
	longestName = 80  // bytes of a column's name or of a value
)

// blocks are the description and the totals, none for a sheet of a few rows.
func (s *sheetStats) blocks(name string) (out []Block) {
	for _, lines := range [][]string{s.about(name), s.totals(name)} {
		if len(lines) > 0 {
			out = append(out, Block{Kind: KindParagraph, Text: strings.Join(lines, "\n")})
		}
	}
	return out
}

func (s *sheetStats) worth() bool { return s.rows >= leastRows && len(s.columns) > 0 }

// about describes the sheet: its size, its columns, times, and what names a row.
func (s *sheetStats) about(name string) []string {
	if !s.worth() {
		return nil
	}
	read := ""
	if s.partial {
		read = " that were read"
	}
	size := fmt.Sprintf("%s has %s%s and %s.", sentence(name), count(s.rows, "row"), read, count(len(s.columns), "column"))
	if s.totalRows > 0 {
		size += fmt.Sprintf(" Rows of totals, which are not among them: %d.", s.totalRows)
	}
	var columns, dates []string
	id := ""
	for i := range s.columns {
		columns = append(columns, s.column(i))
		if i >= len(s.of) {
			continue
		}
		switch c := &s.of[i]; {
		case c.dated():
			dates = append(dates, fmt.Sprintf("%s from %s to %s", s.column(i), c.first, c.last))
		case id == "" && s.unique(c) && (!c.numeric() || s.label(i) == nameLabel):
			id = s.column(i)
		}
	}
	lines := []string{size, "Its columns: " + list(columns, ", ") + "."}
	if len(dates) > 0 {
		lines = append(lines, "Dates: "+list(dates, "; ")+".")
	}
	if id != "" {
		lines = append(lines, "Each row is named by "+id+".")
	}
	return lines
}

// totals says what was computed, and what the sheet itself adds up.
func (s *sheetStats) totals(name string) []string {
	if !s.worth() {
		return nil
	}
	var lines []string
	for i := range s.of {
		c, l := &s.of[i], s.label(i)
		if c.numeric() && l == noLabel {
			lines = append(lines, s.sum(i))
		}
		if c.category(l) {
			lines = append(lines, "Counted by "+s.column(i)+": "+c.counts())
		} else if n := len(c.values); l != noLabel && c.repeats && !c.many && c.missing == 0 {
			lines = append(lines, fmt.Sprintf("%s: %s in %s.", s.column(i), count(n, "different value"), count(c.filled, "row")))
		}
	}
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], moreColumns)
	}
	if len(lines) > 0 {
		lines = append([]string{fmt.Sprintf("Totals of %s, computed from its %s:", name, count(s.rows, "row"))}, lines...)
	}
	for _, row := range s.kept {
		lines = append(lines, "Its own row of totals, as written: "+row)
	}
	return lines
}

const moreColumns = "Its other columns are not summed up here."

// sum is the line of a column of numbers. It may be quoted alone and says by itself
// that it was computed. What could be read in two ways, or is of
// several units, is not added up; nor are percentages.
func (s *sheetStats) sum(i int) string {
	c, column := &s.of[i], s.column(i)
	t, doubt := s.decide(c)
	if doubt != "" {
		return column + ": not added up, because " + doubt + "."
	}
	n := float64(c.numbers)
	said := fmt.Sprintf("mean %s, smallest %s, largest %s", figure(t.total()/n), figure(t.least), figure(t.most))
	if c.unit != "%" {
		said = "sum " + figure(t.total()) + ", " + said
	}
	if c.unit != "" && c.unitless == 0 {
		column += " in " + c.unit
	}
	said += ", computed from " + count(c.numbers, "value")
	if rest := c.filled - c.numbers; rest > 0 {
		said += ", " + count(rest, "cell") + " without a number"
	}
	return column + ": " + said + c.mayCountTwice(t) + "."
}

// mayCountTwice says where one number is the sum of all others: a row that adds them up
// is not always named so that it is known for one.
func (c *columnStats) mayCountTwice(t *tally) string {
	for _, one := range []struct {
		v    float64
		name string
	}{{t.most, "largest"}, {t.least, "smallest"}} {
		if c.numbers > leastRows && one.v != 0 && figure(t.total()-one.v) == figure(one.v) {
			return "; the " + one.name + " is as much as all others together and may be their total"
		}
	}
	return ""
}

// decide chooses how a column's numbers are read: by those that have one reading, by
// the sheet's other columns where it has none itself, else not at all.
func (s *sheetStats) decide(c *columnStats) (t *tally, doubt string) {
	switch {
	case c.units < 0 || c.unit == "%" && c.unitless > 0:
		return nil, "its numbers are of different units"
	case c.onlyPoint > 0 && c.onlyComma > 0:
		return nil, "its numbers are written in different ways"
	case c.onlyPoint > 0, c.onlyComma == 0 && c.unclear == "":
		return &c.point, ""
	case c.onlyComma > 0:
		return &c.comma, ""
	}
	point, comma := 0, 0
	for i := range s.of {
		if other := &s.of[i]; other.numeric() && s.label(i) == noLabel {
			point, comma = point+other.onlyPoint, comma+other.onlyComma
		}
	}
	switch {
	case point > 0 && comma == 0:
		return &c.point, ""
	case comma > 0 && point == 0:
		return &c.comma, ""
	}
	return nil, "“" + c.unclear + "” can be read with thousands and with decimals"
}

// counts are the values with how often each occurs, the most frequent first.
func (c *columnStats) counts() string {
	all := slices.SortedFunc(maps.Keys(c.values), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.values[b], c.values[a]), strings.Compare(a, b))
	})
	for i, v := range all {
		all[i] = shorten(v, longestName) + " (" + count(c.values[v], "row") + ")"
	}
	return list(all, ", ") + "."
}
