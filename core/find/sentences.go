package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is what a quote is made of: a sentence, or a line of a table, list or
// code block.
type unit struct {
	text  string
	block int // units of one paragraph, table or code block have the same number
	line  bool
}

// unitsOf cuts Markdown into units. Lines of tables and code stay whole.
func unitsOf(text string) []unit {
	var out []unit
	block, fenced := 0, false
	var prose []string
	flush := func() {
		for _, s := range sentences(strings.Join(prose, " ")) {
			out = append(out, unit{text: s, block: block})
		}
		prose = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		switch {
		case fence:
			flush()
			fenced = !fenced
			block++
		case fenced:
			out = append(out, unit{text: line, block: block, line: true})
		case trimmed == "":
			flush()
			block++
		case strings.HasPrefix(trimmed, "|"):
			flush()
			if !tableRule(trimmed) {
				out = append(out, unit{text: trimmed, block: block, line: true})
			}
		case startsItem(trimmed):
			flush()
			prose = append(prose, trimmed)
		default:
			prose = append(prose, trimmed)
		}
	}
	flush()
	return out
}

func tableRule(s string) bool { return strings.Trim(s, "|-: ") == "" }

// startsItem tells the first line of a list item, a heading or a quotation.
func startsItem(s string) bool {
	if strings.HasPrefix(s, "#") || strings.HasPrefix(s, "> ") {
		return true
	}
	marker, _, ok := strings.Cut(s, " ")
	if !ok || len(marker) > 4 {
		return false
	}
	if marker == "-" || marker == "*" || marker == "+" {
		return true
	}
	digits := strings.TrimRight(marker, ".)")
	return digits != marker && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// sentences cuts prose after the marks that end a sentence.
func sentences(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			next = i + 1
		}
		if endsSentence(s, i, next, r) {
			out = appendTrimmed(out, s[start:next])
			start = next
		}
	}
	return appendTrimmed(out, s[start:])
}

func appendTrimmed(out []string, s string) []string {
	if s = strings.TrimSpace(s); s != "" {
		out = append(out, s)
	}
	return out
}

// endsSentence decides about the mark r at s[i:next]. A full stop ends a
// sentence before a blank unless what follows begins with a small letter or the
// word before is a number or an abbreviation of one or two letters.
func endsSentence(s string, i, next int, r rune) bool {
	switch r {
	case '。', '！', '？', '｡':
		after, _ := utf8.DecodeRuneInString(s[next:])
		return !strings.ContainsRune("」』”’）)\"", after) || next >= len(s)
	case '!', '?', '.':
	default:
		return false
	}
	rest := strings.TrimLeft(s[next:], "\"')”’*_")
	if rest == "" || rest[0] != ' ' {
		return rest == ""
	}
	if len(rest) != len(s[next:]) {
		return false // the closing mark belongs to this sentence; cutting inside is worse than not cutting
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(rest))
	if unicode.IsLower(first) {
		return false
	}
	before := lastWord(s[:i])
	return r != '.' || utf8.RuneCountInString(before) > 2 && strings.Trim(before, "0123456789") != ""
}

func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !inWord(r) })
	return s[i+1:]
}
