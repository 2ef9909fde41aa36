package core

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Event is one thing that happens during a turn. A turn hands its events to one
// function, in order, from one goroutine at a time; that function must return
// quickly and must not call back into the turn.
type Event interface{ EventType() string }

// The events of a turn, in the order in which they may occur. TurnStarted is
// always first and Done or Failed last.
type (
	// TurnStarted names the turn, so that a client can stop or re-attach to it.
	TurnStarted struct {
		TurnID   string `json:"turn_id"`
		ThreadID string `json:"thread_id,omitempty"`
	}
	// StatusChanged is a sign of life between visible steps.
	StatusChanged struct {
		Stage  string `json:"stage"` // searching, reading, writing, waiting (for a person; detail is the tool)
		Detail string `json:"detail,omitempty"`
	}
	// QueryRun tells what was searched for.
	QueryRun struct {
		Text   string `json:"text"`
		Source string `json:"source,omitempty"` // "" means the index
	}
	// DocumentsFound lists what a search gave the model, as far as it may be shown.
	DocumentsFound struct {
		Documents []DocumentRef `json:"documents"`
	}
	// ToolUsed reports a tool call's start and end.
	ToolUsed struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		State     string          `json:"state"` // running, done, failed
		Result    string          `json:"result,omitempty"`
	}
	// Cited comes before the text that shows the citation.
	Cited struct {
		Number     int       `json:"number"`
		DocumentID string    `json:"document_id,omitempty"`
		Passage    PassageID `json:"passage,omitempty"`
		URL        string    `json:"url,omitempty"`
	}
	// TextDelta is the next piece of the answer, ready to be shown.
	TextDelta struct {
		Delta string `json:"delta"`
	}
	// Noticed is something the reader should know that is not part of the answer.
	Noticed struct {
		Kind  string `json:"kind"`
		Text  string `json:"text"`
		Cause Kind   `json:"cause,omitempty"` // what failed, where something did
	}
	// Withdrawn says that more people can read the place than when the turn began:
	// everything shown of it so far has to be taken back. What follows is the
	// turn's answer for the readers of now.
	Withdrawn struct {
		Text string `json:"text"` // for the readers, in place of what was shown
	}
	// Offered is for the asker alone and never for the place: there is more that
	// they may read than the place's readers may.
	Offered struct {
		Kind string `json:"kind"` // private: the question can be asked again with the asker's own access
		Text string `json:"text"`
	}
	// Failed ends a turn without an answer.
	Failed struct {
		Kind      Kind   `json:"kind"`
		Message   string `json:"message"`
		RequestID string `json:"request_id"`
		Retryable bool   `json:"retryable"`
	}
	// Done ends a turn. Answer is complete and authoritative.
	Done struct {
		Answer
	}
)

// DocumentRef is a document as an event shows it. What the audience may not see
// is empty.
type DocumentRef struct {
	Number     int    `json:"number"`
	DocumentID string `json:"document_id,omitempty"`
	Title      string `json:"title,omitempty"`
	URL        string `json:"url,omitempty"`
	Source     string `json:"source,omitempty"`
}

func (TurnStarted) EventType() string    { return "turn" }
func (StatusChanged) EventType() string  { return "status" }
func (QueryRun) EventType() string       { return "query" }
func (DocumentsFound) EventType() string { return "documents" }
func (ToolUsed) EventType() string       { return "tool" }
func (Cited) EventType() string          { return "citation" }
func (TextDelta) EventType() string      { return "text" }
func (Noticed) EventType() string        { return "notice" }
func (Withdrawn) EventType() string      { return "withdrawn" }
func (Offered) EventType() string        { return "offer" }
func (Failed) EventType() string         { return "error" }
func (Done) EventType() string           { return "done" }

// FailedOf is what a person sees of an error: its own sentence if it has one, a
// fixed one for faults of ours.
func FailedOf(err error, requestID string) Failed {
	f := Failed{
		Kind: KindOf(err), RequestID: requestID,
		Message: "Something went wrong inside Footnote; the log has the details.",
	}
	var e *Error
	if errors.As(err, &e) && e.Kind != KindInternal {
		f.Message = e.Message
	}
	switch f.Kind {
	case KindUnavailable, KindBusy, KindTimeout:
		f.Retryable = true
	}
	return f
}

// MarshalEvent writes an event as one JSON object whose first key is "type".
// Markup stays as it is: the object is not meant to stand inside HTML.
func MarshalEvent(e Event) ([]byte, error) {
	head, err := json.Marshal(e.EventType())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`{"type":`)
	b.Write(head)
	at := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	out := bytes.TrimRight(b.Bytes(), "\n")
	if out[at] = ','; len(out) == at+2 {
		return append(out[:at], '}'), nil // an event without fields
	}
	return out, nil
}
