package extract

import (
	"math"
	"regexp"
)

// columnStats is what is remembered of one column.
type columnStats struct {
	filled, missing, numbers, dates int

	point, comma         tally // of the numbers by either reading
	onlyPoint, onlyComma int
	unclear              string // the first number with two readings
	unit                 string
	units, unitless      int // numbers with a unit and without; units is -1 where they differ

	first, last   string // of dates, which sort as text
	values        map[string]int
	ids           map[string]bool
	many, repeats bool // more values than are tracked; an id twice
	crowded       bool // more ids than are tracked

	shape digitShape
}

// tally adds up numbers. Rest is what a sum in binary fractions loses (Neumaier).
type tally struct{ sum, rest, least, most float64 }

func (t *tally) add(v float64, first bool) {
	if first {
		t.least, t.most = v, v
	}
	t.least, t.most = min(t.least, v), max(t.most, v)
	sum := t.sum + v
	if math.Abs(t.sum) >= math.Abs(v) {
		t.rest += (t.sum - sum) + v
	} else {
		t.rest += (v - sum) + t.sum
	}
	t.sum = sum
}

func (t *tally) total() float64 { return t.sum + t.rest }

var (
	isoDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$`)
	nothing = regexp.MustCompile(`(?i)^(?:[-–—.?]|n/?a|nan|null|#n/a|#(?:div/0|ref|value|num|name\?)!?)$`)
)

func (c *columnStats) cell(in cell) {
	c.filled++
	if r, ok := readNumber(in.text); ok {
		c.number(in, r)
	} else if len(in.text) == len("2006-01-02") || len(in.text) >= len("2006-01-02 15:04") && len(in.text) <= len("2006-01-02 15:04:05") {
		c.date(in.text)
	} else if len(in.text) > 1 && in.text[0] == '0' && allDigits(in.text) {
		c.shape.zeros++
	} else if len(in.text) < 10 && nothing.MatchString(in.text) {
		c.missing++
	}
	if len(in.text) > longestValue {
		c.many, c.repeats = true, true
		return
	}
	c.track(in.text)
}

func (c *columnStats) number(in cell, r reading) {
	switch {
	case in.exact:
		r.comma, r.isComma, r.isPoint = r.point, true, true
	case !r.isComma:
		c.onlyPoint++
	case !r.isPoint:
		c.onlyComma++
	case r.unclear() && c.unclear == "":
		c.unclear = in.text
	}
	c.shape.add(in.text, r)
	c.point.add(r.point, c.numbers == 0)
	c.comma.add(r.comma, c.numbers == 0)
	c.numbers++
	switch {
	case r.unit == "":
		c.unitless++
	case c.units == 0, c.units > 0 && c.unit == r.unit:
		c.unit = r.unit
		c.units++
	default:
		c.units = -1
	}
}

func (c *columnStats) date(text string) {
	if !isoDate.MatchString(text) {
		return
	}
	if c.dates == 0 {
		c.first, c.last = text, text
	}
	c.dates++
	c.first, c.last = min(c.first, text), max(c.last, text)
}

func (c *columnStats) track(text string) {
	if c.values == nil {
		c.values, c.ids = map[string]int{}, map[string]bool{}
	}
	if _, known := c.values[text]; known || len(c.values) < maxTracked {
		c.values[text]++
	} else {
		c.many = true
	}
	switch {
	case c.repeats || c.crowded:
	case c.ids[text]:
		c.repeats, c.ids = true, nil
	case len(c.ids) >= maxIDs:
		c.crowded, c.ids = true, nil
	default:
		c.ids[text] = true
	}
}

func (c *columnStats) numeric() bool { return c.numbers > 0 && c.numbers*10 >= (c.filled-c.missing)*9 }
func (c *columnStats) dated() bool   { return c.dates > 0 && c.dates*10 >= c.filled*9 }

// category tells that the column has few different values. Labels count like words.
func (c *columnStats) category(l label) bool {
	most := min(mostCategories, c.filled/2)
	if c.numeric() && l == noLabel {
		most = min(mostCategories/2, c.filled/4)
	}
	return !c.dated() && !c.many && c.filled >= 4 && len(c.values) <= most
}
