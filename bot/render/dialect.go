package render

import "strings"

// Dialect is one platform's way of marking up text.
type Dialect uint8

const (
	// Mrkdwn is Slack's own markup, for section blocks and the text of a message.
	Mrkdwn Dialect = iota
	// MarkdownBlock is standard Markdown inside Slack's markdown block or a
	// native stream, which still reads <...> as its tokens.
	MarkdownBlock
	// Discord is the content of a Discord message.
	Discord
	// Plain has no markup at all: notifications, alternative text, logs.
	Plain
)

// Limits of one piece of text. Slack does not say what it counts; UTF-16 units
// are the safe side. Discord counts code points.
var (
	// SlackSection is the text of a section block (documented).
	SlackSection = Limit{N: 3000, Count: UTF16}
	// SlackMarkdownBlock is the text of a markdown block; 12,001 was measured to
	// fail with msg_too_long.
	SlackMarkdownBlock = Limit{N: 12_000, Count: UTF16}
	// SlackMessage is all block text of one message. Undocumented: about 13,200
	// was measured to fail, and one report has a failure at 11,341 by its own
	// count.
	SlackMessage = Limit{N: 12_000, Count: UTF16}
	// SlackAppend is the text of one append to a native stream (documented).
	SlackAppend = Limit{N: 12_000, Count: UTF16}
	// DiscordContent is the content of a message (documented; code points by
	// the word of Discord's staff).
	DiscordContent = Limit{N: 2000, Count: Runes}
)

// maxInput is the longest Markdown that is parsed, in bytes. What is longer comes
// out as escaped text: no answer is that long, and nothing of it is lost.
const maxInput = 1 << 20

// Render prints Markdown in a dialect. The result has no blank lines at its ends,
// no more than one between blocks, and, whatever the input, balanced fences and no
// token that can notify. On Slack every raw < begins a link that was built here.
// It takes time linear in the input.
func Render(d Dialect, markdown string) string {
	p := newPrinter(d, []byte(clean(markdown)))
	if len(markdown) > maxInput {
		p.unparsed()
	} else {
		p.blocks(parse(p.src))
	}
	return p.finish()
}

// clean replaces what is no text: NUL and bytes that are no UTF-8.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
