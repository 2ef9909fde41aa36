package extract

import "strings"

// Bounds of what is remembered of a sheet's columns.
const (
	maxStatColumns = 200
	idColumns      = 20     // that may name a row
	maxTracked     = 1000   // different values of a column
	maxIDs         = 10_000 // of a column that may be an id
	mostCategories = 20     // different values of a column of categories
	longestValue   = 100    // bytes of a value that is tracked
	leastRows      = 3      // of a sheet that is worth summing up
	mostTotalRows  = 5      // that are kept as they are written
)

// sheetStats sums up a sheet or a table, so that questions for how many and for
// totals find an answer in the text. A cell counts by what it says. Rows that are
// totals already are kept apart, so that nothing is counted twice.
type sheetStats struct {
	columns   []string
	rows      int
	partial   bool // there are rows that were not read
	totalRows int
	kept      []string // the first of them
	of        []columnStats
	meanings  []meaning // of the columns' names
	votes     bool      // a column is called “yes”
}

func newSheetStats(columns []string) *sheetStats {
	s := &sheetStats{columns: columns, of: make([]columnStats, min(len(columns), maxStatColumns))}
	for i := range s.of {
		s.meanings = append(s.meanings, meaningOf(columns[i]))
		s.votes = s.votes || strings.EqualFold(columns[i], "yes")
	}
	for i := idColumns; i < len(s.of); i++ {
		s.of[i].crowded = true // what names a row stands further left
	}
	return s
}

// row counts a row that is not blank.
func (s *sheetStats) row(cells []cell) {
	if len(s.columns) > 1 && isTotal(cells) {
		if s.totalRows++; len(s.kept) < mostTotalRows {
			s.kept = append(s.kept, shorten(rowText(s.columns, cells), longestLine))
		}
		return
	}
	s.rows++
	for _, c := range cells {
		if c.column < len(s.of) {
			s.of[c.column].cell(c)
		}
	}
}

// rowText writes a row as `column=value, …`.
func rowText(columns []string, cells []cell) string {
	var line strings.Builder
	for i, c := range cells {
		if i > 0 {
			line.WriteString(", ")
		}
		if c.column < len(columns) && columns[c.column] != "" {
			line.WriteString(columns[c.column] + "=")
		}
		line.WriteString(c.text)
	}
	return line.String()
}

// unique tells that the column names each row, like an order's number.
func (s *sheetStats) unique(c *columnStats) bool {
	return s.rows >= 5 && c.filled == s.rows && !c.repeats && !c.crowded && !c.dated()
}
