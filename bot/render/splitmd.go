package render

import "strings"

// SplitMarkdown cuts Markdown into pieces that each render within a limit in a
// dialect, and that each are Markdown of their own: a fence goes on in the next
// piece, so does a table with its heading, and a nested list moves to the margin.
// Where even a few characters would render longer than the limit, a piece may too.
func SplitMarkdown(d Dialect, markdown string, l Limit) []string {
	return splitMarkdown(d, markdown, l, l.N)
}

// leastCut is the piece of source, in the limit's units, that is not cut further.
const leastCut = 16

// splitMarkdown cuts at n units of source. Pieces that render too long are cut
// again, shorter by as much as they were too long.
func splitMarkdown(d Dialect, markdown string, l Limit, n int) []string {
	var pieces []string
	head := ""
	for _, part := range Split(markdown, Limit{n, l.Count}) {
		part = dedent(part)
		if head != "" && strings.Contains(firstLine(part), "|") {
			part = head + part
		}
		if size := l.Len(Render(d, part)); size > l.N && n > leastCut {
			less := max(leastCut, min(n-1, n*l.N/size*9/10))
			pieces = append(pieces, splitMarkdown(d, part, l, less)...)
		} else {
			pieces = append(pieces, part)
		}
		head = ""
		if len(pieces) > 0 {
			head = tableHead(pieces[len(pieces)-1])
		}
	}
	return pieces
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// dedent moves a piece to the margin: four blanks before a list's item would make
// code of it.
func dedent(s string) string {
	n := len(s) - len(strings.TrimLeft(s, " "))
	if n == 0 {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		own := len(line) - len(strings.TrimLeft(line, " "))
		b.WriteString(line[min(n, own):])
	}
	return b.String()
}

// tableHead is the heading of the table that a piece ends in, "" if it ends in none
// or if its heading is all there is.
func tableHead(piece string) string {
	lines := strings.Split(piece, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if !strings.Contains(lines[i], "|") {
			return ""
		}
		if strings.Trim(lines[i], " |:-") == "" && strings.Contains(lines[i], "-") && strings.Contains(lines[i-1], "|") {
			return lines[i-1] + "\n" + lines[i] + "\n"
		}
	}
	return ""
}
