package core

import "time"

// Question is everything a turn starts from.
type Question struct {
	TurnID  string // given to the turn; the agent makes one if it is empty
	Text    string
	Context []Said       // what the platform's thread says before the question, oldest first
	Files   []Attachment // that came with the question
	// Parent is the turn that the question follows; "" means the last of
	// History, or that it is the first. Two turns with one parent are branches.
	Parent string
	// History is earlier turns of the branch that this audience may know, oldest
	// first. Where it is nil and Parent is set, the ledger is asked.
	History     []Turn
	Agent       Agent // the zero value is the default agent
	ForceSearch bool  // search before anything is answered, as Agent.ForceSearch
	// Collections that the asker narrowed the search to; nil = off, empty = nothing.
	Collections []Collection
	Narrow      Narrow // what its own operators ask for
	Viewer      Viewer
	Place       Place
	Audience    Audience
	Asked       time.Time
	Quota       *QuotaStop // set where no model may be asked: the answer is made of quotes
}

// QuotaStop says which limit of the owner's is reached.
type QuotaStop struct {
	Who   string    // what the limit is for: user, channel, model or all
	Until time.Time // from then on models are asked again
}

// Said is a message of a thread that no turn was made of.
type Said struct {
	Author string // as the platform shows them; may be empty
	Text   string
}

// Attachment is a file that came with a question, as text or as an image.
type Attachment struct {
	Name      string
	Text      string // of a text file, or what was extracted
	MediaType string // of Data
	Data      []byte // of an image; empty for all other files
}

// Agent is a named set of instructions, model, tools and knowledge. In its
// texts {asker}, {place} and {date} are filled in; other words in braces stay.
type Agent struct {
	Name          string // "" for the default
	Instructions  string
	ReplacePrompt bool     // Instructions are the whole system prompt
	Reminder      string   // repeated in every cycle
	Model         string   // "" means the default
	Tools         []string // by name: nil = all, empty = none
	Sources       []string // that it knows, by name: nil = all, empty = none
	ForceSearch   bool     // search before anything is answered
	Language      string   // to answer in, by name or ISO 639-1; "" means that of the question
	Starters      []string // questions to offer
}

// Mode says how an answer came about.
type Mode string

const (
	ModeModel  Mode = "model"  // written by a model from retrieved passages
	ModeQuotes Mode = "quotes" // the best passages, quoted word for word
)

// Citation points from an answer at the passage that supports it. Title, age and URL
// are empty where the audience may not see them.
type Citation struct {
	Number     int    `json:"number"`
	Title      string `json:"title,omitempty"`
	URL        string `json:"url,omitempty"`
	DocumentID string `json:"document_id,omitempty"`
	Passage    string `json:"passage"` // the passage's text
	Page       int    `json:"page,omitempty"`
	// Updated is when the document was last changed, as it was known when it was
	// cited; zero where that is not known or its title may not be shown.
	Updated time.Time `json:"updated_at,omitzero"`

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
	Account  string      // see Viewer.Account
	Agent    string      // name, "" for the default
	Question string
	Answer   Answer
	Calls    []TurnCall // what its tools were asked, without their results
	Used     []string   // ids of all documents that the model was given, cited or not
	Started  time.Time
	Trace    []byte // JSON: queries, candidates, model calls, timings
}

// TurnCall is a tool call of an earlier turn.
type TurnCall struct {
	Cycle     int    `json:"cycle"` // the model call that asked for it, from 1
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // one JSON object, as it was run
}

// Summary stands for the older turns of a branch where they no longer fit. It
// is bound by the strictest of what it covers, as if it were a turn.
type Summary struct {
	ID      string
	Thread  string
	Last    string   // the newest turn that it covers: it belongs to every branch that goes through it
	Covers  []string // all turns that it covers, by id
	Text    string
	Class   string      // see Turn.Class
	Scope   []Principal // see Turn.Scope
	Asker   string      // whose direct turns it covers, if any
	Created time.Time
}
