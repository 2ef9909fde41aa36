// Package console is the terminal as a chat platform: it shows one answer, or
// holds a conversation. Answers go to standard output; signs of life and notices
// go to standard error, so that output can be piped.
//
// Text of documents and models is data: control characters and text-direction
// marks are taken out before anything reaches the terminal.
package console

import (
	"context"
	"io"

	"github.com/footnote-bot/footnote/core"
)

// Answerer runs one turn. *agent.Agent is one.
type Answerer interface {
	// Answer answers the question and hands events to emit, one at a time. A
	// cancelled context keeps the text so far: that is a turn, not an error.
	Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error)
}

// Screen is where a conversation is shown.
type Screen struct {
	Out, Err io.Writer
	OutTTY   bool // links are written as terminal hyperlinks
	ErrTTY   bool // signs of life are shown and wiped
	JSON     bool // one answer object a line instead of text
}
