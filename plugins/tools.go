package plugins

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Tool is something that a source can have done.
type Tool struct {
	Name    string          // letters, digits, _ and -, at most 64; unique in the source
	Help    string          // for the model
	Schema  json.RawMessage // JSON Schema of the arguments, one object
	Changes bool            // it changes something in the system
}

// CallResult is what a tool found out. Of the first three one is set.
type CallResult struct {
	Text      string
	JSON      json.RawMessage
	Problem   string          // what was wrong with the call, for the model, which may try again
	Documents []core.Document // what the result rests on and may be cited, where it may be read
}

// CanTools tells whether the source has tools.
func (c *Connection) CanTools() bool { return c.can(wire.FeatureTools) }

// Tools names the source's tools. One that a model could not be given is an error
// that names it.
func (c *Connection) Tools(ctx context.Context) ([]Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CallTimeout)
	defer cancel()
	reply, err := c.process.client.Tools(ctx, &wire.ToolsRequest{})
	if err != nil {
		return nil, c.explain(ctx, "asking for its tools", err)
	}
	var out []Tool
	seen := map[string]bool{}
	for _, spec := range reply.GetTools() {
		t := Tool{Name: spec.GetName(), Help: spec.GetHelp(), Schema: spec.GetSchema(), Changes: spec.GetChanges()}
		why := t.problem()
		if why == "" && seen[t.Name] {
			why = "there are two of this name"
		}
		if why != "" {
			return nil, core.Errorf(core.KindInvalid, "source %q: tool %q cannot be used: %s: report this to the connector's author",
				c.src.Name, cut(oneLine(t.Name), 100), why)
		}
		seen[t.Name] = true
		out = append(out, t)
	}
	return out, nil
}

func (t Tool) problem() string {
	var schema struct {
		Type string `json:"type"`
	}
	switch {
	case t.Name == "" || len(t.Name) > 64 || strings.ContainsFunc(t.Name, notInToolName):
		return "its name is not 1 to 64 letters, digits, _ and -"
	case json.Unmarshal(t.Schema, &schema) != nil || schema.Type != "object":
		return "its schema is not a JSON Schema of type object"
	}
	return ""
}

func notInToolName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && r != '_' && r != '-'
}

// Call runs a tool on behalf of a viewer. The deadline is the context's, or
// Options.CallTimeout if it has none. It is for the caller to have asked whether a
// tool that changes something may run.
func (c *Connection) Call(ctx context.Context, tool string, arguments json.RawMessage, viewer core.Viewer) (CallResult, error) {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.host.opts.CallTimeout)
		defer cancel()
	}
	reply, err := c.process.client.Call(ctx, &wire.CallRequest{Tool: tool, Arguments: arguments, Viewer: toViewer(viewer)})
	if err != nil {
		return CallResult{}, c.explain(ctx, fmt.Sprintf("running tool %q", tool), err)
	}
	out := CallResult{
		Text: c.process.stderr.clean(reply.GetText()), Problem: c.process.stderr.clean(reply.GetProblem()),
	}
	if data := reply.GetJson(); len(data) > 0 {
		out.JSON = json.RawMessage(c.process.stderr.clean(string(data)))
		if !json.Valid(out.JSON) {
			return CallResult{}, core.Errorf(core.KindInvalid,
				"source %q: tool %q answered with something that is not JSON: report this to the connector's author", c.src.Name, tool)
		}
	}
	for _, d := range reply.GetDocuments() {
		if doc, ok := c.document(d); ok {
			out.Documents = append(out.Documents, doc)
		}
	}
	return out, nil
}
