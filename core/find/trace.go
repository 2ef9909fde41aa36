package find

import "github.com/footnote-bot/footnote/core"

// Trace tells afterwards how a search was made. It holds queries, names and
// numbers, and no text of documents.
type Trace struct {
	Unplanned string       `json:"unplanned,omitempty"` // why there is no plan, of a turn's first search
	Queries   []TraceQuery `json:"queries,omitempty"`   // heaviest first
	Sources   []string     `json:"sources,omitempty"`   // that the plan narrowed it to
	From      string       `json:"from,omitempty"`      // first day of the plan's window
	To        string       `json:"to,omitempty"`        // last day
	Created   bool         `json:"created,omitempty"`   // the window is of creation
	Authors   []string     `json:"authors,omitempty"`   // whose documents came first

	WordsOnly  string         `json:"words_only,omitempty"` // why vectors that there should be did not count
	Unranked   string         `json:"unranked,omitempty"`   // why a reranker that there is did not count
	Candidates int            `json:"candidates"`           // passages found
	Unselected string         `json:"unselected,omitempty"`
	Sections   []TraceSection `json:"sections,omitempty"` // in their order
	Room       int            `json:"room"`               // tokens for the result
	Used       int            `json:"used"`               // tokens of it
	PlanMS     float64        `json:"plan_ms,omitempty"`
	SearchMS   float64        `json:"search_ms"`
	SelectMS   float64        `json:"select_ms,omitempty"`
	ReadMS     float64        `json:"read_ms,omitempty"` // what stands around
}

// TraceQuery is one way in which it was asked.
type TraceQuery struct {
	Text     string  `json:"text"`
	Weight   float64 `json:"weight"`
	Keywords bool    `json:"keywords,omitempty"`
}

// TraceSection is what became of one section.
type TraceSection struct {
	Document string         `json:"document"`
	Passage  core.PassageID `json:"passage"` // its best one
	Passages int            `json:"passages"`
	Verdict  string         `json:"verdict,omitempty"` // of the selection: keep or drop; "" without one
	Extent   string         `json:"extent,omitempty"`
	Left     string         `json:"left,omitempty"` // why it is not in the result
}
