package model

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// chunk is one piece of a streamed reply, read more tolerantly than the wire
// library does: servers differ in field names and in what a field may hold.
// A reply that was not streamed has the same form with message for delta.
type chunk struct {
	Choices []chunkChoice   `json:"choices"`
	Usage   *chunkUsage     `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type chunkChoice struct {
	Delta   *chunkDelta `json:"delta"`
	Message *chunkDelta `json:"message"`
	Finish  loose       `json:"finish_reason"`
}

// plainChunk has one choice, which brings no text yet.
func plainChunk() chunk { return chunk{Choices: []chunkChoice{{Delta: &chunkDelta{}}}} }

type chunkUsage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Total      count `json:"total_tokens"` // all that some servers tell of embeddings
}

// UnmarshalJSON takes anything: an answer is not lost over how its length is
// told.
func (u *chunkUsage) UnmarshalJSON(raw []byte) error {
	type plain chunkUsage
	var p plain
	if json.Unmarshal(raw, &p) == nil {
		*u = chunkUsage(p)
	}
	return nil
}

// count is a number of tokens, which some servers write with a fraction or as a
// text. What is no such number, or out of all reason, counts as 0.
type count int

const mostTokens = 1 << 30

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if *c = 0; err == nil && n > 0 && n <= mostTokens {
		*c = count(n)
	}
	return nil
}

type chunkDelta struct {
	Content          loose       `json:"content"`
	Refusal          loose       `json:"refusal"`
	ReasoningContent loose       `json:"reasoning_content"`
	Reasoning        loose       `json:"reasoning"`
	ToolCalls        []chunkCall `json:"tool_calls"`
}

type chunkCall struct {
	Index    *count `json:"index"`
	ID       loose  `json:"id"`
	Function struct {
		Name      loose `json:"name"`
		Arguments loose `json:"arguments"`
	} `json:"function"`
}

// loose is a text that some servers send as a list of parts or as an object.
type loose struct {
	text     string
	thinking string
}

// UnmarshalJSON takes a string, null, a list of parts or any other value, of
// which it keeps the JSON.
func (l *loose) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &l.text) == nil {
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking loose  `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		l.text = string(raw)
		return nil
	}
	for _, p := range parts {
		l.text += p.Text
		l.thinking += p.Thinking.text
	}
	return nil
}

// reasoning is the thought of the delta. Servers that fill both fields say the
// same twice, or keep a summary in the one that the profile does not name.
func (d *chunkDelta) reasoning(field string) string {
	own := cmp.Or(d.ReasoningContent.text, d.Reasoning.text)
	if field == "reasoning" {
		own = cmp.Or(d.Reasoning.text, d.ReasoningContent.text)
	}
	return own + d.Content.thinking
}

func (d *chunkDelta) text() string {
	if d.Content.text != "" {
		return d.Content.text
	}
	return d.Refusal.text
}

// errorMessage digs the text out of an error that came inside a stream.
func (c *chunk) errorMessage() string {
	if len(c.Error) == 0 || string(c.Error) == "null" {
		return ""
	}
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(c.Error, &object) == nil && object.Message != "" {
		return object.Message
	}
	return strings.Trim(string(c.Error), `"`)
}
