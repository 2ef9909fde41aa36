package slack

import (
	"strings"
	"unicode"

	"github.com/footnote-bot/footnote/bot/render"
)

const (
	// pieceRoom is how much Markdown goes into one message, in UTF-16 units, so
	// that sources and buttons still fit below it.
	pieceRoom = 9_000
	// blockRoom is the most that a markdown block takes.
	blockRoom = 11_500
	// sectionRoom is the most that a section takes.
	sectionRoom = 3_000
)

// units counts as Slack may: the unit is not documented, this is the safe side.
func units(s string) int {
	return render.Limit{Count: render.UTF16}.Len(s)
}

// split cuts an answer into pieces for one message each.
func split(md string) []string {
	return render.SplitMarkdown(render.MarkdownBlock, md, render.Limit{N: pieceRoom, Count: render.UTF16})
}

// escape makes a text of ours safe for mrkdwn.
func escape(s string) string { return escapes.Replace(s) }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// link is a link that we built; an address that is none becomes the label alone.
func link(address, label string) string {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return label
	}
	if strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return label
	}
	return "<" + addresses.Replace(address) + "|" + label + ">"
}

var addresses = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C")
