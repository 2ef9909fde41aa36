package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// toolFunc is a tool made of a function.
type toolFunc struct {
	name string
	run  func(context.Context) (agent.Result, error)
}

func (f toolFunc) Spec() agent.Spec {
	return agent.Spec{
		Tool:    model.Tool{Name: f.name, Description: f.name, Schema: json.RawMessage(`{"type":"object"}`)},
		Timeout: 50 * time.Millisecond,
	}
}

func (f toolFunc) Run(ctx context.Context, _ agent.Call) (agent.Result, error) { return f.run(ctx) }

// Every way in which a tool can end: the others are not touched, and the model
// is told something that it can act on.
func TestToolEnds(t *testing.T) {
	tools := []agent.Tool{
		toolFunc{"fine", func(context.Context) (agent.Result, error) { return agent.Result{Text: "42"}, nil }},
		toolFunc{"panics", func(context.Context) (agent.Result, error) { panic("secret detail") }},
		toolFunc{"hangs", func(ctx context.Context) (agent.Result, error) { <-ctx.Done(); return agent.Result{}, ctx.Err() }},
		toolFunc{"inner", func(context.Context) (agent.Result, error) { return agent.Result{}, errors.New("secret detail") }},
		toolFunc{"says", func(context.Context) (agent.Result, error) {
			return agent.Result{}, core.Errorf(core.KindUnavailable, "The ticket system is down.")
		}},
	}
	want := map[string]string{
		"fine": "42", "panics": "internal error", "hangs": "did not finish", "inner": "internal error", "says": "ticket system is down",
	}
	var calls []modeltest.Call
	for _, tool := range tools {
		name := tool.Spec().Name
		calls = append(calls, modeltest.Call{ID: "id-" + name, Name: name, Arguments: json.RawMessage(`{}`)})
	}
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{Calls: calls}, {Text: "ok"}}})
	defer srv.Close()
	a := agent.New(agent.Options{
		Model: connect(t, srv.URL, setup{}), Searcher: &fakeIndex{}, Tools: tools, NewID: func() string { return "t" },
	})
	if _, err := a.Answer(t.Context(), question(setup{asking: asking{Text: "go"}}), func(core.Event) {}); err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, m := range srv.Requests()[1].Chat.Messages {
		name, isResult := strings.CutPrefix(m.ToolCallID, "id-")
		if !isResult {
			continue
		}
		told++
		if !strings.Contains(m.Content, want[name]) || strings.Contains(m.Content, "secret") {
			t.Errorf("%s: the model was told %q", name, m.Content)
		}
	}
	if told != len(tools) {
		t.Errorf("%d results for %d calls", told, len(tools))
	}
}

// Cancelling while tools run reaches them, and no other model call is made.
func TestCancelReachesTools(t *testing.T) {
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Text: "A moment.", Calls: []modeltest.Call{{Name: "waits", Arguments: json.RawMessage(`{}`)}}}, {Text: "never"},
	}})
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	tool := slowTool{func(ctx context.Context) {
		cancelled = time.Now()
		cancel()
		<-ctx.Done()
	}}
	rec := &recorder{}
	a := agent.New(agent.Options{
		Model: connect(t, srv.URL, setup{}), Searcher: &fakeIndex{}, Recorder: rec,
		Tools: []agent.Tool{tool}, NewID: func() string { return "t" },
	})
	turn, err := a.Answer(ctx, question(setup{asking: asking{Text: "go"}}), func(core.Event) {})
	t.Logf("answer %v after the cancel", time.Since(cancelled))
	if err != nil || !turn.Answer.Stopped || turn.Answer.Text != "A moment." || len(rec.turns) != 1 {
		t.Errorf("got %+v, %v, stored %d", turn.Answer, err, len(rec.turns))
	}
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("%d model calls", n)
	}
}

type slowTool struct{ run func(context.Context) }

func (slowTool) Spec() agent.Spec {
	return agent.Spec{Tool: model.Tool{Name: "waits", Schema: json.RawMessage(`{"type":"object"}`)}}
}

func (s slowTool) Run(ctx context.Context, _ agent.Call) (agent.Result, error) {
	s.run(ctx)
	return agent.Result{}, ctx.Err()
}

// A turn that takes too long ends by itself, with quotes if nothing was said.
func TestTurnTimeout(t *testing.T) {
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{HangAfter: modeltest.N(0)}}})
	defer srv.Close()
	a := agent.New(agent.Options{
		Model: connect(t, srv.URL, setup{}), Searcher: &fakeIndex{}, TurnTimeout: 50 * time.Millisecond,
		NewID: func() string { return "t" },
	})
	var notice core.Noticed
	turn, err := a.Answer(t.Context(), question(setup{asking: asking{Text: "go"}}), func(e core.Event) {
		if n, ok := e.(core.Noticed); ok {
			notice = n
		}
	})
	if err != nil || turn.Answer.Mode != core.ModeQuotes || turn.Answer.Text == "" || !strings.Contains(notice.Text, "in time") {
		t.Errorf("got %+v, %v, notice %+v", turn.Answer, err, notice)
	}
}

