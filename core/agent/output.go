package agent

import (
	"slices"
	"strings"
	"sync"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/cite"
)

// output is where everything visible goes: it keeps events in one line, passes
// the model's text through the citation writer and remembers what was shown.
type output struct {
	mu     sync.Mutex
	emit   func(core.Event)
	closed bool // the citation writer is closed

	audience core.Audience
	schemes  []string
	writer   *cite.Writer
	live     *cite.Live
	given    map[int]given // by number, as the model saw it
	shown    []citation    // in the order of display
	hidden   []int         // numbers of which a citation was deleted
	visible  strings.Builder
	fresh    bool // nothing of this cycle is written yet
}

// given is one passage in the model's context.
type given struct {
	number int
	result core.Result
}

// citation is one document that the answer shows.
type citation struct {
	display int
	given   given
}

func newOutput(emit func(core.Event), audience core.Audience, schemes []string) *output {
	o := &output{emit: emit, audience: audience, schemes: schemes, given: map[int]given{}}
	o.live = cite.NewLive(o.reveal)
	o.writer = cite.NewWriter(cite.Options{
		Mode: cite.Hyperlink, Renumber: true, Schemes: schemes,
		Text:    o.live.Write,
		Cited:   func(display, number int) { o.cite(display, o.given[number]) },
		Deleted: func(number int) { o.hidden = append(o.hidden, number) },
	})
	return o
}

// event hands one event out. It may be called from several goroutines.
func (o *output) event(e core.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.emit(e)
}

// give makes a passage citable. The first passage of a document is the one that
// its citation points at: results come most relevant first.
func (o *output) give(g given) {
	if _, known := o.given[g.number]; known {
		if o.audience.ShowOf(g.result.Document) == core.ShowLink {
			o.live.AllowIn(g.result.Text())
		}
		return
	}
	o.given[g.number] = g
	o.writer.AddSource(g.number, o.source(g.result))
}

func (o *output) source(r core.Result) cite.Source {
	s := cite.Source{
		Document: r.Document.ID, Title: r.Document.Title, URL: r.Document.URL,
		Show: o.audience.ShowOf(r.Document),
	}
	if s.Show == core.ShowLink {
		o.live.Allow(opens(r.Document, r.Passage))
		o.live.Allow(core.ShareableURL(r.Document.URL))
		o.live.AllowIn(r.Text())
		// Where there is no link, the plain address is what must not appear.
		s.URL = opens(r.Document, r.Passage)
	}
	return s
}

// write takes a piece of the model's text.
func (o *output) write(delta string) {
	if o.fresh {
		if delta = strings.TrimLeft(delta, " \t\r\n"); delta == "" {
			return
		}
		o.fresh = false
		if o.text() != "" {
			delta = "\n\n" + delta
		}
	}
	o.writer.Write(delta)
}

// paragraph parts what comes next from the text so far, if there is any. Blanks
// at the start of a reply are left out.
func (o *output) paragraph() { o.fresh = true }

// finish lets out what the citation writer still holds.
func (o *output) finish() {
	if !o.closed {
		o.closed = true
		o.writer.Close()
		o.live.Close()
	}
}

// show writes text of our own making or of documents, apart from the model's.
func (o *output) show(text string) {
	o.live.Write(text)
	o.live.Close()
}

// reveal is the end of the line for text: it is seen by the reader.
func (o *output) reveal(delta string) {
	o.visible.WriteString(delta)
	o.event(core.TextDelta{Delta: delta})
}

// cite announces a citation, before the text that shows it.
func (o *output) cite(display int, g given) {
	o.shown = append(o.shown, citation{display, g})
	c := o.public(display, g)
	o.event(core.Cited{Number: c.Number, DocumentID: c.DocumentID, Passage: g.result.Passage.ID, URL: c.URL})
}

// public is a citation as far as the audience may see it.
func (o *output) public(display int, g given) core.Citation {
	c := core.Citation{Number: display, Passage: g.result.Passage.Text, PassageID: g.result.Passage.ID}
	d := g.result.Document
	if o.audience.ShowOf(d) == core.ShowLink {
		c.DocumentID, c.URL = d.ID, opens(d, g.result.Passage)
	}
	if o.audience.TitleOf(d) {
		c.Title, c.Page, c.Updated = d.Title, g.result.Passage.Page, d.Updated.UTC()
	}
	return c
}

// citations lists what the answer shows, by display number. It is never nil.
func (o *output) citations() []core.Citation {
	out := make([]core.Citation, 0, len(o.shown))
	for _, c := range o.shown {
		out = append(out, o.public(c.display, c.given))
	}
	slices.SortStableFunc(out, func(a, b core.Citation) int { return a.Number - b.Number })
	return out
}

func (o *output) text() string { return strings.TrimSpace(o.visible.String()) }

// marker writes the citation of a quote as the citation writer would write it
// in the model's text: a link, a number or nothing. The first citation of a
// document takes the next number.
func (o *output) marker(r core.Result) string {
	display := len(o.shown) + 1
	known := false
	for _, c := range o.shown {
		if c.given.result.Document.ID == r.Document.ID {
			display, known = c.display, true
		}
	}
	var b strings.Builder
	w := cite.NewWriter(cite.Options{
		Mode: cite.Hyperlink, Schemes: o.schemes,
		Text: func(s string) { b.WriteString(s) },
		Cited: func(display, number int) {
			if !known {
				o.cite(display, given{number, r})
			}
		},
		Deleted: func(number int) { o.hidden = append(o.hidden, number) },
	})
	w.AddSource(display, o.source(r))
	w.Write("[" + itoa(display) + "]")
	w.Close()
	return b.String()
}
