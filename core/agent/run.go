package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// parallelTools bounds how many tool calls of one cycle run at the same time.
const parallelTools = 8

// runTools runs the calls of a reply side by side. Every call keeps its own
// result, in the order of the calls, whatever happened to it.
func (t *turn) runTools(ctx context.Context, reply model.Reply) {
	t.out.event(core.StatusChanged{Stage: "searching"})
	reply.Calls = withOwnIDs(t.rounds, reply.Calls)
	r := round{text: reply.Text, calls: reply.Calls, results: make([]outcome, len(reply.Calls))}
	repeated := repeats(t.rounds, reply.Calls)
	t.looping = all(repeated)
	var group errgroup.Group
	group.SetLimit(parallelTools)
	raw := make([]Result, len(reply.Calls))
	for i, call := range reply.Calls {
		if repeated[i] {
			r.results[i] = outcome{text: prompts.RepeatedCall(call.Name), failed: true}
			continue
		}
		group.Go(func() error {
			raw[i], r.results[i] = t.runTool(ctx, call)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors; each call has its own result
	for i := range raw {
		// Numbers are given in the order of the calls, not of their arrival.
		t.number(raw[i], &r.results[i])
	}
	t.rounds = append(t.rounds, r)
}

// runTool runs one call. A failure becomes a text that tells the model what to
// do about it.
func (t *turn) runTool(ctx context.Context, call model.ToolCall) (Result, outcome) {
	started := time.Now()
	tool, spec := t.find(call.Name)
	event := core.ToolUsed{ID: call.ID, Name: call.Name, Arguments: shownArguments(call.Arguments), State: "running"}
	t.out.event(event)
	res, failed := t.try(ctx, tool, spec, call)
	event.State = "done"
	if failed != "" {
		event.State, event.Result = "failed", failed
	}
	t.out.event(event)
	t.trace.tool(call, res, failed, time.Since(started))
	return res, outcome{text: failed, failed: failed != "", cites: spec.Cites}
}

// try returns the result, or what to tell the model instead.
func (t *turn) try(ctx context.Context, tool Tool, spec Spec, call model.ToolCall) (Result, string) {
	if tool == nil {
		return Result{}, prompts.UnknownTool(call.Name, t.names())
	}
	if call.FromText && spec.Changes {
		return Result{}, prompts.ToolFailed(spec.Name, "It changes something and must be called as a tool, not in the text.")
	}
	arguments, err := model.Arguments(call.Arguments, spec.Schema)
	if err != nil {
		return Result{}, prompts.BadArguments(spec.Name, err.Error(), spec.Example)
	}
	limit := spec.Timeout
	if limit <= 0 {
		limit = t.opts.ToolTimeout
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := safely(own, tool, Call{ID: call.ID, Arguments: arguments, Question: t.q, Emit: t.out.event})
	switch {
	case err == nil:
		return res, ""
	case core.KindOf(err) == core.KindInvalid:
		return Result{}, prompts.BadArguments(spec.Name, err.Error(), spec.Example)
	case own.Err() == context.DeadlineExceeded && ctx.Err() == nil:
		return Result{}, prompts.ToolTimeout(spec.Name, int(limit.Seconds()))
	}
	t.report(slog.LevelWarn, "tool "+spec.Name+" failed", err)
	return Result{}, prompts.ToolFailed(spec.Name, reason(err))
}

// safely runs the tool and turns a panic into an error.
func safely(ctx context.Context, tool Tool, call Call) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			// The stack names functions; what the panic says may be a document's.
			err = core.Wrap(core.KindInternal, fmt.Errorf("%v", p), "panic:\n"+string(debug.Stack()))
		}
	}()
	return tool.Run(ctx, call)
}

// reason is what the model is told about a failure: sentences that were made
// for people, nothing internal.
func reason(err error) string {
	var e *core.Error
	if errors.As(err, &e) && e.Kind != core.KindInternal {
		return e.Message
	}
	return "It had an internal error."
}

func (t *turn) find(name string) (Tool, Spec) {
	for _, tool := range t.agent.tools {
		if spec := tool.Spec(); spec.Name == name {
			return tool, spec
		}
	}
	return nil, Spec{}
}

func (t *turn) names() []string {
	var out []string
	for _, tool := range t.agent.tools {
		out = append(out, tool.Spec().Name)
	}
	return out
}

// shownArguments is what an event carries of the arguments: always JSON.
func shownArguments(raw string) json.RawMessage {
	if json.Valid([]byte(raw)) {
		return json.RawMessage(raw)
	}
	quoted, err := json.Marshal(raw)
	if err != nil {
		return nil
	}
	return quoted
}
