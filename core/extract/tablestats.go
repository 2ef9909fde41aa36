package extract

import "strings"

// TableSummary says in lines, what matters most first, what a whole Markdown table
// holds: its size and columns, sums, and counts of values. Name is what the table
// is called in a sentence. A table of a few rows has none, nor has one whose first
// row may be data: its sums would lack that row.
func TableSummary(name, table string) []string {
	head, rest, _ := strings.Cut(strings.Trim(table, "\n"), "\n")
	_, body, _ := strings.Cut(rest, "\n")
	var columns []string
	for i, text := range tableCells(head) {
		columns = append(columns, plainCell(text))
		if r, ok := readNumber(columns[i]); ok && (r.point < 1800 || r.point > 2199 || r.unclear()) {
			return nil
		}
	}
	s := newSheetStats(columns)
	for line := range strings.Lines(body) {
		var row []cell
		for i, text := range tableCells(line) {
			if text = plainCell(text); text != "" && i < len(columns) {
				row = append(row, cell{column: i, text: text})
			}
		}
		if len(row) > 0 {
			s.row(row)
		}
	}
	return append(s.about(name), s.totals(name)...)
}

// tableCells cuts a row at its bars. One behind a backslash is part of a cell.
func tableCells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var out []string
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			out = append(out, line[start:i])
			start = i + 1
		}
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

// plainCell is a cell without the marks around its words. One with tags, or struck
// out, stays as it is, so that 12<sup>1</sup> is not taken for 121.
func plainCell(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 4*longestValue || strings.ContainsAny(text, "<~") || !strings.ContainsAny(text, "\\*_`[") {
		return text
	}
	return plainInline(strings.ReplaceAll(text, `\|`, "|"))
}
