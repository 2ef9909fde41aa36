package core

import "time"

// Hash is a SHA-256 sum. The zero Hash stands for "none".
type Hash [32]byte

// Known is what the ledger remembers of one document, enough to tell whether a
// change needs work.
type Known struct {
	Stored  bool // a version is in the ledger; the hashes below are its
	Content Hash // of title, body and files
	Facts   Hash // of everything else, stated access included

	Failed Hash // content that last failed to be read; zero if none did
	Tries  int  // how often it failed in a row
}

// Entry is one document on its way into the ledger.
type Entry struct {
	Document   Document // Body is not kept; Access as the connector stated it
	HostAccess bool     // Access comes from the source's row instead
	Content    Hash
	Facts      Hash
	Passages   []Passage // by ordinal; ids are given by the ledger
}

// FailedRead is a document that could not be taken in.
type FailedRead struct {
	Failure
	Content Hash // what was tried, not tried again unless asked; zero means try whenever it comes
}

// Batch is changes of one source that become true in one transaction, in the
// order of the fields.
type Batch struct {
	Source   string
	Removed  []string // external ids; their failures are forgotten too
	Facts    []Entry  // everything but content of documents that are stored already
	Content  []Entry  // whole documents, new or replaced; their failures are forgotten
	Failures []FailedRead
	Cursor   *Cursor // nil leaves it as it is
	Held     *int    // deletions that wait for the owner's word; nil leaves it as it is
}

// Backlog is what the ledger holds and the index has not confirmed yet, read at
// one instant. Marks say how far a confirmation reaches.
type Backlog struct {
	Deleted []string
	Facts   []Facts
	Content []IndexedDocument

	Marks []Mark // the ledger's own notes
}

// Mark tells which version of a document a backlog showed.
type Mark struct {
	Row            int64
	Content, Facts int64
}

// Empty tells that the index has everything.
func (b Backlog) Empty() bool {
	return len(b.Deleted) == 0 && len(b.Facts) == 0 && len(b.Content) == 0
}

// SyncCounts says what a sync did, in documents.
type SyncCounts struct {
	Seen          int `json:"seen"`           // sent by the connector
	Changed       int `json:"changed"`        // with new content
	Extracted     int `json:"extracted"`      // turned into text
	Written       int `json:"written"`        // stored with their passages
	Unchanged     int `json:"unchanged"`      // no work at all
	AccessChanged int `json:"access_changed"` // only access or metadata differed
	Removed       int `json:"removed"`
	Held          int `json:"held"`   // deletions that wait for the owner's word
	Failed        int `json:"failed"` // could not be read; see the source's failures
}

// SyncRun is one sync of one source, as the ledger keeps it.
type SyncRun struct {
	ID        int64
	Source    string
	Reason    SyncReason
	Started   time.Time
	Finished  time.Time // zero while it runs
	Counts    SyncCounts
	ErrorKind Kind   // "" if it ended well
	Error     string // the sentence for people
	Notes     []string
}

// SyncState is where a sync of a source starts from.
type SyncState struct {
	Cursor    Cursor
	Documents int // stored now
	Held      int // deletions that wait for the owner's word
}
