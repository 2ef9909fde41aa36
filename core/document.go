package core

import (
	"encoding/json"
	"strings"
	"time"
)

// Source is one configured connection to one system.
type Source struct {
	Name      string          // unique, as the owner wrote it: lower-case letters, digits, - and _
	Connector string          // the connector program's name
	Config    json.RawMessage // the connector's own settings, one JSON object, secrets included
	Access    Access          // for documents whose connector leaves access to the host; nobody if empty
	Every     time.Duration   // how often to poll; 0 means only when asked
	Origin    Origin          // who listed it
	// Discretion holds back links or titles wherever its documents are shown.
	Discretion Discretion
	// MaxAge is how long access that the connector stated is trusted without being
	// stated again; 0 means DefaultMaxAge, more than LongestMaxAge counts as that.
	// After it only what is public or of the workspace is still served.
	MaxAge time.Duration

	// Cadences of their own; 0 means the default.
	ListEvery   time.Duration // how often everything is listed, to find out what is gone
	AccessEvery time.Duration // how often who may read what is asked for
	FreshWithin time.Duration // how old what is known may become before status says so
}

// Limits of Source.MaxAge.
const (
	DefaultMaxAge = 24 * time.Hour
	LongestMaxAge = 7 * 24 * time.Hour
)

// Origin says where a configured thing comes from. What footnote.yaml lists
// cannot be changed by command.
type Origin string

const (
	FromConfig  Origin = "config"  // listed in footnote.yaml
	FromCommand Origin = "command" // added by a command, kept in SQLite
)

// Document is one page, file, ticket or thread. Its ID is unique in the
// install: source name, a slash, the connector's own id.
type Document struct {
	ID         string // DocumentID(Source, ExternalID)
	Source     string
	ExternalID string // the connector's id, stable over time
	Title      string
	URL        string // absolute, opens the document for a person; may be empty
	Kind       string // page, file, ticket, thread, message; free text, for people
	MediaType  string // of Body: text/markdown, text/plain, text/html, text/csv, …
	Authors    []string
	Created    time.Time         // zero if unknown
	Updated    time.Time         // zero if unknown
	Meta       map[string]string // also its tags, see TagsOf
	Folders    []string          // the connector's ids of all folders or spaces it lies in, outermost first
	Access     Access
	Discretion Discretion // of its source
	Hidden     bool
	Language   string    // ISO 639-1 of the body, detected while ingesting; "" if unknown
	Body       string    // text as MediaType says; empty where only metadata was asked for
	Files      []FileRef // attachments the host may fetch
}

// MetaSupersededBy is the key of metadata by which a connector names the document
// of its own source, by the connector's id, that takes the place of this one.
const MetaSupersededBy = "superseded_by"

// Successor is the id of the document that takes this one's place, "" if none. It
// may be missing or closed to whoever reads this one.
func (d Document) Successor() string {
	next := d.Meta[MetaSupersededBy]
	if next == "" || next == d.ExternalID {
		return ""
	}
	return DocumentID(d.Source, next)
}

// DocumentID joins a source's name and a connector's id to an install-wide id.
func DocumentID(source, externalID string) string { return source + "/" + externalID }

// FileRef points at an attachment that the connector can be asked to fetch.
type FileRef struct {
	Ref       string // opaque to the host
	Name      string
	MediaType string
	Size      int64 // bytes; 0 if unknown
}

// PassageID is the ledger's number for a passage. Numbers are never reused, so
// a stale index entry cannot point at another passage.
type PassageID int64

// Passage is a piece of a document: what search returns and citations point at.
type Passage struct {
	ID       PassageID
	Document string // Document.ID
	Ordinal  int    // position in the document, from 0
	Heading  string // heading path, outermost first, joined by " › "; may be empty
	Page     int    // first page it stands on, from 1; 0 where there are no pages
	Anchor   string // fragment that opens its heading in the document's URL; "" if unknown
	Text     string // as Markdown, without title and heading path
	// Context says where it stands in its document, in a model's words. Only what
	// indexes and embeds passages is given it; it is empty everywhere else.
	Context string
}

// Result is a passage with its document, as the gate lets it out of the
// ledger. The document's Body is empty.
type Result struct {
	Document Document
	Passage  Passage // what a citation points at
	// Section is the passage with neighbours that are read with it, by ordinal, the
	// passage included; nil where it stands alone.
	Section  []Passage
	Score    float64 // comparable within one search only
	Coverage float64 // see Hit.Coverage
	// Censored is set where the source itself decided at reading time, for one
	// reader: whether that reader still may know it can only be asked of the source.
	Censored bool
}

// Window is the passages of a document whose ordinals lie in From..To, both included.
type Window struct {
	Document string
	From, To int
}

// Text is what is read: the section's where there is one, else the passage's. Where
// passages between two of them are left out, "…" stands for them.
func (r Result) Text() string {
	if len(r.Section) == 0 {
		return r.Passage.Text
	}
	var b strings.Builder
	for i, p := range r.Section {
		switch {
		case i == 0:
		case p.Ordinal == r.Section[i-1].Ordinal+1:
			b.WriteString("\n\n")
		default:
			b.WriteString("\n\n…\n\n")
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
