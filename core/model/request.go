package model

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// wire writes the request as the server at hand accepts it.
func (c *Client) wire(req Request) openai.ChatCompletionRequest {
	q := *c.quirks.Load()
	out := openai.ChatCompletionRequest{Model: c.cfg.Name, Stream: true}
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
		//lint:ignore SA1019 most servers but OpenAI's own know only this one
		out.MaxTokens = limit
	}
	if len(req.JSON) > 0 {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Strict: true, Schema: req.JSON},
		}
	}
	messages := req.Messages
	switch {
	case q.noTools:
		out.Messages = wireMessages(withoutTools(req), c.profile)
		return out
	case q.flatten:
		messages = flattened(messages)
	}
	out.Messages = wireMessages(messages, c.profile)
	out.Tools = wireTools(req.Tools)
	// Some servers refuse a choice without tools.
	if len(req.Tools) > 0 && req.Choice != "" {
		out.ToolChoice = string(req.Choice)
	}
	return out
}

func wireMessages(messages []Message, p Profile) []openai.ChatCompletionMessage {
	out := make([]openai.ChatCompletionMessage, 0, len(messages))
	for _, m := range messages {
		w := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content}
		if len(m.Images) > 0 {
			w.Content, w.MultiContent = "", parts(m)
		}
		if m.ToolCallID != "" {
			w.ToolCallID = wireID(m.ToolCallID, p)
		}
		for _, call := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, openai.ToolCall{
				ID:       wireID(call.ID, p),
				Type:     openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: wireArguments(call.Arguments)},
			})
		}
		out = append(out, w)
	}
	return out
}

// wireID makes a call's id one that the server accepts: an id may come from
// another model of the fallback list, or be ours.
func wireID(id string, p Profile) string {
	if !p.ShortIDs || isShortID(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base32.StdEncoding.EncodeToString(sum[:])[:shortID]
}

// shortID is the length of a call id that strict Mistral servers ask for.
const shortID = 9

func isShortID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return len(id) == shortID
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
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema},
		})
	}
	return out
}

// parts writes a message with images.
func parts(m Message) []openai.ChatMessagePart {
	out := []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: m.Content}}
	for _, url := range m.Images {
		out = append(out, openai.ChatMessagePart{
			Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: url},
		})
	}
	return out
}
