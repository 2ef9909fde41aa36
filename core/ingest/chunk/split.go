package chunk

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"

	"github.com/footnote-bot/footnote/core/extract"
)

// splitBlock cuts a block into texts that cost at most the limit. Tables are cut
// between rows and repeat their header, code between lines with its fence kept
// balanced, lists between items, everything else between sentences.
func splitBlock(b extract.Block, limit int) []string {
	text := strings.Trim(b.Text, "\n")
	if cost(text) <= limit {
		return []string{text}
	}
	switch b.Kind {
	case extract.KindTable:
		return splitTable(text, 2, limit, columns)
	case extract.KindRows:
		return splitTable(text, 1, limit, pairs)
	case extract.KindCode:
		return splitCode(text, limit)
	case extract.KindList:
		return texts(pieces(text, limit, topLines, lines, bySentence, byWord))
	}
	return texts(pieces(text, limit, bySentence, byWord))
}

// splitTable repeats the header lines before each group of rows. A header that
// fills half a passage is not repeated. A row that is too long is cut between its
// cells.
func splitTable(text string, headLines, limit int, cells cutter) []string {
	parts := lines(text)
	if len(parts) <= headLines {
		return texts(pieces(text, limit, lines, byWord))
	}
	head := strings.Join(parts[:headLines], "")
	body := text[len(head):]
	if cost(head)*2 > limit {
		return texts(pieces(text, limit, lines, cells, byWord))
	}
	out := texts(pieces(body, limit-cost(head), lines, cells, byWord))
	for i := range out {
		out[i] = head + out[i]
	}
	return out
}

// splitCode cuts before lines that follow a blank one, else before any line,
// and wraps every part in the fence of the whole.
func splitCode(text string, limit int) []string {
	first, rest, _ := strings.Cut(text, "\n")
	fence := fenceOf(first)
	if fence == "" || cost(first)*4 > limit {
		return texts(pieces(text, limit, stanzas, lines, byWord))
	}
	inner := rest
	if at := strings.LastIndexByte(rest, '\n'); closes(rest[at+1:], fence) {
		inner = rest[:max(at, 0)]
	}
	room := limit - cost(first) - cost(fence) - separatorCost
	var out []string
	for _, part := range texts(pieces(inner, room, stanzas, lines, byWord)) {
		out = append(out, first+"\n"+part+"\n"+fence)
	}
	return out
}

// fenceOf is the run of backticks or tildes that opens the line, "" if none.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 {
		return ""
	}
	return line[:n]
}

// closes tells whether the line ends a code block that the fence opened: the same
// characters, at least as many, and nothing else.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// cutter divides a text into parts that joined give the text again.
type cutter func(text string) []string

// pieces cuts as coarsely as the limit allows: parts that are still too large
// go to the next cutter, and in the end between any two characters.
func pieces(text string, limit int, cutters ...cutter) []string {
	if cost(text) <= limit {
		return []string{text}
	}
	if len(cutters) == 0 {
		return byRune(text, limit)
	}
	var flat []string
	for _, part := range cutters[0](text) {
		if cost(part) > limit {
			flat = append(flat, pieces(part, limit, cutters[1:]...)...)
		} else {
			flat = append(flat, part)
		}
	}
	return join(flat, limit)
}

// join packs neighbours into pieces of about equal cost, none over the limit.
func join(parts []string, limit int) []string {
	left, costs := 0, make([]int, len(parts))
	for i, p := range parts {
		costs[i] = cost(p)
		left += costs[i]
	}
	var out []string
	var b strings.Builder
	have := 0
	for i, p := range parts {
		if have > 0 && full(have, costs[i], left, limit) {
			out = append(out, b.String())
			b.Reset()
			left -= have
			have = 0
		}
		b.WriteString(p)
		have += costs[i]
	}
	return append(out, b.String())
}

func byRune(text string, limit int) []string {
	var out []string
	start, have := 0, 0
	for i, r := range text {
		c := runeCost(r)
		if have+c > limit && i > start {
			out = append(out, text[start:i])
			start, have = i, 0
		}
		have += c
	}
	return append(out, text[start:])
}

// texts drops blank pieces and the line breaks at their ends.
func texts(parts []string) []string {
	out := parts[:0]
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			out = append(out, strings.Trim(strings.TrimRight(p, " \t\n"), "\n"))
		}
	}
	return out
}

// pairs cuts behind the comma between two columns of a sheet's row, columns behind
// the bar between two cells of a table.
func pairs(text string) []string   { return strings.SplitAfter(text, ", ") }
func columns(text string) []string { return strings.SplitAfter(text, " | ") }

func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// topLines cuts before lines that stand at the left edge, so that an item keeps
// what is indented under it.
func topLines(text string) []string {
	return group(text, func(_, line string) bool { return line[0] != ' ' && line[0] != '\t' && line[0] != '\n' })
}

// stanzas cuts before a line that follows a blank one.
func stanzas(text string) []string {
	return group(text, func(before, line string) bool {
		return strings.TrimSpace(before) == "" && strings.TrimSpace(line) != ""
	})
}

func group(text string, opens func(before, line string) bool) []string {
	var out []string
	start, pos, before := 0, 0, ""
	for _, line := range lines(text) {
		if line == "" {
			continue
		}
		if pos > start && opens(before, line) {
			out = append(out, text[start:pos])
			start = pos
		}
		pos += len(line)
		before = line
	}
	return append(out, text[start:])
}

func bySentence(text string) []string {
	var out []string
	for it := sentences.FromString(text); it.Next(); {
		out = append(out, it.Value())
	}
	return out
}

func byWord(text string) []string {
	var out []string
	for it := words.FromString(text); it.Next(); {
		out = append(out, it.Value())
	}
	return out
}
