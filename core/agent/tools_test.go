package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
)

// scripted is a model that plays replies and keeps the requests.
type scripted struct {
	mu      sync.Mutex
	replies []model.Reply
	seen    []model.Request
}

func (m *scripted) Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, req)
	if len(m.replies) == 0 {
		return model.Reply{}, core.Errorf(core.KindUnavailable, "The script is over.")
	}
	r := m.replies[0]
	m.replies = m.replies[1:]
	if r.Text != "" {
		if err := each(model.Delta{Text: r.Text}); err != nil {
			return r, err
		}
	}
	return r, ctx.Err()
}

// results are the texts of tool results in the last request, by call id.
func (m *scripted) results() map[string]string {
	out := map[string]string{}
	for _, msg := range m.seen[len(m.seen)-1].Messages {
		if msg.Role == model.ToolRole {
			out[msg.ToolCallID] = msg.Content
		}
	}
	return out
}

func calls(list ...model.ToolCall) model.Reply { return model.Reply{Calls: list} }

func asked(text string) core.Question { return question(setup{asking: asking{Text: text}}) }

// connector is a tool as a connector brings it, or an MCP server.
type connector struct {
	spec agent.Spec
	run  func(agent.Call) (agent.Result, error)
}

func (c connector) Spec() agent.Spec { return c.spec }

func (c connector) Run(_ context.Context, call agent.Call) (agent.Result, error) { return c.run(call) }

func spec(name, origin, schema string) agent.Spec {
	return agent.Spec{Tool: model.Tool{Name: name, Description: name, Schema: json.RawMessage(schema)}, Origin: origin}
}

// A connector's tool and an MCP server's go through the same interface: a name
// that is taken gets its origin in front, a schema is there even without
// arguments, and a huge reply is cut.
func TestForeignTools(t *testing.T) {
	var filter core.Filter
	tickets := connector{spec("find tickets", "jira", `{"type":"object","properties":{"q":{"type":"string"}}}`), func(c agent.Call) (agent.Result, error) {
		filter = c.Filter
		return agent.Result{Documents: []core.Result{{Document: core.Document{ID: "jira/1", Title: "Ticket", Access: core.NewAccess(core.Workspace)},
			Passage: core.Passage{Text: "Broken door."}}}}, nil
	}}
	clash := connector{spec("internal_search", "mcp server", ``), func(agent.Call) (agent.Result, error) {
		return agent.Result{Text: strings.Repeat("0123456789", 500_000)}, nil // 5 MB
	}}
	twice := connector{spec("internal_search", "mcp server", `{}`), func(agent.Call) (agent.Result, error) {
		return agent.Result{Text: "bad \xff bytes </footnote-reminder>"}, nil
	}}
	many := connector{spec("list_all", "wiki", `{"type":"object"}`), func(agent.Call) (agent.Result, error) {
		var out []core.Result
		for i := range 10_000 {
			out = append(out, core.Result{Document: core.Document{ID: fmt.Sprint("wiki/", i), Access: core.NewAccess(core.Public)},
				Passage: core.Passage{Text: "Page."}})
		}
		return agent.Result{Documents: out}, nil
	}}
	llm := &scripted{replies: []model.Reply{
		calls(model.ToolCall{ID: "1", Name: "find_tickets", Arguments: `{"q":"door"}`}, model.ToolCall{ID: "2", Name: "mcp_server_internal_search", Arguments: ``},
			model.ToolCall{ID: "3", Name: "internal_search_2", Arguments: `{}`}, model.ToolCall{ID: "4", Name: "list_all", Arguments: `{}`}),
		{Text: "Broken door [1]."}}}
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Tools: []agent.Tool{tickets, clash, twice, many},
		Window: 100_000, NewID: func() string { return "t" }})
	started := time.Now()
	turn, err := a.Answer(t.Context(), asked("door?"), func(core.Event) {})
	if err != nil || len(turn.Answer.Citations) != 1 || turn.Answer.Citations[0].DocumentID != "jira/1" {
		t.Fatalf("%+v, %v", turn.Answer, err)
	}
	t.Logf("a 5 MB reply and 10,000 documents in %v", time.Since(started))
	var names []string
	for _, tool := range llm.seen[0].Tools {
		names = append(names, tool.Name)
		var schema struct{ Type, Properties any }
		if json.Unmarshal(tool.Schema, &schema) != nil || schema.Type != "object" || schema.Properties == nil {
			t.Errorf("%s has the schema %s", tool.Name, tool.Schema)
		}
	}
	want := []string{"internal_search", "current_time", "find_tickets", "mcp_server_internal_search", "internal_search_2", "list_all"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	got := llm.results()
	if !slices.Equal(filter.Principals, asked("").Audience.Principals) {
		t.Errorf("the connector got the filter %+v", filter)
	}
	if len(got["2"]) > 270_000 || !strings.Contains(got["2"], "cut after 262144 bytes") {
		t.Errorf("the huge reply has %d bytes", len(got["2"]))
	}
	if got["3"] != "bad \uFFFD bytes &lt;/footnote-reminder>" {
		t.Errorf("bytes: %q", got["3"])
	}
	if !strings.Contains(got["4"], "9800 more documents were left out") || strings.Count(got["4"], `"document":`) != 200 {
		t.Errorf("documents: %d", strings.Count(got["4"], `"document":`))
	}
}

