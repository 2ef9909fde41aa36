package render

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// maxLabel is how many characters of a title are shown.
const maxLabel = 80

// Label makes a title fit to be shown as the label of a link or a line of a list:
// on one line, without control and direction characters, at most 80 characters (as
// readers count them) with an ellipsis for the rest, and escaped so that it neither
// formats, notifies nor ends the link. An empty title stays empty.
func Label(d Dialect, title string) string {
	title = shorten(strings.Join(strings.Fields(strings.Map(visibleRune, title)), " "))
	title = string(unlink([]byte(title)))
	switch d {
	case Mrkdwn:
		title = labelMarks.Replace(escapeSlack.Replace(title))
	case MarkdownBlock:
		title = escapeBlock.Replace(escapeLabel(title))
	case Discord:
		title = escapeLabel(title)
	}
	return calm(title)
}

// labelMarks replaces what mrkdwn would format by outside a link.
var labelMarks = strings.NewReplacer("*", lookAlikes[0], "~", lookAlikes[2], "`", lookAlikes[3])

// escapeLabel puts a backslash before all that Markdown would read.
func escapeLabel(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]~|#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// visibleRune drops control characters and what turns the direction of text: a
// title could otherwise show another name than it has.
func visibleRune(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar, r == 0xfeff, r == 0x2060, r == 0x200b,
		r >= 0x2028 && r <= 0x2029, r >= 0xe0000 && r <= 0xe007f:
		return -1
	}
	return r
}

// shorten keeps the first characters of a title.
func shorten(s string) string {
	if len(s) <= maxLabel {
		return s
	}
	g := uniseg.NewGraphemes(s)
	end := 0
	for n := 1; g.Next(); n++ {
		_, to := g.Positions()
		if n == maxLabel && to < len(s) {
			return strings.TrimRight(s[:end], " ") + "…"
		}
		end = to
		if n == maxLabel {
			break
		}
	}
	return s[:end]
}
