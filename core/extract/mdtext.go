package extract

import "strings"

// maxColumns bounds a table; what stands further right is left out.
const maxColumns = 200

// mdTable writes rows as a Markdown table whose first row is the header, "" if
// no cell holds anything.
func mdTable(rows [][]string) string {
	width, filled := 0, false
	for _, row := range rows {
		for i, cell := range row {
			if strings.TrimSpace(cell) != "" {
				width, filled = max(width, i+1), true
			}
		}
	}
	if width = min(width, maxColumns); !filled {
		return ""
	}
	var b strings.Builder
	for i, row := range rows {
		if i > 0 && strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		for c := range width {
			cell := ""
			if c < len(row) {
				cell = strings.ReplaceAll(oneLine(row[c]), "|", `\|`)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", width) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// mdLink keeps an address that a person could open; other links are their text.
func mdLink(text, address string) string {
	text = oneLine(text)
	lower := strings.ToLower(address)
	web := strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "mailto:")
	if !web || strings.ContainsAny(address, " \t\n<>\"") || text == "" {
		return text
	}
	if text == address {
		return text
	}
	address = strings.NewReplacer("(", "%28", ")", "%29").Replace(address)
	return "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(text) + "](" + address + ")"
}

// mdImage is a picture by what is known of it without looking: its label, else
// its name. "" if there is neither.
func mdImage(label, name string) string {
	if label = oneLine(label); label == "" {
		label = oneLine(name)
	}
	if label == "" {
		return ""
	}
	return "![" + strings.NewReplacer("[", "(", "]", ")").Replace(label) + "](#)"
}

// listLine is an item of a list at a depth from 0.
func listLine(depth int, mark, text string) string {
	return strings.Repeat("  ", min(max(depth, 0), 8)) + mark + " " + oneLine(text)
}

// cellText writes what stands in a table's cell on one line.
func cellText(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		parts = append(parts, oneLine(b.Text))
	}
	return strings.Join(parts, " ")
}
