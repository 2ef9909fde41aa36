package core

import "time"

// Question is everything a turn starts from.
type Question struct {
	Text     string
	History  []Turn // earlier turns of the thread that this audience may know, oldest first
	Viewer   Viewer
	Place    Place
	Audience Audience
	Asked    time.Time
}

// Mode says how an answer came about.
type Mode string

const (
	ModeModel  Mode = "model"  // written by a model from retrieved passages
	ModeQuotes Mode = "quotes" // the best passages, quoted word for word
)

// Citation points from an answer at the passage that supports it. Title and URL
// are empty where the audience may not see them.
type Citation struct {
	Number     int    `json:"number"`
	Title      string `json:"title,omitempty"`
	URL        string `json:"url,omitempty"`
	DocumentID string `json:"document_id,omitempty"`
	Passage    string `json:"passage"` // the passage's text
	Page       int    `json:"page,omitempty"`

	PassageID PassageID `json:"-"`
}

// Usage counts tokens as the provider reported them, summed over a turn.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Answer is the answer object that every platform and the JSON output share.
type Answer struct {
	Text      string     `json:"answer"`
	Mode      Mode       `json:"mode"`
	Citations []Citation `json:"citations"` // never nil, so that JSON shows a list
	TurnID    string     `json:"turn_id"`
	TookMS    int64      `json:"took_ms"`
	Usage     *Usage     `json:"usage,omitempty"`
	// Stopped is set when the asker cancelled or the model failed midway and
	// Text is what had arrived by then.
	Stopped bool `json:"stopped,omitempty"`
}

// Turn is one question and its final answer, as the ledger keeps it.
type Turn struct {
	ID       string
	Thread   string
	Parent   string // the turn before it in the thread; "" for the first
	Place    string
	Class    string      // audience class it was made under
	Scope    []Principal // principals it was made under
	Asker    string      // e-mail, "" if none
	Question string
	Answer   Answer
	Started  time.Time
	Trace    []byte // JSON: queries, candidates, model calls, timings
}
