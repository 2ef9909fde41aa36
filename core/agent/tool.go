package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// Tool is something that the model may call. Run must return soon after its
// context ends. An error of kind invalid says what is wrong with the arguments;
// the message of any core.Error is given to the model.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, call Call) (Result, error)
}

// Spec describes a tool to the model and to the turn.
type Spec struct {
	model.Tool
	Guide   string        // a section for the system prompt; may be empty
	Example string        // arguments as they should look, one JSON object
	Cites   bool          // its documents are cited
	Changes bool          // it changes something outside; calls found in text never reach it
	Timeout time.Duration // 0 means the agent's default
}

// Call is one call of a tool.
type Call struct {
	ID        string
	Arguments json.RawMessage // one JSON object
	Question  core.Question
	Emit      func(core.Event) // may be called from the goroutine that runs the tool
}

// Result is what a tool found. Documents are numbered and shown to the model as
// far as the audience may see them; Text is given to it as it is.
type Result struct {
	Documents []core.Result // most relevant first
	Text      string
	Note      string // for the model, after the documents
}

func (t *turn) definitions() []model.Tool {
	var out []model.Tool
	for _, tool := range t.agent.tools {
		out = append(out, tool.Spec().Tool)
	}
	return out
}

func guidesOf(tools []Tool) []string {
	var out []string
	for _, tool := range tools {
		if guide := tool.Spec().Guide; guide != "" {
			out = append(out, guide)
		}
	}
	return out
}
