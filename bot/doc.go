// Package bot is what all chat platforms share. Its centre is the Desk, which
// owns the running turns: a turn belongs to the desk and not to the request or
// the message that started it, so a reader may leave, come back and stop it.
package bot

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Answerer runs one turn. *agent.Agent is one.
type Answerer interface {
	// Answer answers the question under the id in its TurnID and hands events to
	// emit, one at a time. A cancelled context keeps the text so far: that is a
	// turn, not an error.
	Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error)
}

// Turns is the ledger's memory of finished turns. *store.Store is one. None of
// its methods asks who wants to know.
type Turns interface {
	// Turn finds a turn; the error is of kind not_found if there is none.
	Turn(ctx context.Context, id string) (core.Turn, error)
	// Thread lists the turns of a thread, oldest first.
	Thread(ctx context.Context, thread string) ([]core.Turn, error)
	// Branch lists the turns from the thread's root to the turn, oldest first.
	Branch(ctx context.Context, id string) ([]core.Turn, error)
}
