package core

import "time"

// AuditEntry is one line of the audit: who learned what where, or who changed
// what others may learn. It never holds text or titles of documents.
type AuditEntry struct {
	N         int64             `json:"n"` // counts up; given by the ledger
	At        time.Time         `json:"at"`
	Action    string            `json:"action"`            // one of the Audit… constants
	Actor     string            `json:"actor"`             // e-mail, account key, token name, or "operator"
	Place     string            `json:"place,omitempty"`   // id
	Class     string            `json:"class,omitempty"`   // audience class
	Scope     string            `json:"scope,omitempty"`   // hash of the principals that bound retrieval
	TurnID    string            `json:"turn_id,omitempty"` // of answers and shares
	Mode      Mode              `json:"mode,omitempty"`
	Documents []string          `json:"documents,omitempty"` // ids that were given to the model or shown
	Detail    map[string]string `json:"detail,omitempty"`    // what changed
}

// The actions of the audit.
const (
	AuditAnswer   = "answer"   // a turn ended
	AuditSearch   = "search"   // passages were shown without a turn
	AuditWithdraw = "withdraw" // a place became wider while a turn ran
	AuditShare    = "share"    // a private answer was shared, or refused
	AuditBypass   = "bypass"   // access was lifted
	AuditGrant    = "grant"    // a grant was made or taken back
	AuditIdentity = "identity" // an account was linked or unlinked
	AuditConfig   = "config"   // a collection, place, source or token changed
	AuditCurate   = "curate"   // a curator said something of a document, or hid it
	AuditExport   = "export"   // the audit itself was read or cut
	AuditLook     = "look"     // who runs Footnote read what was asked in private
)
