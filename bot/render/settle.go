package render

import (
	"strings"
	"unicode/utf8"
)

// Draft renders an answer that is not finished, for a message that is edited while
// it grows. It shows nothing that may still turn into something else.
func Draft(d Dialect, markdown string) string { return Render(d, Settle(markdown)) }

// Settle is the part of an unfinished answer that may be shown, as whole Markdown:
// a link, a token, a marker or a table's heading that is not complete is left out,
// emphasis and code that are open are closed. It takes time linear in the text.
func Settle(markdown string) string {
	if strings.HasSuffix(markdown, "\r") || !utf8.ValidString(markdown[max(0, len(markdown)-utf8.UTFMax):]) {
		markdown = wholeRunes(markdown)
	}
	start, fence := lastBlock(markdown)
	tail := markdown[start:]
	if fence != nil {
		return settleFence(markdown, fence)
	}
	if cut := unfinishedTable(tail); cut >= 0 {
		return markdown[:start] + strings.TrimRight(tail[:cut], " \n")
	}
	return markdown[:start] + settleInline(tail)
}

// wholeRunes drops half a character at the end, and half an end of line.
func wholeRunes(s string) string {
	s = strings.TrimSuffix(s, "\r")
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// lastBlock is where the last paragraph begins, and the fence that the text ends
// in.
func lastBlock(s string) (int, *block) {
	start := 0
	var fence *block
	for at := 0; at < len(s); {
		end := lineEnd(s, at)
		text := s[at:end]
		opens := opening(text)
		switch {
		case fence != nil:
			if closes(text, fence) {
				fence, start = nil, min(len(s), end+1)
			}
		case opens != nil:
			fence, start = opens, at
			fence.from = end + 1
		case strings.Trim(text, " >\t\r") == "":
			start = min(len(s), end+1)
		}
		at = end + 1
	}
	return start, fence
}

// lineEnd is where the line ends that at is in.
func lineEnd(s string, at int) int {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

// settleFence closes the fence. What may be the beginning of its end is left out.
func settleFence(s string, f *block) string {
	if f.from > len(s) { // its language is not complete
		return strings.TrimRight(s[:len(s)-len(f.open)], " \n")
	}
	i := strings.LastIndexByte(s, '\n') + 1
	if last := s[i:]; i >= f.from && strings.Trim(last, " >"+f.close[len(f.close)-1:]) == "" {
		s = s[:i]
	}
	return strings.TrimSuffix(s, "\n") + "\n" + f.close
}

// unfinishedTable is where the lines begin that are a table's heading or a row that
// is not complete; -1 if there are none.
func unfinishedTable(tail string) int {
	lines := strings.SplitAfter(tail, "\n")
	first := -1
	at := 0
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, " >"), "|") {
			first = i
			break
		}
		at += len(line)
	}
	if first < 0 {
		return -1
	}
	rule := first + 1
	if rule >= len(lines) || !strings.HasSuffix(lines[rule], "\n") {
		return at
	}
	if last := lines[len(lines)-1]; last != "" {
		return len(tail) - len(last)
	}
	return -1
}
