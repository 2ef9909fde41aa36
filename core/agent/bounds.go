package agent

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

const (
	mostCalls       = 32        // of one reply that are run
	longestCall     = 16 << 10  // of one call's arguments, in bytes
	longestID       = 128       // of a call, in bytes
	longestPreamble = 4 << 10   // of what is said before calls, as later cycles read it, in bytes
	leastLongest    = 256 << 10 // of what the model may say in one cycle, in bytes, where its limit is small
	bytesPerToken   = 16        // more than any language takes
)

// errTooMuch ends a reply that does not end by itself.
var errTooMuch = core.Errorf(core.KindTooLarge, "The language model said more than its length limit allows.")

// longestReply is how much text one model call may bring, in bytes; thoughts may
// be four times as long. The limit in
// tokens is the server's to keep; this is for servers that do not.
func longestReply(maxOutput int) int { return max(leastLongest, maxOutput*bytesPerToken) }

// boundedCalls makes the calls of a reply fit to be run and to be shown to the
// model again: names that every server takes, and no more calls than a context
// has room for, in tokens. It reports which of them are too long to be run, and
// how many were left out at the end.
func boundedCalls(calls []model.ToolCall, room int) (kept []model.ToolCall, tooLong []bool, left int) {
	for i, c := range calls {
		long := len(c.Arguments) > longestCall
		if long {
			c.Arguments = "{}"
		}
		if c.Name = cleanName(c.Name); c.Name == "" {
			c.Name = "unnamed"
		}
		if len(c.ID) > longestID {
			c.ID = "" // it gets one of ours
		}
		// The call, and the least result that is worth showing.
		room -= 2*perMessage + 2*tokens(c.ID) + tokens(c.Name) + tokens(c.Arguments) + leastShare
		if i > 0 && (i >= mostCalls || room < 0) {
			return kept, tooLong, len(calls) - i
		}
		if room < 0 {
			c.Arguments, long = "{}", true
		}
		kept, tooLong = append(kept, c), append(tooLong, long)
	}
	return kept, tooLong, 0
}

// preamble is what stands before calls, as later cycles read it.
func preamble(text string) string {
	return strings.ToValidUTF8(clip(text, longestPreamble), "\uFFFD")
}
