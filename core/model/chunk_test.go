package model

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Chunks as servers really send them.
func TestChunkShapes(t *testing.T) {
	rows := []struct {
		name, json      string
		text, reasoning string
		problem         string
	}{
		{"plain", `{"choices":[{"delta":{"content":"a"}}]}`, "a", "", ""},
		{"nulls", `{"choices":[{"delta":{"content":null,"tool_calls":null,"reasoning":null},"finish_reason":null}],"usage":null,"error":null}`, "", "", ""},
		{"list of parts", `{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, "ab", "", ""},
		{"thinking part", `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}`, "", "hm", ""},
		{"both reasoning fields", `{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm"}}]}`, "", "hm", ""},
		{"two reasoning fields", `{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"summary"}}]}`, "", "hm", ""},
		{"refusal", `{"choices":[{"delta":{"content":null,"refusal":"no"}}]}`, "no", "", ""},
		{"unknown fields", `{"x":1,"choices":[{"delta":{"content":"a","audio":{}},"logprobs":{}}]}`, "a", "", ""},
		{"error object", `{"error":{"message":"boom","code":500}}`, "", "", "boom"},
		{"error text", `{"error":"boom"}`, "", "", "boom"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var ch chunk
			if err := json.Unmarshal([]byte(row.json), &ch); err != nil {
				t.Fatal(err)
			}
			text, reasoning := "", ""
			if len(ch.Choices) > 0 {
				text, reasoning = ch.Choices[0].Delta.text(), ch.Choices[0].Delta.reasoning("reasoning")
			}
			if text != row.text || reasoning != row.reasoning || ch.errorMessage() != row.problem {
				t.Errorf("got %q, %q, %q", text, reasoning, ch.errorMessage())
			}
		})
	}
}

// Pieces of calls as servers really send them.
func TestCallBuilder(t *testing.T) {
	rows := []struct {
		name   string
		pieces []string
		want   []ToolCall
	}{
		{"by index", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`,
			`{"index":0,"function":{"arguments":"}"}}`, `{"index":1,"function":{"arguments":"{}"}}`,
		}, []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "{}"}}},
		{"whole calls, all with index 0", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}`,
		}, []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
		{"no index", []string{
			`{"id":"a","function":{"name":"f","arguments":"{\"q\":"}}`, `{"function":{"arguments":"1}"}}`, `{"id":"b","function":{"name":"g","arguments":"{}"}}`,
		}, []ToolCall{{ID: "a", Name: "f", Arguments: `{"q":1}`}, {ID: "b", Name: "g", Arguments: "{}"}}},
		{"neither index nor id", []string{
			`{"function":{"name":"f","arguments":{"q":[1]}}}`, `{"function":{"name":"f","arguments":{"q":[2]}}}`,
		}, []ToolCall{{ID: "call_1", Name: "f", Arguments: `{"q":[1]}`}, {ID: "call_2", Name: "f", Arguments: `{"q":[2]}`}}},
		{"name and id repeated in every piece", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`,
		}, []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		{"one id for two calls", []string{
			`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"x","function":{"name":"g","arguments":"{}"}}`,
		}, []ToolCall{{ID: "x", Name: "f", Arguments: "{}"}, {ID: "call_2", Name: "g", Arguments: "{}"}}},
		{"null arguments", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`},
			[]ToolCall{{ID: "a", Name: "f"}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var b callBuilder
			for _, piece := range row.pieces {
				var p chunkCall
				if err := json.Unmarshal([]byte(piece), &p); err != nil {
					t.Fatal(err)
				}
				b.add(p)
			}
			if diff := cmp.Diff(row.want, b.calls()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAdapt(t *testing.T) {
	rows := []struct {
		name    string
		from    quirks
		status  int
		message string
		want    quirks
		again   bool
	}{
		{"stream_options", quirks{}, 400, "Unrecognized request argument: stream_options", quirks{noUsage: true}, true},
		{"the same again", quirks{noUsage: true}, 400, "stream_options", quirks{noUsage: true}, false},
		{"max_tokens", quirks{}, 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", quirks{completionTokens: true, limitLearnt: true}, true},
		{"max_completion_tokens, older Azure", quirks{completionTokens: true}, 400, "Unrecognized request argument supplied: max_completion_tokens", quirks{limitLearnt: true}, true},
		{"neither of the two", quirks{limitLearnt: true}, 400, "max_completion_tokens is not supported", quirks{limitLearnt: true}, false},
		{"calls of earlier messages", quirks{}, 400, "Unexpected tool call id call_1", quirks{flatten: true}, true},
		{"tools", quirks{}, 400, "registry/gemma does not support tools", quirks{noTools: true}, true},
		{"tools, vLLM", quirks{}, 400, `"auto" tool choice requires --enable-auto-tool-choice`, quirks{noTools: true}, true},
		{"bad tool schema", quirks{}, 400, "Invalid schema for tool 'x'", quirks{}, false},
		{"another status", quirks{}, 500, "stream_options", quirks{}, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, again := adapt(row.from, row.status, row.message)
			if got != row.want || again != row.again {
				t.Errorf("got %+v, %v", got, again)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, " 0.5 ": 500 * time.Millisecond, "-1": 0, "soon": 0, "NaN": 0, "1e300": 0,
		now.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
	for _, row := range []struct {
		asked   time.Duration
		attempt int
		want    time.Duration
		again   bool
	}{
		{0, 1, 250 * time.Millisecond, true},
		{0, 2, 500 * time.Millisecond, true},
		{2 * time.Second, 1, 2 * time.Second, true},
		{11 * time.Second, 1, 0, false},
	} {
		if got, again := waitFor(row.asked, row.attempt, 10*time.Second); got != row.want || again != row.again {
			t.Errorf("%v, attempt %d: got %v, %v", row.asked, row.attempt, got, again)
		}
	}
}
