package agent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
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
	Changes bool          // it changes something outside; a person is asked first, and calls found in text never reach it
	Timeout time.Duration // 0 means the agent's default
	Origin  string        // source or server that offers it; put before a name that another tool has
	Merge   string        // list among the arguments: calls of one cycle that differ only in it run as one
}

// Call is one run of a tool.
type Call struct {
	ID        string
	Tool      string          // the name that the model used
	Arguments json.RawMessage // one JSON object
	Merged    int             // how many calls it runs for, at least 1
	Question  core.Question
	Filter    core.Filter              // bounds whatever the tool reads: the audience and the agent's sources
	Document  func(int) (string, bool) // the id of a document that has a number in this turn
	Emit      func(core.Event)         // may be called from the goroutine that runs the tool
	Planning  *find.Planning           // of the turn's searches; nil without a planner
	Room      int                      // tokens that the result may take without crowding out what else is there
}

// Result is what a tool found. Documents are numbered and shown to the model as
// far as the audience may see them; Text is given to it as it is.
type Result struct {
	Documents []core.Result // most relevant first
	Text      string
	Note      string // for the model, after the documents
	// Outside names what the text rests on where that is nothing of the ledger. Nobody
	// can be asked later who may know it, so that the turn is never known again.
	Outside string
	Search  *find.Trace // how it was searched; nil for anything else
}

// addTools adds the tools of this question. Those that come first keep their names.
func (t *turn) addTools(ctx context.Context) {
	if t.opts.Toolbox == nil {
		return
	}
	more := t.opts.Toolbox(ctx, t.q, t.filter)
	if len(more) == 0 {
		return
	}
	all := offer(append(slices.Clone(t.agent.base), more...))
	t.tools = permitted(all, t.opts.Allow, t.persona.Tools)
}

// outsidePrefix begins no document's id, which begins with the name of a source.
const outsidePrefix = "/"

// definitions are what the next call offers.
func (t *turn) definitions(p phase) []model.Tool {
	var out []model.Tool
	for _, tool := range t.offered(p) {
		out = append(out, tool.spec.Tool)
	}
	return out
}

// offered are the tools of a phase: the forced one alone, else all. They are
// all sent in the last cycle too, whose choice forbids them: without them some
// models go on calling in their text.
func (t *turn) offered(p phase) []offered {
	if p != forcing {
		return t.tools
	}
	tool, _ := t.find(searchName)
	return []offered{tool}
}

func guidesOf(tools []offered) []string {
	var out []string
	for _, tool := range tools {
		if tool.spec.Guide != "" {
			out = append(out, tool.spec.Guide)
		}
	}
	return out
}
