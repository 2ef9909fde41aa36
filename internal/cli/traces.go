package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/internal/cli/otlp"
	"github.com/footnote-bot/footnote/store"
)

// tracesPatience is how long a stop waits for the last traces to be sent.
const tracesPatience = 3 * time.Second

// openTraces starts sending what happens to a collector, if one is configured;
// closeTraces ends it.
func (a *app) openTraces() error {
	t := a.cfg.Traces
	if t.Endpoint == "" {
		return nil
	}
	headers, err := t.HeaderList()
	if err != nil {
		return err
	}
	a.meters.traces.Store(otlp.New(otlp.Options{Endpoint: t.Endpoint, Headers: headers, Service: t.ServiceName(), Version: thisBuild().Version, Log: a.log}))
	return nil
}

func (m *meters) closeTraces() {
	e := m.traces.Load()
	if e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.app.within(tracesPatience))
	defer cancel()
	e.Close(ctx)
}

func (m *meters) trace(make func() otlp.Trace) {
	if e := m.traces.Load(); e != nil {
		e.Send(make())
	}
}

// traceID is that of a turn or a run, so that whoever knows one finds the other.
func traceID(of string) (id [16]byte) {
	sum := sha256.Sum256([]byte(of))
	copy(id[:], sum[:])
	return id
}

// turnTrace tells how long the parts of a turn took. Nothing in it was asked, found or
// said: a collector may have other readers than the turn.
func turnTrace(o store.Outcome, t core.Turn, failed error) otlp.Trace {
	trace, _ := agent.ParseTrace(t.Trace) // a turn that did not begin has none
	root := otlp.Span{Name: "turn", Kind: otlp.Server, Start: o.At, End: o.At.Add(time.Duration(o.TookMS) * time.Millisecond), Attributes: []otlp.Attribute{
		{Key: "footnote.turn_id", Value: o.TurnID}, {Key: "footnote.platform", Value: o.Platform}, {Key: "footnote.outcome", Value: o.Outcome},
		{Key: "footnote.audience", Value: trace.Class}, {Key: "footnote.agent", Value: trace.Agent}, {Key: "footnote.mode", Value: string(t.Answer.Mode)},
		{Key: "footnote.citations", Value: len(t.Answer.Citations)}, {Key: "footnote.first_text_ms", Value: int(o.FirstMS)},
	}}
	if failed != nil {
		root.Failed = string(core.KindOf(failed))
	}
	for _, m := range trace.Models {
		root.Children = append(root.Children, modelSpan(o.At, m))
	}
	for _, tool := range trace.Tools {
		root.Children = append(root.Children, toolSpan(o.At, tool))
	}
	return otlp.Trace{ID: traceID(o.TurnID), Span: root}
}

func millis(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }

func stretch(begin time.Time, at, took float64) (start, end time.Time) {
	start = begin.Add(millis(at))
	return start, start.Add(millis(took))
}

// modelSpan has the attributes that OpenTelemetry's conventions for generative models
// name.
func modelSpan(begin time.Time, m agent.TraceModel) otlp.Span {
	s := otlp.Span{Name: "chat " + m.Model, Kind: otlp.Client, Attributes: []otlp.Attribute{
		{Key: "gen_ai.operation.name", Value: "chat"}, {Key: "gen_ai.request.model", Value: m.Model},
		{Key: "gen_ai.usage.input_tokens", Value: m.Usage.PromptTokens}, {Key: "gen_ai.usage.output_tokens", Value: m.Usage.CompletionTokens},
		{Key: "footnote.first_chunk_ms", Value: m.FirstMS}, {Key: "footnote.attempts", Value: m.Attempts}, {Key: "footnote.tool_calls", Value: m.Calls},
	}}
	if m.Purpose != "" {
		s.Attributes = append(s.Attributes, otlp.Attribute{Key: "footnote.purpose", Value: m.Purpose})
	}
	if m.Error != "" {
		s.Failed = "the model call failed; footnote explain tells why"
	}
	s.Start, s.End = stretch(begin, m.AtMS, m.MS)
	return s
}

func toolSpan(begin time.Time, tool agent.TraceTool) otlp.Span {
	name := tool.Name
	if tool.Unknown { // a model may write anything there
		name = "unknown"
	}
	s := otlp.Span{Name: "execute_tool " + name, Kind: otlp.Internal, Attributes: []otlp.Attribute{
		{Key: "gen_ai.operation.name", Value: "execute_tool"}, {Key: "gen_ai.tool.name", Value: name},
		{Key: "footnote.queries", Value: len(tool.Queries)}, {Key: "footnote.passages", Value: len(tool.Candidates)},
	}}
	if tool.Failed != "" {
		s.Failed = "the tool gave no result; footnote explain tells why"
	}
	s.Start, s.End = stretch(begin, tool.AtMS, tool.MS)
	if tool.Search != nil {
		s.Children = searchSpans(s.Start, *tool.Search)
	}
	return s
}

// searchSpans are the steps of a search, one after the other.
func searchSpans(start time.Time, t find.Trace) (steps []otlp.Span) {
	for _, step := range []struct {
		name string
		ms   float64
	}{{"plan", t.PlanMS}, {"search", t.SearchMS}, {"select", t.SelectMS}, {"read", t.ReadMS}} {
		if step.ms <= 0 {
			continue
		}
		end := start.Add(millis(step.ms))
		steps = append(steps, otlp.Span{Name: step.name, Kind: otlp.Internal, Start: start, End: end})
		start = end
	}
	return steps
}

// runTrace tells of a sync.
func runTrace(run core.SyncRun) otlp.Trace {
	c := run.Counts
	return otlp.Trace{ID: traceID(fmt.Sprint("sync ", run.Source, " ", run.Started.UnixMicro())), Span: otlp.Span{
		Name: "sync " + run.Source, Kind: otlp.Internal, Start: run.Started, End: run.Finished, Failed: string(run.ErrorKind),
		Attributes: []otlp.Attribute{
			{Key: "footnote.source", Value: run.Source}, {Key: "footnote.reason", Value: string(run.Reason)},
			{Key: "footnote.documents.seen", Value: c.Seen}, {Key: "footnote.documents.written", Value: c.Written},
			{Key: "footnote.documents.removed", Value: c.Removed}, {Key: "footnote.documents.failed", Value: c.Failed},
		},
	}}
}
