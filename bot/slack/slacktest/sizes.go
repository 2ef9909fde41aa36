package slacktest

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// Sizes are the size limits. Texts are counted in UTF-16 units as they arrive,
// so what the app escaped counts in its longer form: &amp; is five.
type Sizes struct {
	Section       int // text of a section and of a context element
	Field         int // one field of a section
	Header        int
	MarkdownBlock int // one markdown block: msg_too_long above it
	AllBlocks     int // text of all blocks of a message: msg_blocks_too_long above it
	Blocks        int // number of blocks in a message
	ViewBlocks    int // number of blocks in a modal or home tab
	ButtonText    int
	ButtonValue   int
	ActionID      int // also block_id and callback_id
	URL           int
	Text          int // message text is cut here
	EditText      int // bytes of the text of chat.update, escaped: msg_too_long above it
	Append        int // markdown_text of one call
	Stream        int // all text of one stream
	Metadata      int // bytes of message metadata as JSON
}

// SlackSizes are the limits that Slack documents or was seen to have. All
// block text together was measured between 13,172 and 13,297; how much a
// stream holds is not known, this takes what a message holds.
func SlackSizes() Sizes {
	return Sizes{Section: 3000, Field: 2000, Header: 150, MarkdownBlock: 12000, AllBlocks: 13200,
		Blocks: 50, ViewBlocks: 100, ButtonText: 75, ButtonValue: 2000, ActionID: 255, URL: 3000,
		Text: 40000, EditText: 4000, Append: 12000, Stream: 40000, Metadata: 4000}
}

// units is the length of a text as Slack is taken to count it.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// cutUnits shortens a text to n units without splitting a character.
func cutUnits(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

var entity = regexp.MustCompile(`&(?:amp|lt|gt);`)

// escapedBytes is the size of a text as Slack stores it: what is neither an
// entity nor a token gets its & < > escaped.
func escapedBytes(text string) int {
	n := len(text)
	n += (strings.Count(text, "&") - len(entity.FindAllString(text, -1))) * len("amp;")
	loose := tokenForm.ReplaceAllString(text, "")
	return n + (strings.Count(loose, "<")+strings.Count(loose, ">"))*len("lt;")
}
