// Package agent answers one question. It is three small layers: a turn is one
// question and its final answer, a cycle is one model call with the tool calls
// that it leads to, and a step is the model call alone. The context is rebuilt
// from nothing in every cycle by a pure function; what to remind the model of,
// what to leave out and when to stop are pure functions too. Without a model,
// or when it fails, the answer is made of quotes.
package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
)

// Model is one language model. *model.Client implements it.
type Model interface {
	Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error)
}

// Recorder keeps finished turns. *store.Store implements it.
type Recorder interface {
	SaveTurn(ctx context.Context, t core.Turn) error
}

// Profile says what a model's server wants differently. The zero value suits
// most.
type Profile struct {
	DropToolsAtEnd   bool // in the last cycle, send no tool definitions instead of choice none
	ReminderInResult bool // put the reminder into the last tool result: no user message may follow one
	Vision           bool // the model sees images
	// Factor is how many tokens the model counts for one of our estimate; nil
	// means 1. Only factors above 1 count: they leave less room.
	Factor func() float64
}

// Options configure an Agent. Searcher and NewID are required.
type Options struct {
	Model Model // nil answers in quotes mode
	// Models finds the model that an agent names; false means that there is none
	// of the name. Where it is nil, all agents use Model.
	Models   func(name string) (Setup, bool)
	Searcher Searcher
	// Planner makes the searches of the model; nil makes them as the model asks, with
	// Searcher. What is searched without a model always goes to Searcher.
	Planner  *find.Planner
	Opener   Opener   // nil leaves out open_document
	Recorder Recorder // nil keeps nothing
	Memory   Memory   // nil: Question.History is all that is known, and it is cut where it is too long
	// Documents tells what may be read now. Earlier turns that rest on anything else
	// stay out of the context; nil looks only at the readers they were made for.
	Documents access.Reader
	Tools     []Tool // besides the built-in ones
	// Toolbox gives the tools that one question may use besides, within what the
	// filter leaves to be searched. It takes no more than moments; nil gives none.
	Toolbox func(ctx context.Context, q core.Question, within core.Filter) []Tool
	Allow   []string // names of the tools that may be offered at all; nil means all
	// Approve asks the person in the thread whether a call may change something.
	// It waits for the answer and heeds its context. Nil refuses all such calls.
	Approve func(ctx context.Context, q core.Question, call Call) (bool, error)
	// Cost is the price of a model call; false means that it is not known.
	Cost    func(model string, u core.Usage) (float64, bool)
	Quoting Quoting // the zero value quotes as core/find does

	Instructions string // for agents without their own
	Reminder     string // for agents without their own; repeated in every cycle
	Profile      Profile

	MaxCycles   int           // model calls in one turn, default 6; the last has no tools
	Window      int           // the model's context in tokens, default 32,000
	MaxOutput   int           // tokens kept free for the reply, default 1,024
	SearchLimit int           // passages per search, default 10
	ToolTimeout time.Duration // per tool call, default 30 s
	TurnTimeout time.Duration // for the whole turn, default 5 min

	SummaryTimeout  time.Duration // for summarising a branch, default 30 s
	ResultDocuments int           // passages in one tool result, default 200
	ResultBytes     int           // text in one tool result, default 256 KiB

	Schemes []string         // link targets allowed in answers; nil means http and https
	Now     func() time.Time // default time.Now
	NewID   func() string    // makes turn ids
	Log     *slog.Logger
}

// Agent answers questions. It may be used from several goroutines, and has to be
// closed where there is a Memory.
type Agent struct {
	*owner
	opts  Options
	base  []Tool
	tools []offered
	read  readCache
}

// New makes an agent. It panics if a required option is missing.
func New(o Options) *Agent {
	if o.Searcher == nil || o.NewID == nil {
		panic("agent: Searcher and NewID are required")
	}
	setDefault(&o.MaxCycles, 6)
	setDefault(&o.Window, 32_000)
	setDefault(&o.MaxOutput, 1_024)
	setDefault(&o.SearchLimit, 10)
	setDefault(&o.ToolTimeout, 30*time.Second)
	setDefault(&o.TurnTimeout, 5*time.Minute)
	setDefault(&o.SummaryTimeout, 30*time.Second)
	setDefault(&o.ResultDocuments, 200)
	setDefault(&o.ResultBytes, 256<<10)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Quoting = o.Quoting.withDefaults()
	tools := []Tool{searchTool{searcher: o.Searcher, limit: o.SearchLimit}}
	if o.Opener != nil {
		tools = append(tools, openTool{o.Opener})
	}
	tools = append(tools, clockTool{o.Now})
	tools = append(tools, o.Tools...)
	return &Agent{owner: newOwner(), opts: o, base: tools, tools: offer(tools)}
}

func setDefault[T int | time.Duration](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// Answer runs one turn. Every turn ends with core.Done or core.Failed; all
// events are emitted one at a time and before Answer returns.
//
// Cancelling the context stops the model and the tools at once; what had
// arrived is the answer, marked as stopped, and no error is returned. So it is
// when the model breaks off. A model that fails before it said anything is
// replaced by quotes and a notice. The error is the one that core.Failed tells,
// where there is no answer at all.
//
// A context that is cancelled because of core.ErrWithdrawn keeps nothing but the
// question: the turn ends without a last event and with that error. The turn that
// is returned then has no answer; it says what the model was given.
func (a *Agent) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	t := a.newTurn(q, emit)
	return t.answer(ctx)
}
