package adminpages

import "time"

// QuestionQuery narrows a list of questions.
type QuestionQuery struct {
	Since, Until time.Time
	Outcome      string
	Place        string
}

// QuestionRow is a question in a list. Of one that was asked in private Text is
// empty.
type QuestionRow struct {
	TurnID   ID
	At       time.Time
	Text     string
	Private  bool
	Place    string
	Class    string
	Outcome  string
	Took     string
	Cost     string
	Up, Down int
	Help     int
}

// Explanation is why an answer is what it is.
type Explanation struct {
	QuestionRow
	Question Long // empty where it may not be shown
	Revealed bool
	Asker    string
	Agent    string
	Mode     string
	Scope    []string
	Bypass   bool
	Sources  []string // the agent's, where they narrow
	Summary  string
	Tools    []ToolRun
	Models   []ModelCall
	Shown    []Shown
	Deleted  int
	Errors   []string
	NoTrace  string // why there is no trace
}

// ToolRun is one run of a tool.
type ToolRun struct {
	Name       string
	Cycle      int
	Merged     int
	MS         float64
	Arguments  Long // empty where they may not be shown
	Queries    []string
	Steps      []string // how it was searched
	Note       string
	Failed     string
	Candidates []Candidate
}

// Candidate is one passage that a tool brought.
type Candidate struct {
	Document ID
	Passage  int64
	Score    float64
	Coverage int // percent
	Quoted   bool
}

// ModelCall is one call of a model.
type ModelCall struct {
	Model       string
	Purpose     string
	Sections    []Section
	In, Out     int
	FirstMS, MS float64
	Attempts    int
	Calls       int
	Finish      string
	Cost        string
	Error       Long
}

// Section is one part of a context.
type Section struct {
	Name            string
	Tokens, Dropped int
}

// Shown is a citation of the answer.
type Shown struct {
	Number   int
	Document ID
	Passage  int64
}

// GapsPage is what the documents do not tell.
type GapsPage struct {
	Asked   int
	Gaps    int
	Hidden  int // asked in private
	Reasons []Count
	Groups  []GapGroup
}

// GapGroup is questions that share rare words.
type GapGroup struct {
	Terms     []string
	N         int
	Reasons   []Count
	Questions []QuestionRow
}

// FeedbackPage is what people think of answers.
type FeedbackPage struct {
	Up, Down int
	Votes    []VoteRow
	Help     []HelpRow
	Hidden   []DocumentRow // documents that people took out of search
}

// VoteRow is one vote. A reason that was given to a private answer is not in it.
type VoteRow struct {
	At     time.Time
	Who    string
	Up     bool
	Reason string
	QuestionRow
}

// HelpRow is a call for a person.
type HelpRow struct {
	Opened   time.Time
	Resolved time.Time // zero while it is open
	By       string
	QuestionRow
}

// UsagePage is what Footnote was used for.
type UsagePage struct {
	Days     []UsageDay // one each day, oldest first
	Models   []ModelRow
	Reading  []ReadingRow // what of that reading documents used
	Total    UsageDay
	Priced   bool
	Unpriced int // calls whose price is not known
	ByWay    []Count
	ByPlace  []Count // by platform
}

// UsageDay is one day (UTC).
type UsageDay struct {
	Day       string
	Questions int
	Gaps      int // unanswered, or without a source
	Failed    int
	Tokens    int
	Cost      float64
	MeanMS    int64
}

// ReadingRow is what reading documents used one model for.
type ReadingRow struct {
	Purpose, Model string
	Calls, Tokens  int
	Cost           float64
	UnpricedOnly   bool
}

// ModelRow is what one model was used for.
type ModelRow struct {
	Model        string
	Calls        int
	Failed       int
	In, Out      int
	Cost         float64
	UnpricedOnly bool
}
