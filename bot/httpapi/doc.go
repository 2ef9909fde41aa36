// Package httpapi is HTTP as a chat platform: questions come as JSON, answers
// leave as one JSON object or as a stream of events, one JSON object a line.
// The interface is described in docs/openapi.yaml.
//
// A bearer token speaks for one person. What is answered over HTTP is read by
// that person alone, and nobody else learns of their turns and threads, not
// even that they exist.
package httpapi

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Holder is the person that a token speaks for.
type Holder struct {
	Token  string // the token's name; names the place that the answers are read in
	Viewer core.Viewer
}

// Tokens knows who holds a bearer token.
type Tokens interface {
	// Holder finds the holder of a token by its secret. The error is of kind
	// not_found for a token that does not exist or was revoked.
	Holder(ctx context.Context, secret string) (Holder, error)
}

// Turns is where questions are looked up to ask them again. *store.Store is one.
type Turns interface {
	// Turn finds a turn, whoever asked it; the error is of kind not_found if
	// there is none.
	Turn(ctx context.Context, id string) (core.Turn, error)
}

// Agents knows the configured agents.
type Agents interface {
	// Agent finds an agent by name.
	Agent(name string) (core.Agent, bool)
}

// Reader is the only one who reads what is found.
type Reader struct {
	Viewer   core.Viewer
	Audience core.Audience
}

// Wish is what a search looks for.
type Wish struct {
	Query   string
	Limit   int                // most passages
	Where   string             // a condition on metadata, not read yet; "" is none
	Folders []core.FolderScope // nil = off
}

// Searcher finds passages without answering.
type Searcher interface {
	// Search returns the passages that serve the wish best, best first, among those
	// that the reader may see. Errors of kind invalid are about the wish itself.
	Search(ctx context.Context, by Reader, wish Wish) ([]core.Result, error)
	// Around returns for each result, in their order, its passage with its neighbours
	// on both sides, by ordinal; none where the reader may not see the document any
	// more.
	Around(ctx context.Context, by Reader, results []core.Result) ([][]core.Result, error)
	// Readable tells which of the documents the reader may see as things are now;
	// the others are false or missing.
	Readable(ctx context.Context, by Reader, documents []string) (map[string]bool, error)
}
