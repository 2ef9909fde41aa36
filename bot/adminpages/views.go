package adminpages

import "time"

// ID is text that goes back to Footnote as it is, such as a document's id. All other
// text is cleaned before it is shown.
type ID string

// Long is text that may be shown at more than a line's length.
type Long string

// Session is somebody who is signed in.
type Session struct {
	ID            string
	Who           string
	Created, Seen time.Time
	Expires       time.Time
}

// Check is one thing that was looked at.
type Check struct {
	Name    string
	Outcome string // ok, warning, failed, unknown
	Detail  Long
	Fix     Long
}

// Overview is how everything is doing.
type Overview struct {
	Version   string
	Started   time.Time
	Documents int
	Passages  int
	Backlog   int // documents that search cannot find yet in their newest version
	Sources   []SourceRow
	Today     []Count // questions of today (UTC) by outcome
	Questions int
	Cost      float64 // of today
	Unpriced  bool    // some of today's calls have no known price
	Priced    bool    // some have
	Checks    []Check
	Platforms []Check
}

// Count is a number with its name.
type Count struct {
	Name string
	N    int
}

// SourceRow is a source in a list.
type SourceRow struct {
	Name       string
	Connector  string
	From       string
	Documents  int
	NotIndexed int
	Failed     int
	Held       int
	State      string // how it stands: ok, warning, failed, unknown
	LastSync   string // in words
	Process    string // of the connector, in words
	Running    bool
	Every      string
}

// SourcePage is everything about a source.
type SourcePage struct {
	SourceRow
	Pushed   bool // documents are brought to it; nothing reads it
	Access   string
	Show     string
	MaxAge   string
	Config   Long // without secrets
	Progress *Run // of the sync that runs now
	Runs     []Run
	Failures []Failure
	Crashes  int
	Error    Long // of the connector, where it rests
	Gone     bool // no longer listed in the file
}

// Run is one sync.
type Run struct {
	Reason                                             string
	Started                                            time.Time
	Took                                               string
	Running                                            bool
	Seen, Changed, Written, Removed, Held, Failed, Acc int
	Error                                              Long
	Notes                                              []string
}

// Failure is a document that could not be read.
type Failure struct {
	Document string
	Title    string
	Kind     string
	Detail   Long
	Tries    int
	Last     time.Time
}

// SyncKind is how a source is to be read.
type SyncKind string

const (
	SyncNow    SyncKind = "now"    // what changed
	SyncFull   SyncKind = "full"   // everything, and failed documents again
	SyncAccept SyncKind = "accept" // letting held deletions through
)

// DocumentQuery looks for documents. What is empty does not narrow.
type DocumentQuery struct {
	Words  string // all of them are in the title or the id
	Source string
	Hidden bool // only those that are hidden
	From   int  // how many to leave out
}

// DocumentList is a page of documents.
type DocumentList struct {
	Documents []DocumentRow
	More      bool
	Sources   []string
}

// DocumentRow is a document in a list.
type DocumentRow struct {
	ID      ID
	Title   string
	Source  string
	Readers string // in words
	Updated time.Time
	Hidden  bool
}

// DocumentPage is everything about a document but its text.
type DocumentPage struct {
	DocumentRow
	URL      string
	Kind     string
	Passages int
	Stated   []string // who may read it, as its source said
	Now      []string // who of them still counts
	Stale    bool     // stated access is too old to count in full
	HiddenBy string   // where a person hid it
	Used     []QuestionRow
}

// Why is why a person finds a document, or does not.
type Why struct {
	As, Place, Class string
	Found            bool
	Text             Long
	Through          []string
	Shown            string
	Notes            []string
}

// AuditQuery narrows the audit; what is empty does not.
type AuditQuery struct {
	Since, Until time.Time
	Actor        string
	Place        string
	Document     string
	Action       string
	Turn         string
	Before       int64 // entries with a lower number only
}

// SettingsPage is what may be changed.
type SettingsPage struct {
	Agents   []AgentRow
	Places   []PlaceRow
	Modes    []string
	Sessions []Session
	Read     []Check // what is set in the file, to read only
}

// AgentRow is an agent.
type AgentRow struct {
	Name         string
	From         string
	Instructions Long
	Model        string
	Language     string
	ForceSearch  bool
	Fixed        bool // listed in the file
}

// PlaceRow is a place with the settings that its managers may change.
type PlaceRow struct {
	ID    ID
	Name  string
	Class string
	Mode  string
	Agent string
	Fixed bool // listed in the file
}
