package model

// textFilter finds tool calls that a model wrote into its text.
type textFilter struct{}

func newTextFilter(bool, Request) textFilter { return textFilter{} }

// write takes the next piece and returns what may be shown by now.
func (textFilter) write(text string) string { return text }

// close returns what was held back, and the calls found.
func (textFilter) close() (string, []ToolCall) { return "", nil }
