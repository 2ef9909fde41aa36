package core

import "context"

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
	// title and heading) holds, each term weighed by its rarity among what the
	// filter's readers may know: 0 none, 1 all. Terms that stand nowhere in that
	// count as rarest. What is closed to the readers changes neither what is found
	// nor its coverage; scores and the order may go by all that is indexed.
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
	// Documents that were never Put are passed over: Put brings facts itself.
	SetFacts(ctx context.Context, facts []Facts) error
	// Delete removes documents. Unknown ids are not an error.
	Delete(ctx context.Context, documents []string) error
	// Keyword searches inside the set that the filter allows, never after the
	// fact. Equal scores are ordered by passage id.
	Keyword(ctx context.Context, q KeywordQuery) ([]Hit, error)
}
