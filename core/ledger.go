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
	Untold  bool // the connector did not tell its readers either
}

// Batch is changes of one source that become true in one transaction, in the
// order of the fields.
type Batch struct {
	Source string
	Closed []string // folders of which nobody may read anything until it comes again
	// Unsettled are folders in which a document was stated to have other readers than
	// those told of the folder: the next account gives them to all that lies in it.
	Unsettled []string
	Removed   []string // external ids; their failures are forgotten too
	Facts     []Entry  // everything but content of documents that are stored already
	Content   []Entry  // whole documents, new or replaced; their failures are forgotten
	Failures  []FailedRead
	Cursor    *Cursor // nil leaves it as it is
	Held      *int    // deletions that wait for the owner's word; nil leaves it as it is
	// AccessChecked is set once the connector told, at that time or later, who may
	// read each stored document, unless that did not change.
	AccessChecked *time.Time
}

// AccessBatch is part of a pass in which a source tells who may read what, apart
// from its documents. All of it becomes true in one transaction.
type AccessBatch struct {
	Source  string
	Pass    int64           // of AccessState
	Folders []FolderReaders // before Readers; of each folder one at most
	// FoldersWhole closes the folders that the pass has not named, with this batch.
	FoldersWhole bool
	Readers      []Readers      // of each document one at most; those that are not stored are skipped
	Groups       []GroupMembers // of each name one at most
	Gone         []string       // names of groups that are no more, as the source writes them
	Cursor       *Cursor        // nil leaves it as it is
	// Whole ends the pass; nil goes on with it. What the source has not named in
	// an account that it told from the beginning is gone: groups, and the readers
	// of documents where it named any document at all.
	Whole *AccessWhole
}

// AccessState is where a pass starts from.
type AccessState struct {
	Pass   int64
	Cursor Cursor // empty for a pass from the beginning
}

// AccessCounts says what an AccessBatch did.
type AccessCounts struct {
	Documents int // whose readers are others now
	Groups    int // new, gone, or with other members
	Closed    int // of the documents: not named by an account that told of all
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
	Groups        int `json:"groups_changed,omitempty"`
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