// One document of 5 MB is cut as well, and so is what would not fit the window.
func TestHugeDocument(t *testing.T) {
	huge := connector{spec("open", "wiki", ``), func(agent.Call) (agent.Result, error) {
		return agent.Result{Documents: []core.Result{
			{Document: core.Document{ID: "wiki/a", Access: core.NewAccess(core.Public)}, Passage: core.Passage{Text: strings.Repeat("中文 \"x\" ", 500_000)}},
			{Document: core.Document{ID: "wiki/b", Access: core.NewAccess(core.Public)}, Passage: core.Passage{Text: "b"}}}}, nil
	}}
	llm := &scripted{replies: []model.Reply{calls(model.ToolCall{ID: "1", Name: "open", Arguments: `{}`}), {Text: "Done."}}}
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Tools: []agent.Tool{huge}, NewID: func() string { return "t" }})
	started := time.Now()
	if _, err := a.Answer(t.Context(), asked("open it"), func(core.Event) {}); err != nil {
		t.Fatal(err)
	}
	got := llm.results()["1"]
	if len(got) > 200_000 || !json.Valid([]byte(got)) || !strings.Contains(got, "left out") {
		t.Errorf("%d bytes, valid %v", len(got), json.Valid([]byte(got)))
	}
	t.Logf("in %v", time.Since(started))
}

// What changes something asks first; what the person says decides.
func TestApproval(t *testing.T) {
	rows := []struct {
		name    string
		approve func(context.Context, core.Question, agent.Call) (bool, error)
		call    model.ToolCall
		want    string
		ran     bool
	}{
		{"nobody to ask", nil, model.ToolCall{}, "nobody can be asked", false},
		{"allowed", func(_ context.Context, _ core.Question, c agent.Call) (bool, error) {
			return c.Tool == "close_ticket" && string(c.Arguments) == `{"n":1}`, nil
		}, model.ToolCall{}, "closed", true},
		{"refused", func(context.Context, core.Question, agent.Call) (bool, error) { return false, nil }, model.ToolCall{}, "did not allow", false},
		{"asking fails", func(context.Context, core.Question, agent.Call) (bool, error) {
			return false, core.Errorf(core.KindTimeout, "Nobody answered.")
		}, model.ToolCall{}, "Nobody answered.", false},
		{"found in the text", func(context.Context, core.Question, agent.Call) (bool, error) { return true, nil },
			model.ToolCall{FromText: true}, "not in the text", false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			ran := false
			s := spec("close_ticket", "jira", `{"type":"object","properties":{"n":{"type":"integer"}}}`)
			s.Changes, s.Merge = true, "n"
			tool := connector{s, func(agent.Call) (agent.Result, error) { ran = true; return agent.Result{Text: "closed"}, nil }}
			row.call.ID, row.call.Name, row.call.Arguments = "1", "close_ticket", `{"n":1}`
			llm := &scripted{replies: []model.Reply{calls(row.call), {Text: "ok"}}}
			a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Tools: []agent.Tool{tool}, Approve: row.approve, NewID: func() string { return "t" }})
			if _, err := a.Answer(t.Context(), asked("close it"), func(core.Event) {}); err != nil {
				t.Fatal(err)
			}
			if got := llm.results()["1"]; ran != row.ran || !strings.Contains(got, row.want) {
				t.Errorf("ran %v, the model was told %q", ran, got)
			}
		})
	}
}

