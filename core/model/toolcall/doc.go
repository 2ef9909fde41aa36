// Package toolcall recovers the tool calls that a model wrote as text instead
// of through its server's tool interface. It imports the standard library only.
//
// A Detector reads the message while it streams. It shows prose at once, keeps
// back what may still become a call, hides call markup, and hands out the calls
// at the end of the message. However the stream is cut, the visible text and
// the calls are the same.
//
// What counts as a call:
//
//   - JSON objects and arrays that carry a known tool's name;
//   - the markers of the model families (see the table in tag.go);
//   - a call expression, a name followed by an object, or bare arguments, if
//     they are the whole message;
//   - a code fence labelled json, tool_code, tool_call or not at all, if it is
//     the last thing in the message and holds exactly one of these.
//
// What never counts: a call whose name and arguments stand together in a text
// the model was given (quotation), a name that is not a known tool's, a tool
// that changes something, and, for models with working native calls, JSON in
// the middle of prose.
//
// Work is linear in the message. A candidate is held up to MaxHeld bytes and
// MaxDepth levels of nesting; past that it is prose, or, inside a known marker,
// hidden without being a call.
package toolcall
