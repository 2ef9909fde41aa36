package core

import (
	"crypto/sha256"
	"strings"
)

// EmbeddedText is what is embedded of a passage: its document's title, its heading
// path, its context and its text, each on lines of their own. What is empty is left out.
func EmbeddedText(title, heading, context, text string) string {
	parts := make([]string, 0, 4)
	for _, p := range []string{title, heading, context, text} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "\n")
}

// TextHash is the name under which the ledger keeps the vectors of a text.
func TextHash(text string) Hash { return sha256.Sum256([]byte(text)) }

// TextVector is the vector of a text.
type TextVector struct {
	Hash   Hash
	Vector []float32 // empty where the model refuses the text
	Reason string    // why it does, a sentence for people
}

// UnembeddedPassage is one whose text has no vector in a set.
type UnembeddedPassage struct {
	Passage  PassageID
	Document string
	Hash     Hash
	Text     string // as EmbeddedText makes it
}

// EmbeddingPage is a stretch of the passages that the index holds, in the order
// of their ids, sorted by whether the ledger has their vectors in a set. Passages
// whose text the model refuses are in neither list.
type EmbeddingPage struct {
	Ready   []PassageID
	Waiting []UnembeddedPassage
	Last    PassageID // the next page begins behind it
	More    bool      // there is a next page now
}

// VectorSets says which sets the ledger knows.
type VectorSets struct {
	Live  VectorSet   // that searches use; the zero set if none
	Known []VectorSet // the latest first
}

// VectorCounts is how far the embedding of passages got in a set.
type VectorCounts struct {
	Passages int
	Embedded int
	Refused  int    // by the model: they are found by their words only
	Reason   string // of one refusal
}

// Waiting is how many passages have no vector yet.
func (c VectorCounts) Waiting() int { return max(0, c.Passages-c.Embedded-c.Refused) }
