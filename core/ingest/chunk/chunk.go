// Package chunk cuts a document's blocks into passages: pieces of about one
// size that follow the document's own structure, so that a passage can be found,
// read and quoted on its own. Everything here is a pure function.
package chunk

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

// Options bound the passages. Zero fields take the defaults.
type Options struct {
	Tokens   int // most estimated tokens in a passage; default 512, at least 32
	Passages int // most passages of one document; default 5,000
	// Dropped is called once if there were more passages than Passages, with
	// how many were left out. Callers show that to the owner of the document.
	Dropped func(passages int)
}

func (o Options) withDefaults() Options {
	if o.Tokens <= 0 {
		o.Tokens = 512
	}
	o.Tokens = max(o.Tokens, 32)
	if o.Passages <= 0 {
		o.Passages = 5000
	}
	return o
}

// Split cuts the content into passages with ordinal, heading path, page,
// anchor and text. The title is not repeated in heading paths. What sums up a long
// sheet stands apart from its rows, which repeat their columns; source code has the
// symbols that it declares behind its path; what is left of a long chat message
// repeats the message's link. A document without text
// becomes one passage that holds the title; without either there are none.
// Passages do not overlap, and no text is lost but what Options.Passages cuts.
func Split(title string, c extract.Content, o Options) []core.Passage {
	o = o.withDefaults()
	limit := o.Tokens * unitsPerToken
	var out []core.Passage
	for _, p := range pack(sections(title, c.Blocks, limit), limit) {
		if text := p.text(); text != "" {
			out = append(out, core.Passage{
				Ordinal: len(out), Heading: p.heading(), Page: p.page(), Anchor: p.parts[0].anchor, Text: text,
			})
		}
	}
	if isSource(c.Blocks) {
		nameSymbols(out)
	}
	if title = strings.TrimSpace(title); len(out) == 0 && title != "" {
		out = append(out, core.Passage{Text: title})
	}
	if over := len(out) - o.Passages; over > 0 {
		out = out[:o.Passages:o.Passages]
		if o.Dropped != nil {
			o.Dropped(over)
		}
	}
	return out
}
