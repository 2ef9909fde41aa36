package extract

import (
	"fmt"
	"strings"
)

const (
	sheetBlock   = 256 << 10 // bytes of rows in one block
	maxSheetText = 4 << 20   // bytes of rows of one file that are written out
	maxCells     = 10_000_000
	maxSheetRows = 1 << 20 // as many as spreadsheets have
	headRows     = 10      // among which the header is looked for
)

// cell is one that is not blank, on one line. An exact one was stored as a number,
// not as somebody wrote it.
type cell struct {
	column int
	text   string
	exact  bool
}

// sheetWriter turns rows as they come into blocks: lines before the table as text,
// then rows as `column=value, …` under a line that lists the columns. Rows that do
// not fit any more are still counted.
type sheetWriter struct {
	room *int // bytes of rows that may still be written, of all sheets

	waiting [][]cell // rows before it is clear which is the header
	columns []string
	stats   *sheetStats
	lead    []Block
	rows    []Block
	b       strings.Builder
	written int // rows
	full    bool
	partial bool // rows were left unread
}

// row takes the next row that is not blank.
func (s *sheetWriter) row(cells []cell) {
	if s.stats != nil {
		s.data(cells)
		return
	}
	s.waiting = append(s.waiting, cells)
	if len(s.waiting) == headRows {
		s.begin()
	}
}

// begin chooses the header: the first row with more than one cell. What stands
// above it is a title. A row of nothing but numbers is no header.
func (s *sheetWriter) begin() {
	head := 0
	for i, row := range s.waiting {
		if len(row) > 1 {
			head = i
			break
		}
	}
	for _, row := range s.waiting[:head] {
		s.lead = append(s.lead, Block{Kind: KindParagraph, Text: row[0].text})
	}
	rows := s.waiting[head:]
	s.waiting = nil
	if len(rows) == 0 {
		s.stats = newSheetStats(nil)
		return
	}
	s.columns = headerOf(rows[0])
	s.stats = newSheetStats(s.columns)
	if !allNumbers(rows[0]) {
		rows = rows[1:]
	}
	for _, row := range rows {
		s.data(row)
	}
}

func headerOf(row []cell) []string {
	columns := make([]string, row[len(row)-1].column+1)
	numbers := allNumbers(row)
	for _, c := range row {
		if columns[c.column] = c.text; numbers {
			columns[c.column] = columnLetters(c.column)
		}
	}
	return columns
}

func allNumbers(row []cell) bool {
	for _, c := range row {
		if _, ok := readNumber(c.text); !ok {
			return false
		}
	}
	return true
}

func (s *sheetWriter) data(cells []cell) {
	s.stats.row(cells)
	if s.full {
		return
	}
	line := rowText(s.columns, cells)
	if s.full = len(line) > *s.room; s.full {
		return
	}
	*s.room -= len(line)
	if s.b.Len() > sheetBlock {
		s.flush()
	}
	if s.b.Len() == 0 {
		s.b.WriteString("Columns: " + strings.Join(s.columns, ", "))
	}
	s.b.WriteString("\n" + line)
	s.written++
}

func (s *sheetWriter) flush() {
	if s.b.Len() > 0 {
		s.rows = append(s.rows, Block{Kind: KindRows, Text: s.b.String()})
		s.b.Reset()
	}
}

// end returns the sheet's blocks, and a note where not all of it was written. The
// name says what the sheet is in a sentence.
func (s *sheetWriter) end(name string) ([]Block, string) {
	if s.stats == nil {
		s.begin()
	}
	if len(s.columns) > 0 && s.stats.rows+s.stats.totalRows == 0 {
		s.b.WriteString("Columns: " + strings.Join(s.columns, ", "))
	}
	s.flush()
	s.stats.partial = s.partial
	note := ""
	if s.full {
		note = fmt.Sprintf("%s is so long that only its first %d of %d rows can be found one by one; its totals count all.", sentence(name), s.written, s.stats.rows+s.stats.totalRows)
	}
	return append(append(s.lead, s.stats.blocks(name)...), s.rows...), note
}
