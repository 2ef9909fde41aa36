package model

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// wire writes the request as the server at hand accepts it.
func (c *Client) wire(req Request) openai.ChatCompletionRequest {
	q := *c.quirks.Load()
	out := openai.ChatCompletionRequest{Model: c.cfg.Name}
	if !q.noUsage {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	limit := req.MaxOutput
	if limit == 0 {
		limit = c.cfg.MaxOutput
	}
	if q.completionTokens {
		out.MaxCompletionTokens = limit
	} else {
		out.MaxTokens = limit
	}
	if q.noTools {
		out.Messages = wireMessages(withoutTools(req))
		return out
	}
	out.Messages = wireMessages(req.Messages)
	out.Tools = wireTools(req.Tools)
	// Some servers refuse a choice without tools.
	if len(req.Tools) > 0 && req.Choice != "" {
		out.ToolChoice = string(req.Choice)
	}
	return out
}

func wireMessages(messages []Message) []openai.ChatCompletionMessage {
	out := make([]openai.ChatCompletionMessage, 0, len(messages))
	for _, m := range messages {
		w := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, openai.ToolCall{
				ID:       call.ID,
				Type:     openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: wireArguments(call.Arguments)},
			})
		}
		out = append(out, w)
	}
	return out
}

// wireArguments keeps a call that the model misspelt from breaking the next
// request: many servers parse the arguments of earlier calls.
func wireArguments(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return "{}"
	}
	return arguments
}

func wireTools(tools []Tool) []openai.Tool {
	var out []openai.Tool
	for _, t := range tools {
		out = append(out, openai.Tool{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name: t.Name, Description: t.Description, Parameters: t.Schema,
			},
		})
	}
	return out
}
