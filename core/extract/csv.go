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
	columns := make([]string, len(head))
	for i, c := range head {
		columns[i] = oneLine(c)
	}
	var b strings.Builder
	b.WriteString("Columns: " + strings.Join(columns, ", "))
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
		writeRow(&b, columns, row)
	}
	return Content{Blocks: []Block{{Kind: KindRows, Text: b.String()}}}, nil
}

func writeRow(b *strings.Builder, columns, row []string) {
	separator := "\n"
	for i, cell := range row {
		if cell = oneLine(cell); cell == "" {
			continue
		}
		b.WriteString(separator)
		separator = ", "
		if i < len(columns) && columns[i] != "" {
			b.WriteString(columns[i] + "=")
		}
		b.WriteString(cell)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
