package agent

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/cite"
)

// withoutMarkers takes the citations out of an earlier answer: its numbers mean
// other documents in this turn.
func withoutMarkers(a core.Answer) string {
	text := cite.StripLinks(a.Text)
	for _, c := range a.Citations {
		if c.URL == "" {
			marker := "[" + itoa(c.Number) + "]"
			text = strings.ReplaceAll(strings.ReplaceAll(text, " "+marker, ""), marker, "")
		}
	}
	return text
}
