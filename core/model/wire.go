package model

import "encoding/json"

// wireRequest is a chat request as it goes over the wire. What is not set is
// left out: servers refuse fields that they do not know, even when empty.
type wireRequest struct {
	Model               string        `json:"model"`
	Messages            []wireMessage `json:"messages"`
	Stream              bool          `json:"stream"`
	StreamOptions       *wireOptions  `json:"stream_options,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Tools               []wireTool    `json:"tools,omitempty"`
	ToolChoice          string        `json:"tool_choice,omitempty"`
	ResponseFormat      *wireFormat   `json:"response_format,omitempty"`
}

type wireOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// wireMessage has a text or, with images, a list of parts as its content.
type wireMessage struct {
	Role       Role       `json:"role"`
	Content    any        `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wirePart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

type wireCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"`
	Function wireCallFunction `json:"function"`
}

type wireCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string           `json:"type"`
	Function wireToolFunction `json:"function"`
}

type wireToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type wireFormat struct {
	Type   string     `json:"type"`
	Schema wireSchema `json:"json_schema"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// content writes a message's text and images. A message of an assistant that
// only calls tools has the empty text, which every server takes.
func content(m Message) any {
	if len(m.Images) == 0 {
		return m.Content
	}
	parts := []wirePart{{Type: "text", Text: m.Content}}
	for _, url := range m.Images {
		parts = append(parts, wirePart{Type: "image_url", Image: &wireImage{URL: url}})
	}
	return parts
}
