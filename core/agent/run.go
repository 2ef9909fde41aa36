package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// parallelTools bounds how many tools of one cycle run at the same time.
const parallelTools = 8

// runTools runs the calls of a reply side by side. Every call keeps its own
// result, in the order of the calls, whatever happened to it.
func (t *turn) runTools(ctx context.Context, reply model.Reply) {
	t.out.event(core.StatusChanged{Stage: "searching"})
	kept, tooLong, left := boundedCalls(reply.Calls, t.window/(2*t.opts.MaxCycles))
	reply.Calls = withOwnIDs(t.rounds, kept, t.memory.calls()...)
	r := round{text: preamble(reply.Text), calls: reply.Calls, results: make([]outcome, len(reply.Calls))}
	skip := repeats(t.rounds, reply.Calls)
	t.looping = all(skip)
	for i, call := range reply.Calls {
		switch {
		case tooLong[i]:
			r.results[i], skip[i] = outcome{text: prompts.CallTooLong(call.Name, longestCall), failed: true}, true
		case skip[i]:
			r.results[i] = outcome{text: prompts.RepeatedCall(call.Name), failed: true}
		}
	}
	var group errgroup.Group
	group.SetLimit(parallelTools)
	plan := jobs(reply.Calls, skip, t.mergeField)
	found, asked := make([]Result, len(plan)), make([][]string, len(plan))
	for n, j := range plan {
		group.Go(func() error {
			found[n], asked[n], r.results[j.calls[0]] = t.runTool(ctx, j)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors; each call has its own result
	for n, j := range plan {
		// Numbers are given in the order of the calls, not of their arrival.
		first := &r.results[j.calls[0]]
		t.number(found[n], first)
		for _, i := range j.calls[1:] {
			r.results[i] = outcome{text: prompts.MergedCall(j.call.ID), failed: true, cites: first.cites}
			if first.failed {
				r.results[i].text = first.text
			}
		}
		if first.failed {
			continue
		}
		t.beyond.look(asked[n]...)
		t.called = append(t.called, core.TurnCall{Cycle: len(t.rounds) + 1, Name: j.call.Name, Arguments: j.call.Arguments})
	}
	if left > 0 {
		t.log.Warn("calls left out", "made", len(reply.Calls)+left, "run", len(reply.Calls))
		r.results[len(r.results)-1].add(prompts.CallsLeftOut(left))
	}
	t.rounds = append(t.rounds, r)
}

// mergeField is the list by which calls of the tool are joined, "" if they are
// not. What changes something is never joined.
func (t *turn) mergeField(name string) string {
	tool, known := t.find(name)
	if !known || tool.spec.Changes {
		return ""
	}
	return tool.spec.Merge
}

// runTool runs one tool and tells what it searched for. A failure becomes a text
// that tells the model what to do about it.
func (t *turn) runTool(ctx context.Context, j job) (Result, []string, outcome) {
	started := time.Now()
	tool, known := t.find(j.call.Name)
	event := core.ToolUsed{ID: j.call.ID, Name: j.call.Name, Arguments: shownArguments(j.call.Arguments), State: "running"}
	t.out.event(event)
	asked := &queryLog{emit: t.out.event}
	res, failed := Result{}, prompts.UnknownTool(j.call.Name, t.names())
	if known {
		res, failed = t.try(ctx, tool, j, asked.event)
		res = capped(res, t.opts.ResultDocuments, t.opts.ResultBytes)
	}
	event.State = "done"
	if failed != "" {
		event.State, event.Result = "failed", failed
	}
	t.out.event(event)
	t.traceTool(j, known, res, failed, asked.queries(), time.Since(started))
	return res, asked.queries(), outcome{text: failed, failed: failed != "", cites: tool.spec.Cites}
}

// queryLog remembers what a tool searched for, on the way to the reader.
type queryLog struct {
	mu   sync.Mutex
	emit func(core.Event)
	seen []string
}

func (l *queryLog) event(e core.Event) {
	if q, ok := e.(core.QueryRun); ok {
		l.mu.Lock()
		l.seen = append(l.seen, q.Text)
		l.mu.Unlock()
	}
	l.emit(e)
}

func (l *queryLog) queries() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.seen...)
}

// try returns the result, or what to tell the model instead.
func (t *turn) try(ctx context.Context, tool offered, j job, emit func(core.Event)) (Result, string) {
	spec := tool.spec
	if j.call.FromText && spec.Changes {
		return Result{}, prompts.ToolFailed(spec.Name, "It changes something and must be called as a tool, not in the text.")
	}
	arguments, err := model.Arguments(j.call.Arguments, spec.Schema)
	if err != nil {
		return Result{}, prompts.BadArguments(spec.Name, err.Error(), spec.example())
	}
	call := Call{
		ID: j.call.ID, Tool: spec.Name, Arguments: arguments, Merged: len(j.calls),
		Question: t.q, Filter: t.filter, Document: t.numbers.id, Emit: emit,
		Planning: t.planning, Room: t.resultRoom(),
	}
	if spec.Changes {
		if refusal := t.approve(ctx, call); refusal != "" {
			return Result{}, refusal
		}
	}
	limit := spec.Timeout
	if limit <= 0 {
		limit = t.opts.ToolTimeout
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := safely(own, tool, call)
	switch {
	case err == nil:
		return res, ""
	case core.KindOf(err) == core.KindInvalid:
		return Result{}, prompts.BadArguments(spec.Name, err.Error(), spec.example())
	case own.Err() == context.DeadlineExceeded && ctx.Err() == nil:
		return Result{}, prompts.ToolTimeout(spec.Name, int(limit.Seconds()))
	}
	t.report(slog.LevelWarn, "tool "+spec.Name+" failed", err)
	return Result{}, prompts.ToolFailed(spec.Name, reason(err))
}

func (s Spec) example() string {
	if s.Example == "" {
		return "{}"
	}
	return s.Example
}

// approve asks a person whether the call may change something, one question at
// a time. It returns what the model is told instead of a result, "" if allowed.
func (t *turn) approve(ctx context.Context, call Call) string {
	if t.opts.Approve == nil {
		return prompts.NotAsked(call.Tool)
	}
	t.asking.Lock()
	defer t.asking.Unlock()
	t.out.event(core.StatusChanged{Stage: "waiting", Detail: call.Tool})
	allowed, err := t.opts.Approve(ctx, t.q, call)
	switch {
	case err != nil:
		t.report(slog.LevelWarn, "approval of "+call.Tool+" failed", err)
		return prompts.ToolFailed(call.Tool, reason(err))
	case !allowed:
		return prompts.Declined(call.Tool)
	}
	return ""
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

func (t *turn) find(name string) (offered, bool) {
	for _, tool := range t.tools {
		if tool.spec.Name == name {
			return tool, true
		}
	}
	return offered{}, false
}

func (t *turn) names() []string {
	var out []string
	for _, tool := range t.tools {
		out = append(out, tool.spec.Name)
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
