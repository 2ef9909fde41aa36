package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

const secret = "sk-very-secret-key"

func start(t *testing.T, script modeltest.Script) *modeltest.Server {
	t.Helper()
	srv := modeltest.Start(script)
	t.Cleanup(srv.Close)
	return srv
}

func client(t *testing.T, url string, change func(*model.Config)) *model.Client {
	t.Helper()
	cfg := model.Config{BaseURL: url, Name: "small", APIKey: secret}
	if change != nil {
		change(&cfg)
	}
	c, err := model.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask() model.Request {
	return model.Request{
		Messages: []model.Message{{Role: model.System, Content: "Be short."}, {Role: model.User, Content: "Hello?"}},
		Tools:    []model.Tool{{Name: "lookup", Description: "looks up", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)}},
		Choice:   model.ChoiceAuto,
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// replies that arrive whole, however the server spells them.
func TestStreamReplies(t *testing.T) {
	two := []modeltest.Call{
		{ID: "a", Name: "lookup", Arguments: raw(`{"q":"one"}`), Split: 2},
		{ID: "b", Name: "lookup", Arguments: raw(`{"q":"two"}`), Split: 3},
	}
	twoCalls := []model.ToolCall{
		{ID: "a", Name: "lookup", Arguments: `{"q":"one"}`},
		{ID: "b", Name: "lookup", Arguments: `{"q":"two"}`},
	}
	rows := []struct {
		name    string
		replies []modeltest.Reply
		want    model.Reply
	}{
		{"text in pieces", []modeltest.Reply{{Text: "Grüße, 世界!", Split: 1, Usage: &modeltest.Usage{Prompt: 9, Completion: 4}}},
			model.Reply{Text: "Grüße, 世界!", Finish: "stop", Usage: core.Usage{PromptTokens: 9, CompletionTokens: 4}, Attempts: 1}},
		{"reasoning_content", []modeltest.Reply{{Reasoning: "hm", Text: "yes"}},
			model.Reply{Reasoning: "hm", Text: "yes", Finish: "stop", Attempts: 1}},
		{"reasoning", []modeltest.Reply{{Reasoning: "hm hm", ReasoningField: "reasoning", Split: 2, Text: "yes"}},
			model.Reply{Reasoning: "hm hm", Text: "yes", Finish: "stop", Attempts: 1}},
		{"thinking in the text", []modeltest.Reply{{Text: "\n<think>hm <b>\n</think>\n\nyes </think>", Split: 1}},
			model.Reply{Reasoning: "hm <b>\n", Text: "yes </think>", Finish: "stop", Attempts: 1}},
		{"thinking that never ends", []modeltest.Reply{{Text: "<think>hm", Split: 2}},
			model.Reply{Reasoning: "hm", Finish: "stop", Attempts: 1}},
		{"almost a tag", []modeltest.Reply{{Text: "<thin", Split: 2}},
			model.Reply{Text: "<thin", Finish: "stop", Attempts: 1}},
		{"parallel calls, interleaved", []modeltest.Reply{{Text: "Let me see.", Calls: two}},
			model.Reply{Text: "Let me see.", Calls: twoCalls, Finish: "tool_calls", Attempts: 1}},
		{"not streamed", []modeltest.Reply{{Text: "whole", Calls: two, Plain: true, Usage: &modeltest.Usage{Prompt: 1, Completion: 2}}},
			model.Reply{Text: "whole", Calls: twoCalls, Finish: "tool_calls", Usage: core.Usage{PromptTokens: 1, CompletionTokens: 2}, Attempts: 1}},
		{"no [DONE] but a finish reason", []modeltest.Reply{{Text: "ok", NoDone: true}},
			model.Reply{Text: "ok", Finish: "stop", Attempts: 1}},
		{"[DONE] but no finish reason", []modeltest.Reply{{Text: "ok", Finish: "none"}},
			model.Reply{Text: "ok", Attempts: 1}},
		{"refuses stream_options", []modeltest.Reply{{Text: "ok", RefuseField: "stream_options"}},
			model.Reply{Text: "ok", Finish: "stop", Attempts: 2}},
		{"429 with Retry-After, then fine", []modeltest.Reply{
			{Status: 429, Header: map[string]string{"Retry-After": "0.05"}}, {Text: "ok"}},
			model.Reply{Text: "ok", Finish: "stop", Attempts: 2}},
		{"an empty stream, then fine", []modeltest.Reply{{Finish: "none"}, {Text: "ok"}},
			model.Reply{Text: "ok", Finish: "stop", Attempts: 2}},
		{"503 and a broken connection, then fine", []modeltest.Reply{{Status: 503}, {CutAfter: modeltest.N(0)}, {Text: "ok"}},
			model.Reply{Text: "ok", Finish: "stop", Attempts: 3}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, modeltest.Script{Replies: row.replies})
			var text, reasoning strings.Builder
			got, err := client(t, srv.URL, nil).Stream(t.Context(), ask(), func(d model.Delta) error {
				text.WriteString(d.Text)
				reasoning.WriteString(d.Reasoning)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.First <= 0 {
				t.Error("no time to the first chunk")
			}
			if got.Model != "small" {
				t.Errorf("answered by %q", got.Model)
			}
			got.First, got.Queued, got.Model = 0, 0, ""
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			if text.String() != got.Text || reasoning.String() != got.Reasoning {
				t.Errorf("deltas %q and %q do not add up to the reply", text.String(), reasoning.String())
			}
		})
	}
}

// failures: kind, what the sentence must name, how often the server was asked,
// and the text that is kept.
func TestStreamFailures(t *testing.T) {
	rows := []struct {
		name   string
		script modeltest.Script
		change func(*model.Config)
		kind   core.Kind
		names  []string
		asked  int
		text   string
	}{
		{"wrong key", modeltest.Script{Key: "another"}, nil, core.KindAuth, []string{"model.api_key", "401"}, 1, ""},
		{"forbidden", modeltest.Script{Replies: []modeltest.Reply{{Status: 403}}}, nil, core.KindAuth, []string{"model.api_key"}, 1, ""},
		{"wrong name, models listed", modeltest.Script{Models: []string{"large", "tiny"}, Replies: []modeltest.Reply{{Status: 404}}},
			nil, core.KindConfig, []string{"small", "model.name", "large, tiny"}, 1, ""},
		{"wrong name, models not listed", modeltest.Script{Replies: []modeltest.Reply{{Status: 404}}},
			nil, core.KindConfig, []string{"small", "model.name", "model.base_url"}, 1, ""},
		{"wrong name as 400", modeltest.Script{Models: []string{"large"}, Replies: []modeltest.Reply{
			{Status: 400, Body: `{"error":{"message":"Invalid model name passed"}}`}}},
			nil, core.KindConfig, []string{"large"}, 1, ""},
		{"context too long", modeltest.Script{Replies: []modeltest.Reply{
			{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`}}},
			nil, core.KindTooLarge, []string{"model.context_window"}, 1, ""},
		{"busy for good", modeltest.Script{Replies: []modeltest.Reply{{Status: 429}, {Status: 429}, {Status: 429}}},
			nil, core.KindBusy, []string{"429", "model.api_key"}, 3, ""},
		{"Retry-After over the bound", modeltest.Script{Replies: []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "3600"}}}},
			nil, core.KindBusy, []string{"1h0m0s"}, 1, ""},
		{"moved", modeltest.Script{Replies: []modeltest.Reply{{Status: 301, Header: map[string]string{"Location": "https://new.example.com/v1/chat/completions?key=" + secret}}}},
			nil, core.KindConfig, []string{"301", "https://new.example.com", "model.base_url"}, 1, ""},
		{"no credit", modeltest.Script{Replies: []modeltest.Reply{{Status: 402}}}, nil, core.KindBusy, []string{"quota", "model.api_key"}, 1, ""},
		{"an empty stream", modeltest.Script{Replies: []modeltest.Reply{{Finish: "none"}, {Finish: "none"}, {Finish: "none"}}}, nil, core.KindUnavailable, []string{"model.base_url", "without saying anything"}, 3, ""},
		{"quota used up", modeltest.Script{Replies: []modeltest.Reply{{Status: 429, Body: `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`}}},
			nil, core.KindBusy, []string{"quota", "model.api_key"}, 1, ""},
		{"server fault for good", modeltest.Script{Replies: []modeltest.Reply{{Status: 500}, {Status: 502, Body: "<html>bad gateway</html>"}, {Status: 503}}},
			nil, core.KindUnavailable, []string{"503", "model.base_url"}, 3, ""},
		{"malformed chunk in mid-answer", modeltest.Script{Replies: []modeltest.Reply{{Text: "half an answer", Split: 5, GarbageAfter: modeltest.N(2)}}},
			nil, core.KindUnavailable, []string{"model.base_url"}, 1, "half an an"},
		{"cut in mid-answer", modeltest.Script{Replies: []modeltest.Reply{{Text: "half an answer", Split: 5, CutAfter: modeltest.N(2)}}},
			nil, core.KindUnavailable, []string{"broke in the middle"}, 1, "half an an"},
		{"error object in mid-answer", modeltest.Script{Replies: []modeltest.Reply{{Text: "half an answer", Split: 5, ErrorAfter: modeltest.N(2)}}},
			nil, core.KindUnavailable, nil, 1, "half an an"},
		{"silence in mid-answer", modeltest.Script{Replies: []modeltest.Reply{{Text: "half an answer", Split: 5, HangAfter: modeltest.N(2)}}},
			func(c *model.Config) { c.IdleTimeout = 400 * time.Millisecond }, core.KindTimeout, []string{"model.idle_timeout"}, 1, "half an an"},
		{"silence before the answer", modeltest.Script{Replies: []modeltest.Reply{{DelayMS: 2000}}},
			func(c *model.Config) { c.FirstTimeout = 80 * time.Millisecond }, core.KindTimeout, []string{"model.base_url", "did not start"}, 1, ""},
		{"a web page", modeltest.Script{Replies: []modeltest.Reply{{Status: 200, Body: "<html></html>", Header: map[string]string{"Content-Type": "text/html"}}}},
			nil, core.KindUnavailable, []string{"model.base_url", "OpenAI"}, 1, ""},
		{"another JSON service", modeltest.Script{Replies: []modeltest.Reply{{Status: 200, Body: `{"status":"ok"}`}}},
			nil, core.KindUnavailable, []string{"model.base_url", "OpenAI"}, 1, ""},
		{"not a chat endpoint", modeltest.Script{Replies: []modeltest.Reply{{GarbageAfter: modeltest.N(0)}}},
			nil, core.KindUnavailable, []string{"model.base_url", "OpenAI"}, 1, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, row.script)
			var log bytes.Buffer
			c := client(t, srv.URL, func(cfg *model.Config) {
				cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				if row.change != nil {
					row.change(cfg)
				}
			})
			got, err := c.Stream(t.Context(), ask(), func(model.Delta) error { return nil })
			var e *core.Error
			if !errors.As(err, &e) || e.Kind != row.kind {
				t.Fatalf("got %v of kind %s, want kind %s", err, core.KindOf(err), row.kind)
			}
			for _, name := range row.names {
				if !strings.Contains(e.Message, name) {
					t.Errorf("%q does not name %q", e.Message, name)
				}
			}
			if n := len(srv.Requests()); n != row.asked || got.Attempts != row.asked {
				t.Errorf("asked %d times and counted %d, want %d", n, got.Attempts, row.asked)
			}
			if got.Text != row.text || got.Calls != nil {
				t.Errorf("kept %q and calls %v, want %q and none", got.Text, got.Calls, row.text)
			}
			if all := e.Message + e.Cause.Error() + log.String(); strings.Contains(all, secret) {
				t.Errorf("the key is shown: %s", all)
			}
		})
	}
}

func TestEndpointDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://user:hunter2@" + l.Addr().String() + "/v1"
	l.Close()
	_, err = client(t, url, func(c *model.Config) { c.Retries = -1 }).Stream(t.Context(), ask(), func(model.Delta) error { return nil })
	var e *core.Error
	if !errors.As(err, &e) || e.Kind != core.KindUnavailable {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{l.Addr().String(), "model.base_url"} {
		if !strings.Contains(e.Message, name) {
			t.Errorf("%q does not name %q", e.Message, name)
		}
	}
	if strings.Contains(e.Message+e.Cause.Error(), "hunter2") {
		t.Errorf("the password is shown: %v (%v)", e, e.Cause)
	}
}

func TestCancelClosesTheConnection(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Chunks: []string{"on ", "and "}, Endless: true, ChunkDelayMS: 1}}})
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	got, err := client(t, srv.URL, nil).Stream(ctx, ask(), func(model.Delta) error {
		if cancelled.IsZero() {
			cancelled = time.Now()
			cancel()
		}
		return nil
	})
	back := time.Since(cancelled)
	if core.KindOf(err) != core.KindCancelled || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if !strings.HasPrefix(got.Text, "on ") {
		t.Errorf("kept %q", got.Text)
	}
	wait, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	closed, at := srv.Requests()[0].Closed(wait)
	if !closed {
		t.Fatal("the server did not see the connection close")
	}
	t.Logf("returned after %v, closed at the server after %v", back, at.Sub(cancelled))
}

func TestCallbackErrorIsReturned(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "a b c", Split: 1}}})
	want := errors.New("enough")
	got, err := client(t, srv.URL, nil).Stream(t.Context(), ask(), func(model.Delta) error { return want })
	if err != want || !strings.HasPrefix("a b c", got.Text) || got.Text == "" || len(srv.Requests()) != 1 {
		t.Errorf("got %v with %q after %d requests", err, got.Text, len(srv.Requests()))
	}
}

func TestNewRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  model.Config
		key  string
	}{
		{"no address", model.Config{Name: "m"}, "model.base_url"},
		{"no scheme", model.Config{Name: "m", BaseURL: "localhost:8080/v1"}, "model.base_url"},
		{"key in the query", model.Config{Name: "m", BaseURL: "https://h/v1?key=" + secret}, "model.api_key"},
		{"no name", model.Config{BaseURL: "https://h/v1"}, "model.name"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := model.New(row.cfg)
			if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), row.key) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Error("the key is shown")
			}
		})
	}
}

func TestWhatTheServerSees(t *testing.T) {
	srv := start(t, modeltest.Script{Key: secret, Replies: []modeltest.Reply{{Text: "ok"}}})
	req := ask()
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, Content: "I look.", ToolCalls: []model.ToolCall{
			{ID: "1", Name: "lookup", Arguments: `{"q":"x"}`}, {ID: "2", Name: "lookup", Arguments: `{"q":`}}},
		model.Message{Role: model.ToolRole, ToolCallID: "1", Content: "found"},
		model.Message{Role: model.ToolRole, ToolCallID: "2", Content: "bad arguments"})
	req.Choice, req.MaxOutput = model.ChoiceNone, 77
	if _, err := client(t, srv.URL+"/chat/completions/", nil).Stream(t.Context(), req, func(model.Delta) error { return nil }); err != nil {
		t.Fatal(err)
	}
	chat := srv.Requests()[0].Chat
	if !chat.Stream || chat.Model != "small" || chat.MaxTokens != 77 || string(chat.ToolChoice) != `"none"` || len(chat.Tools) != 1 {
		t.Errorf("got %+v", chat)
	}
	calls := chat.Messages[2].ToolCalls
	if len(calls) != 2 || calls[0].Function.Arguments != `{"q":"x"}` || calls[1].Function.Arguments != `{}` {
		t.Errorf("got calls %+v", calls)
	}
	if m := chat.Messages[4]; m.Role != "tool" || m.ToolCallID != "2" || m.Content != "bad arguments" {
		t.Errorf("got %+v", m)
	}
}