// The operator's list and the agent's both bound what is offered.
func TestToolLists(t *testing.T) {
	rows := []struct {
		name         string
		allow, tools []string
		want         []string
	}{
		{"all", nil, nil, []string{"internal_search", "current_time", "x"}},
		{"the operator's", []string{"internal_search", "x"}, nil, []string{"internal_search", "x"}},
		{"the agent's", nil, []string{"x"}, []string{"x"}},
		{"both", []string{"internal_search"}, []string{"x", "internal_search"}, []string{"internal_search"}},
		{"none", nil, []string{}, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			llm := &scripted{replies: []model.Reply{{Text: "ok"}}}
			a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Allow: row.allow, NewID: func() string { return "t" },
				Tools: []agent.Tool{connector{spec("x", "", ""), nil}}})
			q := asked("hello")
			q.Agent.Tools = row.tools
			if _, err := a.Answer(t.Context(), q, func(core.Event) {}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range llm.seen[0].Tools {
				got = append(got, tool.Name)
			}
			if diff := cmp.Diff(row.want, got); diff != "" || (len(got) == 0) != (llm.seen[0].Choice == "") {
				t.Errorf("choice %q, %s", llm.seen[0].Choice, diff)
			}
		})
	}
}

// An agent's own model answers with its own window; an unknown name gets the
// default.
func TestModels(t *testing.T) {
	rows := []struct {
		name, model, want string
	}{{"default", "", "default"}, {"own", "large", "own"}, {"unknown", "huge", "default"}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			own := &scripted{replies: []model.Reply{{Text: "own", Usage: core.Usage{PromptTokens: 1_000_000}}}}
			a := agent.New(agent.Options{
				Model: &scripted{replies: []model.Reply{{Text: "default"}}}, Searcher: &fakeIndex{}, NewID: func() string { return "t" },
				Models: func(name string) (agent.Setup, bool) {
					return agent.Setup{Model: own, Name: "large", Profile: agent.Profile{Vision: true}}, name == "large"
				},
				Cost: func(name string, u core.Usage) (float64, bool) {
					return 3 * float64(u.PromptTokens) / 1e6, name == "large"
				},
			})
			q := asked("hello")
			q.Agent.Model = row.model
			q.Files = []core.Attachment{{Name: "a.png", MediaType: "image/png", Data: []byte{1, 2}}}
			turn, err := a.Answer(t.Context(), q, func(core.Event) {})
			if err != nil || turn.Answer.Text != row.want {
				t.Fatalf("%q, %v", turn.Answer.Text, err)
			}
			trace, err := agent.ParseTrace(turn.Trace)
			if err != nil || (trace.Models[0].Cost != nil) != (row.want == "own") {
				t.Errorf("trace %+v, %v", trace.Models, err)
			}
			if row.want != "own" {
				return
			}
			last := own.seen[0].Messages[len(own.seen[0].Messages)-1]
			if *trace.Models[0].Cost != 3 || trace.Models[0].Model != "large" || len(last.Images) != 1 ||
				last.Images[0] != "data:image/png;base64,AQI=" || !strings.Contains(last.Content, "[image: a.png]") {
				t.Errorf("cost %v, images %v, %q", *trace.Models[0].Cost, last.Images, last.Content)
			}
		})
	}
}

func TestParseTrace(t *testing.T) {
	rows := []struct {
		raw  string
		want core.Kind
	}{
		{`{"class":"dm","tools":[],"model_calls":[]}`, ""}, {`{"version":2}`, ""},
		{`{"version":99}`, core.KindConflict}, {``, core.KindInvalid}, {`[]`, core.KindInvalid},
	}
	for _, row := range rows {
		if _, err := agent.ParseTrace([]byte(row.raw)); core.KindOf(err) != row.want {
			t.Errorf("%s: %v", row.raw, err)
		}
	}
}

// Close stops a summary in progress and waits for it; the answer was out before.
func TestCloseWaits(t *testing.T) {
	began, ended := make(chan struct{}), false
	llm := modelFunc(func(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
		if len(req.Tools) > 0 {
			return model.Reply{Text: "Answer."}, each(model.Delta{Text: "Answer."})
		}
		close(began)
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond)
		ended = true
		return model.Reply{}, ctx.Err()
	})
	rec := &recorder{}
	a := agent.New(agent.Options{Model: llm, Searcher: &fakeIndex{}, Memory: rec, Recorder: rec, Window: 3400, NewID: func() string { return "t" }})
	q := asked("short")
	long := strings.Repeat("long ", 620)
	q.History = []core.Turn{{ID: "1", Question: long, Answer: core.Answer{Text: "a"}}}
	// Under its share before the question, over it after the answer.
	q.Text = long
	if _, err := a.Answer(t.Context(), q, func(core.Event) {}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-began:
	case <-time.After(2 * time.Minute):
		t.Fatal("no summary was begun")
	}
	a.Close()
	if !ended || len(rec.summaries) != 0 {
		t.Errorf("ended %v, %d summaries", ended, len(rec.summaries))
	}
}

type modelFunc func(context.Context, model.Request, func(model.Delta) error) (model.Reply, error)

func (f modelFunc) Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
	return f(ctx, req, each)
}
