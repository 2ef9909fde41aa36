package core

import "context"

// VectorSet names the vectors of one embedding model. Vectors of different sets
// cannot be compared. The zero value is no set.
type VectorSet struct {
	Model      string // as the endpoint knows it
	Dimensions int    // numbers in each vector
}

// PassageVector is a passage's place in the space of a set. A vector of another
// length than the set's is an error of kind invalid.
type PassageVector struct {
	Passage  PassageID
	Document string
	Vector   []float32 // of any length but zero: only its direction counts
}

// HybridQuery asks for the passages that match a text best, by its words and by
// its vector. A vector of another length than the set in use is an error of kind
// invalid.
type HybridQuery struct {
	KeywordQuery
	Vector []float32 // of the text, from the model of the set in use
}

// HybridHit is a found passage with both of its exact scores: no candidate lacks
// one because the other search found it. Hit.Score is not set: how the two are
// mixed is not the index's to say.
type HybridHit struct {
	Hit
	Keyword float64 // as KeywordQuery scores it; 0 where no word matches
	Vector  float64 // cosine, -1 to 1; meaningless unless Embedded
	// Embedded is false where the set in use has no vector of the passage yet.
	Embedded bool
}

// VectorIndex is an Index that keeps vectors too. They follow the text: a passage
// that leaves the index takes its vectors along. Like the text they can be lost at
// any time and are put again from the ledger.
type VectorIndex interface {
	Index
	// PutVectors adds vectors to a set, which begins with its first vector. A
	// passage that has one gets the new one. Vectors of passages that are not
	// indexed are passed over.
	PutVectors(ctx context.Context, set VectorSet, vectors []PassageVector) error
	// Embedded returns the passages that have a vector in the set, in order.
	Embedded(ctx context.Context, set VectorSet) ([]PassageID, error)
	// UseVectors makes a set the one that Hybrid searches, durably, and drops all
	// others but keep. The zero set turns vectors off.
	UseVectors(ctx context.Context, use VectorSet, keep ...VectorSet) error
	// Hybrid returns up to Limit of the passages that are best by words and up to
	// Limit of those that are best by vector, inside the set that the filter allows,
	// each once, in order of their ids. Without a set in use it is an error of kind
	// unavailable.
	Hybrid(ctx context.Context, q HybridQuery) ([]HybridHit, error)
}
