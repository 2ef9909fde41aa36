package modeltest

import (
	"encoding/json"
	"fmt"
)

type object = map[string]any

// chunks writes the reply as the data lines of a stream, in order.
func (r Reply) chunks(withUsage bool) []string {
	var out []string
	add := func(delta object, finish any) {
		out = append(out, line(object{"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	field := r.ReasoningField
	if field == "" {
		field = "reasoning_content"
	}
	for _, piece := range split(r.Reasoning, r.Split) {
		add(object{"role": "assistant", field: piece, "content": nil}, nil)
	}
	for _, piece := range r.pieces() {
		add(object{"content": piece}, nil)
	}
	for _, delta := range callDeltas(r.Calls) {
		add(object{"tool_calls": []object{delta}}, nil)
	}
	if finish := r.finish(); finish != "none" {
		add(object{}, finish)
	}
	if r.Usage != nil && withUsage {
		out = append(out, line(object{"choices": []object{}, "usage": r.Usage}))
	}
	return out
}

func (r Reply) pieces() []string {
	if r.Chunks != nil {
		return r.Chunks
	}
	return split(r.Text, r.Split)
}

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// callDeltas interleaves the pieces of parallel calls, the worst case for a
// client that puts them together.
func callDeltas(calls []Call) []object {
	var rest [][]string
	var out []object
	for i, c := range calls {
		out = append(out, object{"index": i, "id": c.id(i), "type": "function",
			"function": object{"name": c.Name, "arguments": ""}})
		rest = append(rest, split(c.text(), c.Split))
	}
	for more := true; more; {
		more = false
		for i := range rest {
			if len(rest[i]) == 0 {
				continue
			}
			out = append(out, object{"index": i, "function": object{"arguments": rest[i][0]}})
			rest[i] = rest[i][1:]
			more = true
		}
	}
	return out
}

func (c Call) id(i int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d", i+1)
}

// plain writes the reply as the one object of a request without stream.
func (r Reply) plain() string {
	text := ""
	for _, piece := range r.pieces() {
		text += piece
	}
	message := object{"role": "assistant", "content": text}
	var calls []object
	for i, c := range r.Calls {
		calls = append(calls, object{"id": c.id(i), "type": "function",
			"function": object{"name": c.Name, "arguments": c.text()}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return line(object{
		"choices": []object{{"index": 0, "message": message, "finish_reason": r.finish()}},
		"usage":   r.Usage,
	})
}

func line(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return `{"error":{"message":"the script cannot be written as JSON"}}`
	}
	return string(raw)
}
