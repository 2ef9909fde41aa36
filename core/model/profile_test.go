package model_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func TestProfileFor(t *testing.T) {
	rows := []struct{ name, base, want string }{
		{"", "https://api.openai.com/v1", "openai"},
		{"", "https://team.openai.azure.com/openai/v1", "azure"},
		{"", "https://api.anthropic.com/v1", "anthropic"},
		{"", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini"},
		{"", "https://openrouter.ai/api/v1", "openrouter"},
		{"", "https://api.mistral.ai/v1", "mistral"},
		{"", "http://localhost:11434/v1", "ollama"},
		{"", "http://10.0.0.7:1234/v1", "lmstudio"},
		{"", "http://vllm.cluster.local:8000/v1", "vllm"},
		{"", "http://llama-cpp:8080/v1", "llamacpp"},
		{"", "http://127.0.0.1:8000/v1", "generic"},
		{"", "https://API.MISTRAL.AI/v1", "mistral"},
		{"mistral", "http://localhost:11434/v1", "mistral"},
		{" vLLM ", "http://127.0.0.1:8000/v1", "vllm"},
	}
	for _, row := range rows {
		base, err := url.Parse(row.base)
		if err != nil {
			t.Fatal(err)
		}
		p, err := model.ProfileFor(row.name, base)
		if err != nil || p.Name != row.want {
			t.Errorf("%q at %s: got %q, %v; want %q", row.name, row.base, p.Name, err, row.want)
		}
	}
}

func TestProfileTableIsWhole(t *testing.T) {
	table := model.Profiles()
	seen := map[string]bool{}
	for _, p := range table {
		if p.Name == "" || seen[p.Name] || p.AuthHeader == "" || p.NativeTools == "" ||
			(p.MaxTokensField != "max_tokens" && p.MaxTokensField != "max_completion_tokens") {
			t.Errorf("%+v is not whole", p)
		}
		seen[p.Name] = true
	}
	if last := table[len(table)-1]; last.Name != "generic" {
		t.Errorf("the last profile is %s", last.Name)
	}
}

func TestUnknownProfileNamesTheNearest(t *testing.T) {
	_, err := model.New(model.Config{BaseURL: "https://h/v1", Name: "m", Profile: "olama", Section: "model.fallback[1]"})
	if core.KindOf(err) != core.KindConfig {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"model.fallback[1].profile", `"olama"`, `"ollama"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

// What servers of each kind get to see.
func TestWireOfProfiles(t *testing.T) {
	history := ask()
	history.MaxOutput = 77
	history.Messages = append(history.Messages,
		model.Message{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "call_1", Name: "lookup", Arguments: `{"q":"x"}`}}},
		model.Message{Role: model.ToolRole, ToolCallID: "call_1", Content: "found"})
	rows := []struct {
		profile, name                  string
		usage, header, oldLimit, short bool
	}{
		{"openai", "gpt-4o", true, true, false, false},
		{"azure", "deployed", true, false, false, false},
		{"mistral", "small", false, true, true, true},
		{"generic", "small", true, true, true, false},
		{"generic", "o3-mini", true, true, false, false},
	}
	for _, row := range rows {
		t.Run(row.profile+" "+row.name, func(t *testing.T) {
			srv := start(t, modeltest.Script{Key: secret, Replies: []modeltest.Reply{{Text: "ok"}}})
			c := client(t, srv.URL, func(cfg *model.Config) { cfg.Profile, cfg.Name = row.profile, row.name })
			if _, err := c.Stream(t.Context(), history, func(model.Delta) error { return nil }); err != nil {
				t.Fatal(err)
			}
			got := srv.Requests()[0]
			if (got.Chat.Options != nil) != row.usage {
				t.Errorf("stream_options sent: %v", got.Chat.Options != nil)
			}
			if (got.Header.Get("Authorization") != "") != row.header {
				t.Errorf("headers %v", got.Header)
			}
			if want := (map[bool]int{true: 77})[row.oldLimit]; got.Chat.MaxTokens != want || got.Chat.Completion != 77-want {
				t.Errorf("max_tokens %d, max_completion_tokens %d", got.Chat.MaxTokens, got.Chat.Completion)
			}
			call, result := got.Chat.Messages[2].ToolCalls[0].ID, got.Chat.Messages[3].ToolCallID
			if call != result || (len(call) == 9) != row.short {
				t.Errorf("ids %q and %q", call, result)
			}
			if len(got.Chat.Tools) != 1 {
				t.Errorf("%d tools", len(got.Chat.Tools))
			}
		})
	}
}

// The wire library knows models that take tools elsewhere only: they get them in
// the text.
func TestToolsInTextWhereTheLibraryRefusesThem(t *testing.T) {
	for _, name := range []string{"gpt-6-sol", "gpt-6-astra"} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Text: `{"name":"lookup","arguments":{"q":"x"}}`}}})
			got, err := client(t, srv.URL, func(cfg *model.Config) { cfg.Name = name }).Stream(t.Context(), ask(), func(model.Delta) error { return nil })
			if err != nil || len(got.Calls) != 1 || got.Calls[0].Name != "lookup" {
				t.Fatalf("got %+v, %v", got, err)
			}
			if chat := srv.Requests()[0].Chat; len(chat.Tools) != 0 {
				t.Errorf("the server saw %+v", chat)
			}
		})
	}
}

func TestReasoningModelsGetTheirTools(t *testing.T) {
	for _, name := range []string{"o1", "o3-mini", "o4-mini", "gpt-5-nano"} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Calls: []modeltest.Call{{ID: "a", Name: "lookup", Arguments: raw(`{"q":"x"}`)}}}}})
			req := ask()
			req.MaxOutput = 9
			got, err := client(t, srv.URL, func(cfg *model.Config) { cfg.Name = name }).Stream(t.Context(), req, func(model.Delta) error { return nil })
			if err != nil || len(got.Calls) != 1 {
				t.Fatalf("got %+v, %v", got, err)
			}
			if chat := srv.Requests()[0].Chat; len(chat.Tools) != 1 || chat.Completion != 9 || chat.MaxTokens != 0 {
				t.Errorf("the server saw %+v", chat)
			}
		})
	}
}

func TestServerThatRefusesHistoryGetsText(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{
		{Status: 400, Body: `{"error":{"message":"Unexpected tool call id call_1 in tool results"}}`}, {Text: "ok"}}})
	req := ask()
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "call_1", Name: "lookup", Arguments: `{"q":"x"}`}}},
		model.Message{Role: model.ToolRole, ToolCallID: "call_1", Content: "found it"})
	got, err := client(t, srv.URL, nil).Stream(t.Context(), req, func(model.Delta) error { return nil })
	if err != nil || got.Text != "ok" || got.Attempts != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	messages := srv.Requests()[1].Chat.Messages
	if m := messages[2]; m.Role != "assistant" || len(m.ToolCalls) != 0 || !strings.Contains(m.Content, `{"q":"x"}`) {
		t.Errorf("the call is %+v", m)
	}
	if m := messages[3]; m.Role != "user" || !strings.Contains(m.Content, "found it") {
		t.Errorf("the result is %+v", m)
	}
	if tools := srv.Requests()[1].Chat.Tools; len(tools) != 1 {
		t.Errorf("%d tools are offered", len(tools))
	}
}

func TestAzureVersionStaysInTheAddress(t *testing.T) {
	const base = "https://team.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
	if _, err := model.New(model.Config{BaseURL: base, Name: "d"}); err != nil {
		t.Error(err)
	}
	if _, err := model.New(model.Config{BaseURL: strings.Replace(base, "azure", "elsewhere", 1), Name: "d"}); core.KindOf(err) != core.KindConfig {
		t.Errorf("got %v", err)
	}
}