// The recorder failing is told, and the answer stays.
func TestNotStored(t *testing.T) {
	a := agent.New(agent.Options{Searcher: &fakeIndex{}, Recorder: fullDisk{}, NewID: func() string { return "t" }})
	var kinds []string
	turn, err := a.Answer(t.Context(), question(setup{asking: asking{Text: "go"}}), func(e core.Event) {
		if n, ok := e.(core.Noticed); ok {
			kinds = append(kinds, n.Kind)
		}
	})
	if err != nil || turn.Answer.Text == "" || len(kinds) != 1 || kinds[0] != "not_stored" {
		t.Errorf("got %+v, %v, notices %v", turn.Answer, err, kinds)
	}
}

type fullDisk struct{}

func (fullDisk) SaveTurn(context.Context, core.Turn) error {
	return core.Errorf(core.KindDisk, "The disk is full.")
}

// TestTimeToFirstDelta shows what Footnote adds to the model: from the question to
// the first visible text, without the time inside the model call. The scorecard
// tells how soon that has to be.
func TestTimeToFirstDelta(t *testing.T) {
	const turns = 20
	var replies []modeltest.Reply
	for range turns {
		replies = append(replies,
			modeltest.Reply{Calls: []modeltest.Call{{Name: "internal_search", Arguments: json.RawMessage(`{"queries":["leave"]}`)}}},
			modeltest.Reply{Text: "28 days [1].", Split: 2})
	}
	srv := modeltest.Start(modeltest.Script{Replies: replies})
	defer srv.Close()
	index := &fakeIndex{entries: []entry{{For: "leave", Document: core.Document{ID: "d", Access: core.NewAccess(core.Workspace)},
		Passage: core.Passage{Text: strings.Repeat("28 days of leave. ", 80)}}}}
	timed := &timedModel{inner: connect(t, srv.URL, setup{})}
	a := agent.New(agent.Options{Model: timed, Searcher: index, NewID: func() string { return "t" }})
	best := time.Hour
	for range turns {
		timed.inside = 0
		started := time.Now()
		var first time.Duration
		_, err := a.Answer(t.Context(), question(setup{asking: asking{Text: "How much leave?"}}), func(e core.Event) {
			if _, ok := e.(core.TextDelta); ok && first == 0 {
				first = time.Since(started) - timed.inside
			}
		})
		if err != nil || first <= 0 {
			t.Fatalf("first text after %v, %v", first, err)
		}
		best = min(best, first)
	}
	t.Logf("first text after %v outside the model, two model calls and one search", best)
}

// timedModel adds up the time that a model call takes to its first text.
type timedModel struct {
	inner  agent.Model
	inside time.Duration
}

func (m *timedModel) Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
	started, text := time.Now(), false
	reply, err := m.inner.Stream(ctx, req, func(d model.Delta) error {
		if !text {
			text = true
			m.inside += time.Since(started)
		}
		return each(d)
	})
	if !text {
		m.inside += time.Since(started)
	}
	return reply, err
}

// The trace answers "why this answer" without any document's text.
func TestTrace(t *testing.T) {
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Calls: []modeltest.Call{{Name: "internal_search", Arguments: json.RawMessage(`{"queries":["leave"]}`)}}}, {Text: "28 days [1]."}}})
	defer srv.Close()
	index := &fakeIndex{entries: []entry{{For: "leave", Document: core.Document{ID: "handbook/d", Title: "Title of it", Access: core.NewAccess(core.Workspace)},
		Passage: core.Passage{Text: "body of it"}}}}
	a := agent.New(agent.Options{Model: connect(t, srv.URL, setup{}), Searcher: index, NewID: func() string { return "t" }})
	turn, err := a.Answer(t.Context(), question(setup{asking: asking{Text: "How much leave?"}}), func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Class      string
		Principals int
		Tools      []struct {
			Name       string
			Arguments  struct{ Queries []string }
			Candidates []struct{ Document string }
		}
		ModelCalls []struct {
			Context  []struct{ Name string }
			Attempts int
			Ms       float64
		} `json:"model_calls"`
	}
	if err := json.Unmarshal(turn.Trace, &trace); err != nil {
		t.Fatal(err)
	}
	if trace.Class != "dm" || trace.Principals != 2 || len(trace.Tools) != 1 || trace.Tools[0].Arguments.Queries[0] != "leave" ||
		trace.Tools[0].Candidates[0].Document != "handbook/d" || len(trace.ModelCalls) != 2 ||
		trace.ModelCalls[1].Attempts != 1 || len(trace.ModelCalls[1].Context) < 5 || trace.ModelCalls[0].Ms <= 0 {
		t.Errorf("got %s", turn.Trace)
	}
	for _, text := range []string{"body of it", "Title of it"} {
		if strings.Contains(string(turn.Trace), text) {
			t.Errorf("the trace holds %q", text)
		}
	}
}

// What the agent is wired to fits without adapters.
var (
	_ agent.Searcher = (*find.Finder)(nil)
	_ agent.Model    = (*model.Client)(nil)
)
