package agent

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

// shownDocument is a passage as the model sees it: the number that a citation
// must use comes first, the long text last. The model gets the address only where
// the document may be linked, and what names it only where its title may be
// shown: what it has not seen it cannot repeat.
type shownDocument struct {
	Document  int               `json:"document"`
	Title     string            `json:"title,omitempty"`
	UpdatedAt string            `json:"updated_at,omitempty"`
	Authors   []string          `json:"authors,omitempty"`
	Source    string            `json:"source,omitempty"`
	URL       string            `json:"url,omitempty"`
	Section   string            `json:"section,omitempty"`
	Page      int               `json:"page,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Content   string            `json:"content"`
}

func show(g given, audience core.Audience) shownDocument {
	d, p := g.result.Document, g.result.Passage
	out := shownDocument{Document: g.number, Content: g.result.Text()}
	if audience.ShowOf(d) == core.ShowLink {
		out.URL = core.ShareableURL(d.URL)
	}
	if !audience.TitleOf(d) {
		return out
	}
	out.Title, out.Authors, out.Source = d.Title, d.Authors, d.Source
	out.Section, out.Page, out.Metadata = p.Heading, p.Page, d.Meta
	if !d.Updated.IsZero() {
		out.UpdatedAt = d.Updated.UTC().Format(time.RFC3339)
	}
	return out
}

// documentsJSON writes the results of a call as one object, a result a line.
func documentsJSON(docs []shownDocument, note string) string {
	var b strings.Builder
	b.WriteString(`{"results":[`)
	for i, d := range docs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.WriteString(compact(d))
	}
	b.WriteString("]")
	if note != "" {
		b.WriteString(",\n\"note\":" + compact(note))
	}
	b.WriteString("}")
	return b.String()
}

var reminderTag = regexp.MustCompile(`(?i)<(\s*/?\s*` + prompts.Tag + `)`)

// compact writes JSON without escaping markup, which would only cost tokens,
// except for the tag that encloses our own reminders: no document can forge it.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `{"error":"this result cannot be written as JSON"}`
	}
	return reminderTag.ReplaceAllString(strings.TrimSpace(b.String()), `\u003c$1`)
}

// untagged defuses the tag in plain text that did not come from us: questions,
// earlier answers, summaries, what tools say.
func untagged(s string) string { return reminderTag.ReplaceAllString(s, "&lt;$1") }

// refs is what an event tells about documents: only those that may be shown,
// each once.
func refs(docs []given, audience core.Audience) []core.DocumentRef {
	out := []core.DocumentRef{}
	seen := map[int]bool{}
	for _, g := range docs {
		d := g.result.Document
		how := audience.ShowOf(d)
		if seen[g.number] || how == core.ShowNothing {
			continue
		}
		seen[g.number] = true
		ref := core.DocumentRef{Number: g.number}
		if how == core.ShowLink {
			ref.DocumentID, ref.URL = d.ID, core.ShareableURL(d.URL)
		}
		if audience.TitleOf(d) {
			ref.Title, ref.Source = d.Title, d.Source
		}
		out = append(out, ref)
	}
	return out
}
