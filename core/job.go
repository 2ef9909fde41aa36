package core

import "time"

// JobKind is what is done with a source again and again.
type JobKind string

const (
	JobSync   JobKind = "sync"   // reads what changed, and first who may read what
	JobList   JobKind = "list"   // finds out what is gone
	JobAccess JobKind = "access" // reads only who may read what
)

// Job is one kind of work on one source, as the ledger keeps it between runs.
type Job struct {
	Source string
	Kind   JobKind
	Due    time.Time // zero: at once
	// Owner is the process that runs it, "" if none does. After LeaseUntil nobody
	// does, whatever Owner says.
	Owner      string
	LeaseUntil time.Time
	Started    time.Time // of the newest run; zero if there was none
	Ended      time.Time // zero while it runs
	Succeeded  time.Time // when the newest run that ended well began
	Attempts   int       // failures in a row
	ErrorKind  Kind      // of the newest run; "" if it ended well
	Error      string    // the sentence for people
	Progress   SyncProgress
}

// SyncProgress is how far a run got. Everything in it was counted.
type SyncProgress struct {
	SyncCounts
	Fetched    int       `json:"fetched"`             // documents that arrived from the connector
	Pending    int       `json:"pending"`             // of these, not yet decided on
	Checkpoint time.Time `json:"checkpoint,omitzero"` // when the cursor was last committed in this run
}
