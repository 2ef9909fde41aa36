package core

import (
	"context"
	"slices"
)

// Filter bounds a search. The three groups of fields have different null rules
// and must not be confused: missing principals mean public only; a nil
// narrowing list is off while an empty one matches nothing; a document without
// access is read by nobody.
type Filter struct {
	Principals    []Principal // what the audience holds; public is implied
	Bypass        bool        // lifts the access clause only
	IncludeHidden bool
	Sources       []string // narrowing, by source name: nil = off, empty = nothing
	Documents     []string // narrowing, by document id: nil = off, empty = nothing
}

// Facts is what a filter decides on: everything about a document but its text.
type Facts struct {
	Document string
	Source   string
	Access   Access
	Hidden   bool
}

// Allows is the meaning of a filter. Every index must agree with it.
func (f Filter) Allows(d Facts) bool {
	if d.Hidden && !f.IncludeHidden {
		return false
	}
	if f.Sources != nil && !slices.Contains(f.Sources, d.Source) {
		return false
	}
	if f.Documents != nil && !slices.Contains(f.Documents, d.Document) {
		return false
	}
	return f.Bypass || d.Access.Allows(f.Principals)
}

// IndexedDocument is a document as the index gets it.
type IndexedDocument struct {
	Facts    Facts
	Title    string
	Language string // ISO 639-1; "" if unknown
	Passages []Passage
}

// KeywordQuery asks for the passages that match a text best.
type KeywordQuery struct {
	Text   string // as a person wrote it; operators are not interpreted
	Filter Filter
	Limit  int // at most this many hits; 0 means 50
}

// Hit is one found passage.
type Hit struct {
	Passage  PassageID
	Document string
	Score    float64 // higher is better; comparable within one search only
	// Coverage is the share of the query's terms that the passage (with its
	// title and heading) holds, each term weighed by its rarity in the index:
	// 0 none, 1 all. Terms that the index has never seen count as rarest.
	Coverage float64
}

// Index finds passages. It is derived from the ledger: losing it loses nothing.
// All methods may be called from several goroutines; writes wait for each other.
// A search sees each document either wholly before or wholly after a write.
type Index interface {
	// Put replaces all that is indexed of the given documents, durably: after it
	// returns, a crash does not undo it. Repeating a Put changes nothing.
	Put(ctx context.Context, docs []IndexedDocument) error
	// SetFacts replaces the facts of documents without touching their text.
	// Facts of documents that were never Put are kept until they are.
	SetFacts(ctx context.Context, facts []Facts) error
	// Delete removes documents. Unknown ids are not an error.
	Delete(ctx context.Context, documents []string) error
	// Keyword searches inside the set that the filter allows, never after the
	// fact. Equal scores are ordered by passage id.
	Keyword(ctx context.Context, q KeywordQuery) ([]Hit, error)
}
