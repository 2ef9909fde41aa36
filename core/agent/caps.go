package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

// capped bounds what one result may bring, in documents and in bytes of text,
// before anything is counted or written. What is left out stands in the note.
func capped(r Result, documents, bytes int) Result {
	left := 0
	if len(r.Documents) > documents {
		left = len(r.Documents) - documents
		r.Documents = r.Documents[:documents]
	}
	used := 0
	for i, d := range r.Documents {
		if used >= bytes {
			left += len(r.Documents) - i
			r.Documents = r.Documents[:i]
			break
		}
		text := d.Text()
		if room := bytes - used; len(text) > room {
			// The list is the tool's own: it is copied before it is changed.
			r.Documents = append([]core.Result{}, r.Documents...)
			text = clip(d.Passage.Text, room)
			r.Documents[i].Passage.Text, r.Documents[i].Section = text, nil
		}
		used += len(text)
	}
	if left > 0 {
		r.Note = joined(r.Note, prompts.TooMany(left))
	}
	if len(r.Text) > bytes {
		r.Text = clip(r.Text, bytes) + "\n" + prompts.Clipped(bytes)
	}
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	return r
}

// clip cuts a text to a number of bytes, between letters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
