package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

func parseCSV(ctx context.Context, name, body string) (Content, error) {
	comma := ','
	first, _, _ := strings.Cut(body, "\n")
	if semicolons := strings.Count(first, ";"); semicolons > strings.Count(first, ",") {
		comma = ';'
	}
	return parseSheet(ctx, name, body, comma)
}

func parseTSV(ctx context.Context, name, body string) (Content, error) {
	return parseSheet(ctx, name, body, '\t')
}

// parseSheet writes each row as `column=value, …` under one line that lists the
// columns. Blank cells are skipped; a text that is no sheet is kept as it is.
func parseSheet(ctx context.Context, _, body string, comma rune) (Content, error) {
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, true, -1, true
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Content{}, nil
	}
	if err != nil {
		return Content{Blocks: paragraphs(body)}, nil
	}
	room := 8*len(body) + maxSheetText // a column's name may be longer than its values
	w := &sheetWriter{room: &room}
	w.columns = make([]string, len(head))
	for i, c := range head {
		w.columns[i] = oneLine(c)
	}
	w.stats = newSheetStats(w.columns)
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Content{Blocks: paragraphs(body), Notes: []string{"This file is not a well-formed table; it was read as plain text."}}, nil
		}
		if err := ctx.Err(); err != nil {
			return Content{}, err
		}
		if cells := cellsOf(row); len(cells) > 0 {
			w.data(cells)
		}
	}
	c := Content{}
	blocks, note := w.end("the table")
	if c.Blocks = blocks; note != "" {
		c.Notes = []string{note}
	}
	return c, nil
}

// cellsOf leaves out blank cells.
func cellsOf(row []string) []cell {
	var out []cell
	for i, text := range row {
		if text = oneLine(text); text != "" {
			out = append(out, cell{column: i, text: text})
		}
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
