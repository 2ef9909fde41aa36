package toolcall

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var fuzzOptions = Options{
	Tools: []Tool{
		{Name: "internal_search", Schema: json.RawMessage(searchSchema)},
		{Name: "web_search", Schema: json.RawMessage(searchSchema)},
		{Name: "get_time", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
	},
	Context: []string{`quoted: {"name":"web_search","arguments":{"queries":["quoted"]}}`},
}

// fragments are what messages with calls are made of.
var fragments = []string{
	`{"name":"web_search","arguments":{"queries":["a"]}}`, `{"name":"web_search","arguments":{"queries":["quoted"]}}`,
	`{"queries":["a"]}`, `{"name":"fly","arguments":{}}`, `{"x":1}`, `{"name":"get_time"`, `,`, `}`, `]`, `[`, `{`, `"`, `'`, `“`, `:`,
	"<tool_call>", "</tool_call>", "<function_calls>", "</function_calls>", `<invoke name="web_search">`, "</invoke>",
	`<parameter name="queries">`, "</parameter>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<function=web_search>", "</function>",
	"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>",
	"<|channel|>", "<|message|>", "<|call|>", "<|end|>", "<|start|>", "final", "commentary to=functions.web_search", "analysis",
	"web_search(", `queries=["a"])`, "web_search", "get_time()", "print(", ")", "Action: ", "Action Input: ", "Thought: ", "Observation: ",
	"<arg_key>queries</arg_key>", "<arg_value>a</arg_value>", "\n", " ", ";", "prose ", "é", "[1]", "<b>", "a < b", "<tool_", "<", "</",
	"<x:tool_call ", ">", "/>", "\\", "```", "```json\n", "```tool_code\n", "```go\n", "`", "~~~\n", "退款",
}

func build(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		b.WriteString(fragments[int(c)%len(fragments)])
	}
	return b.String()
}

func runPieces(o Options, pieces []string) (string, []Call) {
	d := NewDetector(o)
	var visible strings.Builder
	for _, p := range pieces {
		visible.WriteString(d.Write(p))
	}
	rest, calls := d.Close()
	return visible.String() + rest, calls
}

var hiddenBlock = regexp.MustCompile(`(?is)<(?:[a-z.]+:)?(?:function_calls|tool_call)>.*?</(?:[a-z.]+:)?(?:function_calls|tool_call)>|<\|python_tag\|>`)

// check states what holds for every message.
func check(t *testing.T, text string, seed int64, native bool) {
	o := fuzzOptions
	o.Native = native
	visible, calls := runPieces(o, []string{text})
	rng := rand.New(rand.NewSource(seed))
	for _, most := range []int{1, 3, 40} {
		var pieces []string
		for rest := text; rest != ""; {
			n := min(1+rng.Intn(most), len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		v, c := runPieces(o, pieces)
		if v != visible || !reflect.DeepEqual(c, calls) {
			t.Fatalf("%q\nwhole: %q %s\ncut:   %q %s", text, visible, calls, v, c)
		}
	}
	seen := map[string]bool{}
	for _, c := range calls {
		var args map[string]any
		if err := json.Unmarshal(c.Arguments, &args); err != nil || seen[c.Name+string(c.Arguments)] {
			t.Fatalf("%q: call %s %s, error %v", text, c.Name, c.Arguments, err)
		}
		seen[c.Name+string(c.Arguments)] = true
	}
	if len(visible) > len(text) {
		t.Fatalf("%q shows more than was written: %q", text, visible)
	}
	if !strings.ContainsAny(text, "`~") {
		for _, m := range hiddenBlock.FindAllString(visible, -1) {
			if strings.Contains(text, m) {
				t.Fatalf("%q shows %q", text, m)
			}
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte{0, 15, 0, 16, 53, 0}, int64(1), false)
	f.Add([]byte{68, 0, 53, 67, 56}, int64(2), true)
	f.Fuzz(func(t *testing.T, data []byte, seed int64, native bool) {
		if len(data) > 400 {
			return
		}
		check(t, build(data), seed, native)
	})
}

func FuzzText(f *testing.F) {
	for _, s := range fragments {
		f.Add(s, int64(1), false)
	}
	f.Fuzz(func(t *testing.T, text string, seed int64, native bool) {
		if len(text) > 4096 {
			return
		}
		check(t, text, seed, native)
	})
}

// FuzzProse: text of letters, digits and simple marks is shown as it is.
func FuzzProse(f *testing.F) {
	f.Add("Refunds take five days.\n\nAction is needed, web_search finds it; 3 > 2.", int64(1), false)
	f.Fuzz(func(t *testing.T, text string, seed int64, native bool) {
		prose := strings.Map(func(r rune) rune {
			if strings.ContainsRune("<{[`~(:", r) {
				return '.'
			}
			return r
		}, text)
		prose = strings.ToValidUTF8(prose, "")
		check(t, prose, seed, native)
		if visible, calls := runPieces(fuzzOptions, []string{prose}); visible != prose || calls != nil {
			t.Fatalf("%q shows %q, calls %s", prose, visible, calls)
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"queries":["a"]}`, searchSchema)
	f.Add(`"{\"a\":1}"`, `{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}`)
	f.Fuzz(func(t *testing.T, raw, schema string) {
		got, err := Arguments(raw, json.RawMessage(schema))
		if err != nil {
			return
		}
		var o map[string]any
		if err := json.Unmarshal(got, &o); err != nil {
			t.Fatalf("%q gives %s: %v", raw, got, err)
		}
		if again, err := Arguments(string(got), json.RawMessage(schema)); err != nil || string(again) != string(got) {
			t.Fatalf("%q gives %s, and that gives %s, %v", raw, got, again, err)
		}
	})
}

// TestMany runs the message properties over many random messages.
func TestMany(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 800
	}
	rng := rand.New(rand.NewSource(7))
	for i := range rounds {
		data := make([]byte, 1+rng.Intn(14))
		rng.Read(data)
		check(t, build(data), int64(i), i%3 == 0)
	}
}
