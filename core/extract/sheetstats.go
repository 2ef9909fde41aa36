package extract

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is remembered of a sheet's columns.
const (
	maxStatColumns = 200
	maxTracked     = 1000   // different values of a column
	maxIDs         = 10_000 // of a column that may be an id
	mostCategories = 20     // different values of a column of categories
	leastRows      = 3      // of a sheet that is worth summing up
)

// sheetStats sums up a sheet, so that questions for how many and for totals find
// an answer in the text. A cell counts by what it says.
type sheetStats struct {
	columns []string
	rows    int
	of      []columnStats
}

type columnStats struct {
	filled, numbers, dates int
	sum, least, most       float64
	first, last            string // of dates, which sort as text
	values                 map[string]int
	ids                    map[string]bool
	many, repeats          bool // more values than are tracked; an id twice
}

func newSheetStats(columns []string) *sheetStats {
	return &sheetStats{columns: columns, of: make([]columnStats, min(len(columns), maxStatColumns))}
}

// cell counts one cell that is not blank.
func (s *sheetStats) cell(column int, text string) {
	if column >= len(s.of) {
		return
	}
	c := &s.of[column]
	c.filled++
	if v, ok := numberOf(text); ok {
		if c.numbers == 0 {
			c.least, c.most = v, v
		}
		c.numbers++
		c.sum, c.least, c.most = c.sum+v, min(c.least, v), max(c.most, v)
	} else if isoDate.MatchString(text) {
		if c.dates == 0 {
			c.first, c.last = text, text
		}
		c.dates++
		c.first, c.last = min(c.first, text), max(c.last, text)
	}
	if len(text) > 100 {
		c.many, c.repeats = true, true
		return
	}
	c.track(text)
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
	case c.repeats:
	case c.ids[text] || len(c.ids) >= maxIDs:
		c.repeats, c.ids = true, nil
	default:
		c.ids[text] = true
	}
}

var (
	isoDate     = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$`)
	plainNumber = regexp.MustCompile(`^-?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,12})?$`)
)

// numberOf reads a number as people and programs write it. Digits that begin with
// a zero are a code, such as a postal one.
func numberOf(text string) (float64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if !plainNumber.MatchString(text) || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, err == nil
}

func (c *columnStats) numeric() bool { return c.numbers > 0 && c.numbers*10 >= c.filled*9 }
func (c *columnStats) dated() bool   { return c.dates > 0 && c.dates*10 >= c.filled*9 }

// unique tells that the column names each row, like an order's number.
func (s *sheetStats) unique(c *columnStats) bool {
	return s.rows >= 5 && c.filled == s.rows && !c.repeats && !c.dated()
}

func (c *columnStats) category() bool {
	return !c.numeric() && !c.dated() && !c.many && c.filled >= 4 && len(c.values) <= min(mostCategories, c.filled/2)
}

// blocks are the description and the totals, none for a sheet of a few rows.
func (s *sheetStats) blocks(name string) []Block {
	if s.rows < leastRows || len(s.columns) == 0 {
		return nil
	}
	return []Block{
		{Kind: KindParagraph, Text: s.describe(name)},
		{Kind: KindParagraph, Text: s.totals(name)},
	}
}

func (s *sheetStats) describe(name string) string {
	var numbers, dates, categories, id []string
	for i := range s.of {
		c, column := &s.of[i], s.column(i)
		switch {
		case c.dated() && len(dates) < 6:
			dates = append(dates, fmt.Sprintf("%s from %s to %s", column, c.first, c.last))
		case len(id) == 0 && s.unique(c) && (!c.numeric() || looksLikeID(s.columns[i])):
			id = append(id, column)
		case c.numeric() && len(numbers) < 12:
			numbers = append(numbers, column)
		case c.category() && len(categories) < 6:
			categories = append(categories, column+" ("+strings.Join(c.samples(), ", ")+")")
		}
	}
	text := fmt.Sprintf("%s has %d rows and %d columns.", sentence(name), s.rows, len(s.columns))
	for _, part := range []struct {
		what string
		list []string
	}{{"Dates: ", dates}, {"Numbers: ", numbers}, {"Categories: ", categories}, {"Each row is named by ", id}} {
		if len(part.list) > 0 {
			text += "\n" + part.what + strings.Join(part.list, "; ") + "."
		}
	}
	return text
}

// sentence begins a sentence with a name such as "the table".
func sentence(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func (s *sheetStats) totals(name string) string {
	lines := []string{fmt.Sprintf("Totals of %s: %d rows.", name, s.rows)}
	for i := range s.of {
		c, column := &s.of[i], s.column(i)
		switch {
		case len(lines) > 40:
		case c.numeric() && (!s.unique(c) || !looksLikeID(s.columns[i])):
			lines = append(lines, fmt.Sprintf("%s: sum %s, mean %s, smallest %s, largest %s, %d values.",
				column, decimal(c.sum), decimal(c.sum/float64(c.numbers)), decimal(c.least), decimal(c.most), c.numbers))
		case c.category():
			top := c.samples()[0]
			lines = append(lines, fmt.Sprintf("%s: most often %s (%d of %d).", column, top, c.values[top], c.filled))
		}
	}
	return strings.Join(lines, "\n")
}

var idName = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:id|nr|no|number|key|code|sku)\.?$|(?:Id|ID|Nr|No)$`)

func looksLikeID(column string) bool { return idName.MatchString(column) }

// column is a column's name, with its words apart where it joins them.
func (s *sheetStats) column(i int) string {
	name := s.columns[i]
	if name == "" {
		return columnLetters(i)
	}
	if spaced := strings.ReplaceAll(name, "_", " "); spaced != name {
		return name + " (" + strings.TrimSpace(spaced) + ")"
	}
	return name
}

// samples are the most frequent values.
func (c *columnStats) samples() []string {
	all := slices.SortedFunc(maps.Keys(c.values), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.values[b], c.values[a]), strings.Compare(a, b))
	})
	return all[:min(len(all), 8)]
}

// decimal writes a number without the noise of binary fractions.
func decimal(v float64) string {
	if math.Abs(v) < 1e15 {
		v = math.Round(v*1e6) / 1e6
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// columnLetters names a column as spreadsheets do, from A.
func columnLetters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
