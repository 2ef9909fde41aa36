package find

import (
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Plan is what a model made of a question before its first search. Every part may
// be missing by itself; the zero value changes nothing.
type Plan struct {
	Rewrite  string   // the question, complete without the conversation; "" if none
	Keywords []string // at most three
	Scope    Scope
	Window   Window
	Authors  []string // whose documents come first; nil if the question names nobody
}

// Scope names where the question wants to have searched. Nil names are no
// directive; it is never empty otherwise.
type Scope struct {
	Names   []string // as the asker wrote them
	InOrder bool     // one after the other, a search each
}

// On tells whether there is a directive.
func (s Scope) On() bool { return len(s.Names) > 0 }

// Window is when the documents were written that the question wants. It is off
// where its range is.
type Window struct {
	Created bool // the range is of creation, not of the last change
	Range   core.Range
}

// narrow gives the filter inside the window. A window that leaves no time of what
// the filter has already is dropped; false then, and where there is none.
func (w Window) narrow(f core.Filter) (core.Filter, bool) {
	if !w.Range.On() {
		return f, false
	}
	into := &f.Updated
	if w.Created {
		into = &f.Created
	}
	both := into.Within(w.Range)
	if !both.From.IsZero() && !both.To.IsZero() && both.From.After(both.To) {
		return f, false
	}
	*into = both
	return f, true
}

// Wording is one way to ask, with its vote.
type Wording struct {
	Text   string
	Weight float64
	// Keywords is set for words to look up, which are no sentence.
	Keywords bool
}

// The votes of the ways to ask.
const (
	rewriteWeight = 1.3
	keywordWeight = 1.0
	modelWeight   = 0.7 // each query of the answering model
	messageWeight = 0.5 // the asker's own words
)

// wordings are all ways to ask, those that the plan made first. Keywords and
// sentences are groups of their own: what occurs twice in one has both votes.
func wordings(p Plan, queries []string, message string) []Wording {
	var keywords, sentences group
	for _, text := range p.Keywords {
		keywords.add(text, keywordWeight)
	}
	sentences.add(p.Rewrite, rewriteWeight)
	for _, text := range queries {
		sentences.add(text, modelWeight)
	}
	sentences.add(message, messageWeight)
	for i := range keywords.list {
		keywords.list[i].Keywords = true
	}
	return append(sentences.list, keywords.list...)
}

// weighed is what the index is asked.
func (q Query) weighed() []weighted {
	if q.Wordings == nil {
		return weigh(q.Queries)
	}
	var out []weighted
	for _, w := range q.Wordings {
		if folded(w.Text) != "" {
			out = append(out, weighted{text: w.Text, weight: w.Weight})
		}
	}
	return out
}

// group is wordings of one kind; those that differ only in case or spaces are one.
type group struct{ list []Wording }

func (g *group) add(text string, weight float64) {
	key := folded(text)
	if key == "" {
		return
	}
	for i, w := range g.list {
		if folded(w.Text) == key {
			g.list[i].Weight += weight
			return
		}
	}
	g.list = append(g.list, Wording{Text: text, Weight: weight})
}

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// added are the plan's own queries that nobody else asked, for people and for the
// answering model, heaviest first.
func (p Plan) added(queries []string, message string) []string {
	seen := map[string]bool{"": true, folded(message): true}
	for _, q := range queries {
		seen[folded(q)] = true
	}
	var out []string
	for _, text := range append([]string{p.Rewrite}, p.Keywords...) {
		if key := folded(text); !seen[key] {
			seen[key] = true
			out = append(out, text)
		}
	}
	return out
}

// days writes the window's ends as days; "" for open ends.
func (w Window) days() (from, to string) { return day(w.Range.From), day(w.Range.To) }

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
