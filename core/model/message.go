package model

import (
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Role is who speaks in a message.
type Role string

// The roles of the chat wire.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of the context, in wire order.
type Message struct {
	Role       Role
	Content    string
	ToolCalls  []ToolCall // assistant only
	ToolCallID string     // tool only: the call that this result belongs to
	Images     []string   // user only: data: or https: addresses, for models that see
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string          // letters, digits, underscore, hyphen
	Description string          // for the model
	Schema      json.RawMessage // JSON schema of the arguments, one object
}

// ToolCall is one call that the model asks for.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // as the model wrote them: usually one JSON object, not checked
	// FromText is set where the call was found in the answer's text. Such calls
	// must not reach a tool that changes something.
	FromText bool
}

// Choice tells the model whether it may call tools.
type Choice string

// The choices. The empty one leaves it to the server, which means ChoiceAuto
// where there are tools.
const (
	ChoiceAuto     Choice = "auto"
	ChoiceNone     Choice = "none"
	ChoiceRequired Choice = "required"
)

// Request is one model call.
type Request struct {
	Messages  []Message
	Tools     []Tool
	Choice    Choice
	MaxOutput int // tokens; 0 means the client's setting
	// Given holds the texts of documents and tool results in the context. A
	// call written out in the answer that stands in one of them is quotation.
	Given []string
	// JSON is a JSON schema that the answer has to satisfy; nil leaves it free.
	// Servers without this ability refuse it or pass over it.
	JSON json.RawMessage
}

// Delta is the next piece of a reply. One of the fields is set.
type Delta struct {
	Text      string
	Reasoning string
}

// Reply is what a model call brought. After an error it holds what had arrived.
type Reply struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
	Finish    string // the server's finish reason; "" if it gave none
	Usage     core.Usage
	Model     string        // the name of the model that answered, or failed
	Attempts  int           // requests sent to that model; 0 if the call was stopped in the queue
	Queued    time.Duration // waited for a free place among the model's running calls
	First     time.Duration // from the call to the first chunk; 0 if none came
}
