package model

import (
	"fmt"
	"strings"
)

// withoutTools writes tools, calls and results as text, for servers that refuse
// tool definitions. Calls then come back in the text and are found there.
func withoutTools(req Request) []Message {
	out := flattened(req.Messages)
	if len(req.Tools) == 0 || req.Choice == ChoiceNone {
		return out
	}
	guide := toolsAsText(req.Tools)
	if len(out) > 0 && out[0].Role == System {
		out[0].Content += "\n\n" + guide
		return out
	}
	return append([]Message{{Role: System, Content: guide}}, out...)
}

// flattened writes earlier calls and their results as text.
func flattened(messages []Message) []Message {
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.Role == ToolRole:
			m = Message{Role: User, Content: fmt.Sprintf("Result of call %s:\n%s", m.ToolCallID, m.Content)}
		case len(m.ToolCalls) > 0:
			m = Message{Role: Assistant, Content: callsAsText(m)}
		}
		out = append(out, m)
	}
	return out
}

func callsAsText(m Message) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for _, call := range m.ToolCalls {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "<tool_call>{\"name\": %q, \"arguments\": %s}</tool_call>",
			call.Name, wireArguments(call.Arguments))
	}
	return b.String()
}

func toolsAsText(tools []Tool) string {
	var b strings.Builder
	b.WriteString("You can call these tools. To call one, reply with nothing but\n" +
		"<tool_call>{\"name\": \"NAME\", \"arguments\": {…}}</tool_call>\n" +
		"once for each call; the results come in the next message.\n")
	for _, t := range tools {
		fmt.Fprintf(&b, "\n%s: %s\nSchema of the arguments: %s\n", t.Name, t.Description, t.Schema)
	}
	return b.String()
}
