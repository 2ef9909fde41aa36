// Package modeltest is a language model made of data: an HTTP server on
// loopback that speaks the OpenAI chat wire and plays a script, one reply for
// each request, faults included. It records what it was asked.
package modeltest

import "encoding/json"

// Script is what the server does. It reads from JSON as well.
type Script struct {
	Replies []Reply `json:"replies"` // one for each chat request, in order; after the last one: 500
	// Think makes each reply of what the model was sent, instead of Replies. It may
	// be called from several goroutines.
	Think  func(Chat) Reply `json:"-"`
	Models []string         `json:"models,omitempty"` // what /models lists; none means that /models answers 404
	Key    string           `json:"key,omitempty"`    // if set, other keys are refused with 401

	Embeddings []Reply           `json:"embeddings,omitempty"` // faults of /embeddings, in order: Status, Body and Header; then vectors
	MaxInputs  int               `json:"max_inputs,omitempty"` // if set, more texts in one embedding request are refused
	Pages      map[string]string `json:"pages,omitempty"`      // JSON by path, such as /props; they replace the pages above
}

// Reply is one reply to a chat request. The zero value is an empty reply.
type Reply struct {
	// What the model says. Chunks fixes the split points; otherwise Text is
	// split every Split bytes at rune borders, or sent whole if Split is 0.
	Text   string   `json:"text,omitempty"`
	Chunks []string `json:"chunks,omitempty"`
	Raw    []string `json:"raw,omitempty"` // sent as they are before the chunks, line ends included
	Split  int      `json:"split,omitempty"`

	Reasoning      string `json:"reasoning,omitempty"`
	ReasoningField string `json:"reasoning_field,omitempty"` // default reasoning_content
	Calls          []Call `json:"calls,omitempty"`
	Finish         string `json:"finish,omitempty"` // default stop, or tool_calls; "none" leaves it out
	Usage          *Usage `json:"usage,omitempty"`  // sent only if the request asked for it

	// How it arrives.
	Plain        bool `json:"plain,omitempty"`          // one JSON object although a stream was asked for
	DelayMS      int  `json:"delay_ms,omitempty"`       // before the head
	ChunkDelayMS int  `json:"chunk_delay_ms,omitempty"` // before every chunk
	NoDone       bool `json:"no_done,omitempty"`        // leaves out the [DONE] line

	// Faults.
	Status       int               `json:"status,omitempty"`        // answers with this status and Body instead of a reply
	Body         string            `json:"body,omitempty"`          // with Status; an error object if empty
	Header       map[string]string `json:"header,omitempty"`        // such as Retry-After
	CutAfter     *int              `json:"cut_after,omitempty"`     // breaks the connection after n chunks
	HangAfter    *int              `json:"hang_after,omitempty"`    // goes silent after n chunks
	GarbageAfter *int              `json:"garbage_after,omitempty"` // sends a broken chunk after n chunks
	ErrorAfter   *int              `json:"error_after,omitempty"`   // sends an error object after n chunks
	Endless      bool              `json:"endless,omitempty"`       // repeats the last chunk until the client goes away
	RefuseField  string            `json:"refuse_field,omitempty"`  // 400 if the request has this field; the reply is kept for the next one
}

// Call is one tool call of a reply. The arguments are sent in pieces of Split
// bytes, interleaved with those of the other calls.
type Call struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // an object, or a string that is sent as it is
	Split     int             `json:"split,omitempty"`
}

// Usage is the token count that the server reports.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

func (c Call) text() string {
	var s string
	if json.Unmarshal(c.Arguments, &s) == nil {
		return s
	}
	return string(c.Arguments)
}

// N points at a number, for the fault fields.
func N(n int) *int { return &n }

func split(s string, size int) []string {
	if s == "" {
		return nil
	}
	if size <= 0 {
		return []string{s}
	}
	var out []string
	start := 0
	for i := range s {
		if i-start >= size {
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}
