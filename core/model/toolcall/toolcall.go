package toolcall

import "encoding/json"

const (
	// MaxHeld is the size in bytes up to which a possible call is held back and
	// up to which raw native arguments are accepted.
	MaxHeld = 64 << 10
	// MaxDepth is the number of nested objects and lists that arguments may have.
	MaxDepth = 64
	// MaxCalls is the number of different calls of one message that are looked
	// at; a model that writes more is in a loop, and the rest is text.
	MaxCalls = 64
)

// Tool is one tool that the model was offered. Schema is the JSON Schema of its
// arguments object; empty means that any arguments are taken as they are.
type Tool struct {
	Name   string
	Schema json.RawMessage
}

// Call is one recovered call: the tool's own name and one JSON object whose
// values have the types that the tool's schema asks for. Fields the schema does
// not know are dropped; missing required fields are not an error here.
type Call struct {
	Name      string
	Arguments json.RawMessage
}

// Options says what a Detector may take for a call.
type Options struct {
	// Tools are the tools of this cycle, in the order the model saw them.
	Tools []Tool
	// Native is set for models whose profile has working native calls: only
	// whole-message forms and the families' marker tokens count.
	Native bool
	// Context are the texts the model was given this turn. A call whose name and
	// arguments stand together in one of them is quotation.
	Context []string
	// Forced names the tool that the model was told to call, or is empty.
	Forced string
	// ReadOnly tells whether a tool changes nothing. A call found in text never
	// reaches any other tool. Nil means that all tools are read-only.
	ReadOnly func(name string) bool
}

// found is a call that was read but not yet judged.
type found struct {
	tool *tool
	args object
	raw  string // the text it was read from, for the quotation check
	bare bool   // arguments alone: the text carried no name
}
