package model_test

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// The replies of a model that can do everything, in the order of the probe.
func ableReplies() []modeltest.Reply {
	return []modeltest.Reply{
		{Text: "one, two, three, four", Split: 4, Usage: &modeltest.Usage{Prompt: 20, Completion: 8}},
		{Calls: []modeltest.Call{
			{ID: "a", Name: "weather", Arguments: raw(`{"city":"Oslo"}`)}, {ID: "b", Name: "weather", Arguments: raw(`{"city":"Lima"}`)}}},
		{Text: `{"city":"Paris"}`},
		{Text: "Red."},
	}
}

func replaced(at int, r modeltest.Reply) []modeltest.Reply {
	out := ableReplies()
	out[at] = r
	return out
}

// outcomes is the probe's result in short.
func outcomes(p model.Capabilities) map[string]model.Outcome {
	out := map[string]model.Outcome{}
	for _, c := range p.Checks {
		out[c.Name] = c.Outcome
	}
	return out
}

// One thing at a time that a model or server cannot do. What is not in diff is
// as with the model that can do everything.
func TestProbe(t *testing.T) {
	const ok, failed, unknown = model.CheckOK, model.CheckFailed, model.CheckUnknown
	able := map[string]model.Outcome{"reachable": ok, "key": ok, "model": ok, "stream": ok, "usage": ok,
		"tools": ok, "parallel_tools": ok, "json_schema": ok, "vision": ok, "window": unknown}
	afterModel := map[string]model.Outcome{"stream": unknown, "usage": unknown, "tools": unknown, "parallel_tools": unknown,
		"json_schema": unknown, "vision": unknown, "window": unknown}
	rows := []struct {
		name   string
		script modeltest.Script
		change func(*model.Config)
		diff   map[string]model.Outcome
		more   map[string]model.Outcome
		check  string   // the check whose words are looked at
		says   []string // in its detail or fix
	}{
		{"can do everything", modeltest.Script{Replies: ableReplies()}, nil, nil, nil, "parallel_tools", []string{"2 calls"}},
		{"no usage", modeltest.Script{Replies: replaced(0, modeltest.Reply{Text: "one, two", Split: 2})}, nil,
			map[string]model.Outcome{"usage": failed}, nil, "usage", []string{"estimated"}},
		{"not streamed", modeltest.Script{Replies: replaced(0, modeltest.Reply{Text: "one, two", Plain: true, Usage: &modeltest.Usage{Prompt: 20}})}, nil,
			map[string]model.Outcome{"stream": failed}, nil, "stream", []string{"one piece"}},
		{"empty reply", modeltest.Script{Replies: replaced(0, modeltest.Reply{Usage: &modeltest.Usage{Prompt: 20}})}, nil,
			map[string]model.Outcome{"stream": failed}, nil, "stream", []string{"empty", "stop"}},
		{"thinks only", modeltest.Script{Replies: replaced(0, modeltest.Reply{Reasoning: "hm", Finish: "length", Usage: &modeltest.Usage{Prompt: 20}})}, nil,
			map[string]model.Outcome{"stream": unknown}, nil, "stream", []string{"model.max_output"}},
		{"tools refused", modeltest.Script{Replies: slices.Insert(ableReplies(), 1, modeltest.Reply{Status: 400, Body: `{"error":"tiny does not support tools"}`})}, nil,
			map[string]model.Outcome{"tools": failed, "parallel_tools": unknown}, nil, "tools", []string{"refuses", "in the text"}},
		{"calls in the text", modeltest.Script{Replies: replaced(1, modeltest.Reply{Text: `<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>`})}, nil,
			map[string]model.Outcome{"tools": failed, "parallel_tools": unknown}, nil, "tools", []string{"into the text"}},
		{"no call", modeltest.Script{Replies: replaced(1, modeltest.Reply{Text: "It is sunny."})}, nil,
			map[string]model.Outcome{"tools": unknown, "parallel_tools": unknown}, nil, "tools", []string{"without calling"}},
		{"a call that cannot be read", modeltest.Script{Replies: replaced(1, modeltest.Reply{Calls: []modeltest.Call{{ID: "a", Name: "weather", Arguments: raw(`[1]`)}}})}, nil,
			map[string]model.Outcome{"tools": failed, "parallel_tools": unknown}, nil, "tools", []string{"cannot be read"}},
		{"one call", modeltest.Script{Replies: replaced(1, modeltest.Reply{Calls: []modeltest.Call{{ID: "a", Name: "weather", Arguments: raw(`{"city":"Oslo"}`)}}})}, nil,
			map[string]model.Outcome{"parallel_tools": unknown}, nil, "parallel_tools", []string{"one call"}},
		{"schema refused", modeltest.Script{Replies: replaced(2, modeltest.Reply{Status: 400})}, nil,
			map[string]model.Outcome{"json_schema": failed}, nil, "json_schema", []string{"400"}},
		{"schema passed over", modeltest.Script{Replies: replaced(2, modeltest.Reply{Text: "Paris."})}, nil,
			map[string]model.Outcome{"json_schema": failed}, nil, "json_schema", []string{"does not satisfy"}},
		{"pictures refused", modeltest.Script{Replies: replaced(3, modeltest.Reply{Status: 400})}, nil,
			map[string]model.Outcome{"vision": failed}, nil, "vision", []string{"400"}},
		{"pictures passed over", modeltest.Script{Replies: replaced(3, modeltest.Reply{Text: "I see no picture."})}, nil,
			map[string]model.Outcome{"vision": unknown}, nil, "vision", []string{"colour"}},
		{"server fault in the middle", modeltest.Script{Replies: replaced(2, modeltest.Reply{Status: 500})},
			func(c *model.Config) { c.Retries = -1 }, map[string]model.Outcome{"json_schema": unknown}, nil, "json_schema", []string{"500"}},
		{"wrong key", modeltest.Script{Key: "another"}, nil, map[string]model.Outcome{"key": failed, "model": unknown}, afterModel, "key", []string{"401", "model.api_key"}},
		{"no such model", modeltest.Script{Models: []string{"gemma", "smaller", "large", "small-2"}, Replies: []modeltest.Reply{{Status: 404}}}, nil,
			map[string]model.Outcome{"model": failed}, afterModel, "model", []string{"404", "smaller, small-2", "model.name"}},
		{"busy", modeltest.Script{Replies: []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "3600"}}}}, nil,
			map[string]model.Outcome{"model": unknown}, afterModel, "model", []string{"429"}},
		{"a web page", modeltest.Script{Replies: []modeltest.Reply{{Status: 200, Body: "<html>", Header: map[string]string{"Content-Type": "text/html"}}}}, nil,
			map[string]model.Outcome{"key": unknown, "model": failed}, afterModel, "model", []string{"OpenAI"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, row.script)
			got, err := client(t, srv.URL, row.change).Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]model.Outcome{}
			for _, part := range []map[string]model.Outcome{able, row.more, row.diff} {
				for name, o := range part {
					want[name] = o
				}
			}
			if diff := cmp.Diff(want, outcomes(got)); diff != "" {
				t.Error(diff)
			}
			c := got.Check(row.check)
			for _, part := range row.says {
				if !strings.Contains(c.Detail+" "+c.Fix, part) {
					t.Errorf("%+v does not say %q", c, part)
				}
			}
			whole, err := json.Marshal(got)
			if err != nil || strings.Contains(string(whole), secret) {
				t.Errorf("%v, %s", err, whole)
			}
		})
	}
}

func TestProbeOfNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	got, err := client(t, "http://"+l.Addr().String()+"/v1", func(c *model.Config) { c.Retries = -1 }).Probe(t.Context())
	if err != nil || len(got.Checks) != 10 || !got.Failed() {
		t.Fatalf("got %+v, %v", got, err)
	}
	if c := got.Check(model.CheckReachable); c.Outcome != model.CheckFailed || !strings.Contains(c.Fix, "model.base_url") {
		t.Errorf("got %+v", c)
	}
}

func TestProbeIsStopped(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{ableReplies()[0], {DelayMS: 60_000}}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	got, err := client(t, srv.URL, nil).Probe(ctx)
	if core.KindOf(err) != core.KindCancelled || got.Check(model.CheckKey).Outcome != model.CheckOK {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Where servers tell their window, and what is said about the configured one.
func TestProbeWindow(t *testing.T) {
	rows := []struct {
		name    string
		pages   map[string]string
		set     int
		window  int
		outcome model.Outcome
		says    string
	}{
		{"nobody tells", nil, 0, 0, model.CheckUnknown, "Set model.context_window"},
		{"nobody tells, but it is set", nil, 4096, 0, model.CheckUnknown, "4096 tokens are set"},
		{"vLLM", map[string]string{"/v1/models": `{"data":[{"id":"other","max_model_len":9},{"id":"small","max_model_len":8192}]}`}, 0, 8192, model.CheckOK, "/models"},
		{"OpenRouter", map[string]string{"/v1/models": `{"data":[{"id":"small","context_length":131072,"top_provider":{"context_length":65536}}]}`}, 65536, 65536, model.CheckOK, "65536 are served"},
		{"LM Studio", map[string]string{"/api/v0/models": `{"data":[{"id":"small","max_context_length":32768,"loaded_context_length":4096}]}`}, 32768, 4096, model.CheckFailed, "/api/v0/models"},
		{"Mistral", map[string]string{"/v1/models": `{"data":[{"id":"small","max_context_length":32768}]}`}, 8192, 32768, model.CheckOK, "8192 tokens are set"},
		{"llama.cpp", map[string]string{"/props": `{"default_generation_settings":{"n_ctx":16384}}`}, 0, 16384, model.CheckOK, "/props"},
		{"Ollama, running", map[string]string{"/api/ps": `{"models":[{"name":"small:latest","context_length":4096}]}`,
			"/api/show": `{"parameters":"num_ctx 8192"}`}, 32768, 4096, model.CheckFailed, "/api/ps"},
		{"Ollama, set for the model", map[string]string{"/api/show": `{"parameters":"stop \"x\"\nnum_ctx                        8192","model_info":{"llama.context_length":131072}}`}, 0, 8192, model.CheckOK, "/api/show"},
		{"Ollama, the model's maximum only", map[string]string{"/api/show": `{"model_info":{"llama.context_length":131072}}`}, 0, 0, model.CheckUnknown, "131072"},
		{"pages of another kind", map[string]string{"/props": `<html>`, "/api/ps": `[]`, "/api/show": `7`, "/v1/models": `{"data":{}}`}, 0, 0, model.CheckUnknown, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, modeltest.Script{Replies: ableReplies(), Pages: row.pages})
			got, err := client(t, srv.URL, func(c *model.Config) { c.ContextWindow = row.set }).Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c := got.Check(model.CheckWindow)
			if got.Window != row.window || c.Outcome != row.outcome || !strings.Contains(c.Detail+" "+c.Fix, row.says) {
				t.Errorf("got %d, %+v", got.Window, c)
			}
		})
	}
}

// What the probe asks is small, and shows the picture.
func TestProbeAsksLittle(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: ableReplies()})
	if _, err := client(t, srv.URL, nil).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := srv.Requests()
	if len(asked) != 4 {
		t.Fatalf("asked %d times", len(asked))
	}
	for _, r := range asked {
		if len(r.Body) > 2000 || r.Chat.MaxTokens == 0 {
			t.Errorf("a request of %d bytes for at most %d tokens", len(r.Body), r.Chat.MaxTokens)
		}
	}
	if images := asked[3].Chat.Messages[0].Images; len(images) != 1 || !strings.HasPrefix(images[0], "data:image/png;base64,") {
		t.Errorf("got images %v", images)
	}
	if !strings.Contains(string(asked[2].Body), `"response_format"`) {
		t.Errorf("no schema was sent: %s", asked[2].Body)
	}
}
