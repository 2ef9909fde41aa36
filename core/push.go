package core

// Push is documents that somebody brings, instead of a connector that fetches them.
type Push struct {
	// Changes are upserts and removals, of each document one at most. An upsert's
	// files lie in Files.
	Changes []Change
	Files   map[string][]byte // by FileRef.Ref
	// Complete says that the upserts are all there is: what else is stored of the
	// source is gone. Many such deletions are held, as after a listing.
	Complete      bool
	AcceptDeletes bool // let them through however many they are
	// Partial says that some of what was brought was refused, so that it is not
	// known of every document who may read it now.
	Partial bool
}

// PushOutcome is what became of one pushed document.
type PushOutcome string

const (
	PushWritten   PushOutcome = "written"        // new, or with new content
	PushAccess    PushOutcome = "access_changed" // only readers or metadata were others
	PushUnchanged PushOutcome = "unchanged"
	PushDeleted   PushOutcome = "deleted"
	PushAbsent    PushOutcome = "absent"  // it was to be deleted and is not there
	PushFailed    PushOutcome = "failed"  // its content could not be read; an older version stays
	PushRefused   PushOutcome = "refused" // it is not as documents have to be; nothing was done
)

// PushedDocument is one document's outcome, with the reason where it is not good.
// Of one that was written a part may be missing; then there is a reason as well.
type PushedDocument struct {
	Outcome PushOutcome
	Kind    Kind
	Reason  string
}

// Pushed says what a push did. All of it is committed and can be searched.
type Pushed struct {
	Documents map[string]PushedDocument // by external id, of those that were named
	Removed   int                       // deleted in all
	Held      int                       // deletions that wait for the owner's word
	Notes     []string                  // sentences for the owner
}
