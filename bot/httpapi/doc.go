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

// Searcher finds passages without answering.
type Searcher interface {
	// Search returns the passages that serve the query best, best first, at most
	// limit, among those that the audience may see.
	Search(ctx context.Context, audience core.Audience, query string, limit int) ([]core.Result, error)
	// Around returns a result's passage with its neighbours on both sides, by
	// ordinal, if the audience may still see the document.
	Around(ctx context.Context, audience core.Audience, r core.Result) ([]core.Result, error)
	// Visible tells whether the audience may see the document as things are now.
	Visible(ctx context.Context, audience core.Audience, document string) (bool, error)
}
