package model

import (
	"fmt"

	"github.com/footnote-bot/footnote/core/model/toolcall"
)

// textFilter finds tool calls that a model wrote into its text, and hides them.
type textFilter struct {
	opts     toolcall.Options
	detector *toolcall.Detector
}

// newTextFilter makes the filter for one reply. native tells that the model has
// working tool calls of its own, so that less in its text is taken for one.
func newTextFilter(native bool, req Request) textFilter {
	opts := toolcall.Options{Native: native, Context: req.Given}
	for _, t := range req.Tools {
		opts.Tools = append(opts.Tools, toolcall.Tool{Name: t.Name, Schema: t.Schema})
	}
	if req.Choice == ChoiceRequired && len(req.Tools) == 1 {
		opts.Forced = req.Tools[0].Name
	}
	return textFilter{opts: opts, detector: toolcall.NewDetector(opts)}
}

// write takes the next piece and returns what may be shown by now.
func (f textFilter) write(text string) string { return f.detector.Write(text) }

// close returns what was held back, and the calls found.
func (f textFilter) close() (string, []ToolCall) {
	held, found := f.detector.Close()
	return held, fromText(found)
}

// inReasoning looks for calls where a thinking model put them by mistake: in a
// reply that has neither text nor calls.
func (f textFilter) inReasoning(reasoning string) []ToolCall {
	d := toolcall.NewDetector(f.opts)
	d.Write(reasoning)
	_, found := d.Close()
	return fromText(found)
}

func fromText(found []toolcall.Call) []ToolCall {
	var out []ToolCall
	for i, c := range found {
		out = append(out, ToolCall{
			ID: fmt.Sprintf("call_%d", i+1), Name: c.Name, Arguments: string(c.Arguments), FromText: true,
		})
	}
	return out
}
