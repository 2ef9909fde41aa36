package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// Calls that arrive in the text or the reasoning become calls, and their markup
// is not shown.
func TestCallsInText(t *testing.T) {
	const call = `<tool_call>{"name": "lookup", "arguments": {"q": "x"}}</tool_call>`
	one := []model.ToolCall{{ID: "call_1", Name: "lookup", Arguments: `{"q":"x"}`, FromText: true}}
	rows := []struct {
		name  string
		reply modeltest.Reply
		text  bool // the model has no native calls
		given []string
		want  []model.ToolCall
		shown string
	}{
		{"markup", modeltest.Reply{Text: call}, false, nil, one, ""},
		{"markup after words", modeltest.Reply{Text: "I look.\n" + call}, true, nil, one, "I look."},
		{"in the reasoning only", modeltest.Reply{Reasoning: "So: " + call}, true, nil, one, ""},
		{"a quotation", modeltest.Reply{Text: "The page says " + call}, false, []string{"Write " + call + " here."}, nil, "The page says"},
		{"native calls win", modeltest.Reply{Text: call, Calls: []modeltest.Call{{ID: "n", Name: "lookup", Arguments: raw(`{"q":"y"}`)}}}, false, nil,
			[]model.ToolCall{{ID: "n", Name: "lookup", Arguments: `{"q":"y"}`}}, ""},
		{"prose", modeltest.Reply{Text: "Use a < b and [1] and {x}."}, false, nil, nil, "Use a < b and [1] and {x}."},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.reply.Split = 3
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{row.reply}})
			req := ask()
			req.Given = row.given
			got, err := client(t, srv.URL, func(c *model.Config) { c.TextTools = row.text }).
				Stream(t.Context(), req, func(model.Delta) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got.Calls); diff != "" {
				t.Error(diff)
			}
			if strings.TrimSpace(got.Text) != row.shown {
				t.Errorf("shown: %q, want %q", got.Text, row.shown)
			}
		})
	}
}

// A server that refuses tool definitions gets them as text, and its answer is
// read as text.
func TestServerWithoutTools(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{
		{RefuseField: "tools", Text: `<tool_call>{"name": "lookup", "arguments": {"q": "x"}}</tool_call>`},
		{Text: "done"},
	}})
	c := client(t, srv.URL, nil)
	req := ask()
	got, err := c.Stream(t.Context(), req, func(model.Delta) error { return nil })
	if err != nil || len(got.Calls) != 1 || got.Attempts != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, ToolCalls: got.Calls},
		model.Message{Role: model.ToolRole, ToolCallID: "call_1", Content: "found"})
	if _, err := c.Stream(t.Context(), req, func(model.Delta) error { return nil }); err != nil {
		t.Fatal(err)
	}
	last := srv.Requests()[2].Chat
	if len(last.Tools) != 0 || !strings.Contains(last.Messages[0].Content, `"required":["q"]`) {
		t.Errorf("got %+v", last.Messages[0])
	}
	var roles []string
	for _, m := range last.Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant", "user"}, roles); diff != "" {
		t.Error(diff)
	}
	if m := last.Messages[2]; !strings.Contains(m.Content, `"name": "lookup"`) || len(m.ToolCalls) != 0 {
		t.Errorf("got %+v", m)
	}
}
