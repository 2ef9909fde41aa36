package situate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// inputs makes what the model is given for each passage of a document: the whole
// document where there is room, else its headings and the part around the passage.
// All of it is JSON, so that nothing in a document can end it.
type inputs struct {
	document core.ContextDocument
	room     int
	sizes    []int  // of the passages
	whole    string // the document's part, the same for all passages; "" if it is too long
	outline  []string
	around   int // room for the part around a passage
}

// shownDocument is a document as the model sees it.
type shownDocument struct {
	Title    string   `json:"title,omitempty"`
	Headings []string `json:"headings,omitempty"`
	Text     string   `json:"text"`
}

type shownPassage struct {
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
}

func newInputs(d core.ContextDocument, room int) *inputs {
	// Not the model's own counter: it learns, and the same document is to be asked about
	// in the same words.
	count := model.NewCounter().Count
	in := &inputs{document: d, room: room, sizes: make([]int, len(d.Passages))}
	all := 0
	for i, p := range d.Passages {
		in.sizes[i] = count(p.Heading) + count(p.Text)
		all += in.sizes[i]
	}
	if all <= room {
		in.whole = prompts.ContextDocument(asJSON(shownDocument{Title: d.Title, Text: textOf(d.Passages)}), false)
		return in
	}
	size := 0
	for _, p := range d.Passages {
		if p.Heading == "" || slices.Contains(in.outline, p.Heading) {
			continue
		}
		if size += count(p.Heading); size > room/4 {
			break
		}
		in.outline = append(in.outline, p.Heading)
	}
	in.around = room - min(size, room/4)
	return in
}

// of is the input for the passage.
func (in *inputs) of(i int) string {
	p := in.document.Passages[i]
	document := in.whole
	if document == "" {
		from, to := in.part(i)
		document = prompts.ContextDocument(asJSON(shownDocument{
			Title: in.document.Title, Headings: in.outline, Text: textOf(in.document.Passages[from:to]),
		}), true)
	}
	return document + "\n\n" + prompts.ContextPassage(asJSON(shownPassage{p.Heading, p.Text}))
}

// part is the passages around one that there is room for, as many before as behind it
// where it can be.
func (in *inputs) part(i int) (from, to int) {
	from, to = i, i+1
	for left := in.around - in.sizes[i]; ; {
		grown := false
		if from > 0 && in.sizes[from-1] <= left {
			from--
			left, grown = left-in.sizes[from], true
		}
		if to < len(in.sizes) && in.sizes[to] <= left {
			left, grown = left-in.sizes[to], true
			to++
		}
		if !grown {
			return from, to
		}
	}
}

// textOf writes passages one after the other, each new heading path before its first.
func textOf(passages []core.Passage) string {
	var b strings.Builder
	heading := ""
	for _, p := range passages {
		if p.Heading != heading && p.Heading != "" {
			b.WriteString("# " + p.Heading + "\n\n")
		}
		heading = p.Heading
		b.WriteString(p.Text + "\n\n")
	}
	return strings.TrimSpace(b.String())
}

func asJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts only
	return strings.TrimSpace(b.String())
}
