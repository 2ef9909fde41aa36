package toolcall

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

var benchTools = []Tool{
	{Name: "internal_search", Schema: json.RawMessage(searchSchema)},
	{Name: "web_search", Schema: json.RawMessage(searchSchema)},
}

const benchProse = "Refunds are paid within five days [1], see [the policy](https://example.com/policy) and 3.5 % fees.\n" +
	"- The **form** must be signed; a < b, and `code` stays.\n"

// pieces cuts a text into tokens of four bytes, about what providers send.
func pieces(text string, tokens int) []string {
	for len(text) < 4*tokens {
		text += text
	}
	out := make([]string, tokens)
	for i := range out {
		out[i] = text[4*i : 4*i+4]
	}
	return out
}

func feed(tokens []string) {
	d := NewDetector(Options{Tools: benchTools})
	for _, t := range tokens {
		d.Write(t)
	}
	d.Close()
}

func benchTokens(b *testing.B, tokens []string) {
	b.ReportAllocs()
	for b.Loop() {
		feed(tokens)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tokens)), "ns/token")
}

func BenchmarkProse2k(b *testing.B)   { benchTokens(b, pieces(benchProse, 2_000)) }
func BenchmarkProse200k(b *testing.B) { benchTokens(b, pieces(benchProse, 200_000)) }
func BenchmarkBraces(b *testing.B)    { benchTokens(b, pieces("x "+strings.Repeat("{", 16<<10), 4<<10)) }
func BenchmarkAngles(b *testing.B)    { benchTokens(b, pieces("x "+strings.Repeat("<", 8<<10), 2<<10)) }
func BenchmarkDigits(b *testing.B)    { benchTokens(b, pieces("x "+strings.Repeat("9", 16<<10), 4<<10)) }
func BenchmarkDeep(b *testing.B)      { benchTokens(b, pieces("x "+strings.Repeat(`{"a":`, 4<<10), 4<<10)) }
func BenchmarkOneCall(b *testing.B) {
	benchTokens(b, pieces(`{"name":"web_search","arguments":{"queries":["`+strings.Repeat("word ", 200)+`"]}}`, 250))
}

// TestDelay: prose with links, citations, tags and braces is at most a few bytes
// behind the model.
func TestDelay(t *testing.T) {
	text := benchProse + "See [1][2] and [a link](https://example.com), <b>bold</b> <span class=\"x\">, map[string]int{1: 2}, if x { y }.\n" +
		"Actions: none.\n```go\nfunc f() { return }\n```\n| a | b |\n* [ ] open\n<p>end</p>"
	for _, native := range []bool{false, true} {
		d := NewDetector(Options{Tools: benchTools, Native: native})
		shown := 0
		for i := range len(text) {
			shown += len(d.Write(text[i : i+1]))
			if behind := i + 1 - shown; behind > 8 {
				t.Fatalf("native %v: %d bytes behind at %q", native, behind, text[max(0, i-20):i+1])
			}
		}
	}
}

// TestLinear reads half a megabyte of each. The bound is far above what linear work
// needs, also on a busy machine, and far below what quadratic work does.
func TestLinear(t *testing.T) {
	blanks := map[string]string{"[TOOL_CALLS]": "mistral head", "<|python_tag|>": "llama head", "<tool_call ": "attributes", "```": "label",
		"```json\n": "fence", "Action: web_search": "action", "Action: web_search\nAction Input:": "input", "web_search": "gap",
		"get_time()": "tail", "{": "object", "[": "list", "<|channel|>": "header", "x": "prose",
		"Action: web_search\nAction Input: a\n": "observation", `<invoke name="web_search">`: "invoke"}
	for prefix, name := range blanks {
		t.Run("blanks after "+name, func(t *testing.T) { linear(t, prefix, " ") })
	}
	for name, unit := range map[string]string{
		"prose": benchProse, "braces": "{", "angles": "<", "brackets": "[", "deep": `{"a":`, "openers": "<tool_call>",
		"invokes": `<invoke name="web_search">`, "keys": `{"name":"web_search","arguments":{"queries":["`, "ticks": "`",
		"fences": "```\n{", "calls": "web_search(", "headers": "<|start|>", "mistral": "[TOOL_CALLS]web_search[ARGS]{",

		"call list": `{"name":"web_search","arguments":{"queries":["a"]}},`, "react": "\nAction: web_search\nAction Input: b",
		"actions": "\nAction: web_search\nAction Input: {", "parameters": `<invoke name="web_search"><parameter name="queries">`,
		"closers": "</", "newlines": "\n", "glm": "<tool_call>web_search<arg_key>", "kimi": "<|tool_call_begin|>a<|tool_sep|>{",
	} {
		t.Run(name, func(t *testing.T) { linear(t, "", unit) })
	}
}

func linear(t *testing.T, prefix, unit string) {
	size := 512 << 10
	if testing.Short() {
		size = 64 << 10
	}
	text := prefix + strings.Repeat(unit, size/len(unit))
	start := time.Now()
	d := NewDetector(Options{Tools: benchTools, Context: []string{text}})
	for i := 0; i < len(text); i += 5 {
		d.Write(text[i:min(i+5, len(text))])
	}
	d.Write(`<tool_call>{"name":"web_search","arguments":{"queries":["z"]}}</tool_call>`)
	d.Close()
	if took := time.Since(start); took > 3*time.Minute {
		t.Errorf("%d bytes took %v", size, took)
	}
}
