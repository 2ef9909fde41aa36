package extract

import "strings"

// label is what a column of digits holds instead of amounts.
type label uint8

const (
	noLabel    label = iota
	nameLabel        // ids, numbers of orders, postcodes
	timeLabel        // years, dates, months
	otherLabel       // phone numbers, ranks, addresses
)

// limits of parts of a calendar.
var limits = map[meaning]float64{saysMonth: 12, saysWeek: 53, saysDay: 31, saysQuarter: 4}

// label tells what a column is by its name and by what its numbers look like. A name
// that measures (“salary”) wins against the numbers, unless all are dates; a name
// that says nothing needs numbers that say much.
func (s *sheetStats) label(i int) label {
	c, m := &s.of[i], s.meanings[i]
	if !c.numeric() || c.units != 0 {
		return noLabel
	}
	sh, n := &c.shape, c.numbers
	if sh.days == n {
		return timeLabel
	}
	if m == saysAmount || s.votes && strings.EqualFold(s.columns[i], "no") {
		return noLabel
	}
	if sh.quads == n || sh.calls == n {
		return otherLabel
	}
	whole := sh.whole == n
	switch m {
	case saysName:
		return nameLabel
	case saysDate, saysYear:
		return timeLabel
	case saysYearOf:
		if sh.sameLength(n, 4) && c.point.least >= 1000 && c.point.most < 2200 {
			return timeLabel
		}
	case saysPhone, saysMobile:
		if least := 5 + 2*int(m-saysPhone); whole && sh.digits >= least*n {
			return otherLabel
		}
	case saysMonth, saysWeek, saysDay, saysQuarter:
		if whole && c.point.least >= 0 && c.point.most <= limits[m] {
			return timeLabel
		}
	case saysRank:
		if whole {
			return otherLabel
		}
	case saysNumber:
		if whole && (s.leads(i) || c.distinct() && (s.rows >= 5 || sh.running() || sh.sameLength(n, 3))) {
			return nameLabel
		}
		return noLabel
	case saysThing:
		if sh.running() || sh.sameLength(n, 4) && !sh.amounts() {
			return nameLabel
		}
	}
	return s.byShape(i)
}

// byShape tells labels whose column's name does not.
func (s *sheetStats) byShape(i int) label {
	c := &s.of[i]
	sh, n, first := &c.shape, c.numbers, s.leads(i)
	switch {
	case sh.plain != n:
	case sh.months == n, sh.years == n && n > leastRows, sh.years == n && sh.running():
		return timeLabel
	case sh.running() && (first || n >= 5), first && sh.stepped() && n > leastRows,
		sh.zeros > 0,
		c.distinct() && n >= 5 && sh.sameLength(n, 8) && !sh.amounts(),
		c.distinct() && first && sh.sameLength(n, 4) && !sh.amounts():
		return nameLabel
	}
	return noLabel
}

// leads tells the first of several columns, which mostly names the rows.
func (s *sheetStats) leads(i int) bool { return i == 0 && len(s.columns) > 1 }

// distinct tells whether no value occurs twice, as far as that was followed.
func (c *columnStats) distinct() bool {
	return !c.repeats && (!c.crowded || c.many || len(c.values) == c.filled)
}
