package core

// Cursor is a connector's opaque note of how far it got, at most 64 KiB. Empty
// means from the beginning.
type Cursor []byte

// SyncReason tells a connector why it is asked for changes.
type SyncReason string

const (
	SyncFirst   SyncReason = "first"   // nothing is stored yet
	SyncPoll    SyncReason = "poll"    // changes since the cursor
	SyncRebuild SyncReason = "rebuild" // everything again, from the beginning
	SyncAccess  SyncReason = "access"  // only who may read what; connectors are never asked for it by Sync
	SyncPush    SyncReason = "push"    // somebody brings documents; connectors are never asked for it
	SyncList    SyncReason = "list"    // only what is gone; connectors are never asked for it by Sync
)

// Change is one event of a sync stream: Upsert, Removal, Failure, Checkpoint or
// Note. Changes are delivered at least once and in any order between documents.
type Change interface{ change() }

// Upsert brings a new or changed document.
type Upsert struct {
	Document Document
	// HostAccess is set where the connector states no access of its own and
	// leaves it to the source's Access.
	HostAccess bool
	// Failed is set where the content could not be read: then body and files mean
	// nothing, and a stored version keeps its own while the rest, access above
	// all, takes effect.
	Failed *Failure
}

// Removal says that a document no longer exists.
type Removal struct{ ExternalID string }

// Failure says that one document could not be read. The sync goes on.
type Failure struct {
	ExternalID string
	Title      string
	Kind       Kind
	Detail     string
	// Folder is set where nothing in a folder (see Document.Folders) could be
	// looked at: nobody may read what is stored of it until it is sent again.
	Folder string
}

// Checkpoint covers every change sent before it: once it is committed, a later
// sync starts from its cursor.
type Checkpoint struct{ Cursor Cursor }

// Note is a sentence for the owner, shown in the source's status.
type Note struct{ Text string }

func (Upsert) change()     {}
func (Removal) change()    {}
func (Failure) change()    {}
func (Checkpoint) change() {}
func (Note) change()       {}
