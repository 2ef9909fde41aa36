package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// toolList is the tools of one process; another one may have others.
type toolList struct {
	of    *plugins.Connection // nil where they could not be had
	tools []plugins.Tool
	tried time.Time
	err   error
}

const (
	toolsPatience = 3 * time.Second  // for naming tools, of all sources together
	toolPatience  = 20 * time.Second // for running one
	longestHelp   = 2_000            // of a tool, in bytes
	longestNote   = 64 << 10         // of what a tool says beside its documents, in bytes
)

// toolbox gives the tools of the sources that the question may touch. They act for
// their caller, so that there are none where others read the answer or where it is
// not known who asks. One that changes something is offered only where the
// configuration allows it, and a person is asked before it runs.
func (c *connectors) toolbox(ctx context.Context, q core.Question, within core.Filter) []agent.Tool {
	viewer := find.OnlyReader(q.Audience, q.Viewer)
	if viewer == nil || viewer.Email == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.app.within(toolsPatience))
	defer cancel()
	var out []agent.Tool
	for _, src := range c.with(ctx, wire.FeatureTools) {
		if !find.Touches(within, src.Name) {
			continue
		}
		tools, err := c.toolsOf(ctx, src)
		if err != nil {
			c.app.log.WarnContext(ctx, "the tools of a source are not offered", "source", src.Name, "error", err)
			continue
		}
		for _, t := range tools {
			if !t.Changes || c.app.allowedTool(src.Name, t.Name) {
				out = append(out, sourceTool{c, src, t})
			}
		}
	}
	return out
}

// allowedTool tells whether the configuration lets a tool change something.
func (a *app) allowedTool(source, tool string) bool {
	for _, s := range a.current().Sources {
		if s.Name == source {
			return slices.Contains(s.AllowTools, tool)
		}
	}
	return false
}

// toolsOf names the source's tools, as its process told them.
func (c *connectors) toolsOf(ctx context.Context, src core.Source) ([]plugins.Tool, error) {
	c.mu.Lock()
	t := c.tools[src.Name]
	c.mu.Unlock()
	if t != nil && (t.err == nil || time.Since(t.tried) < vainFor) {
		return t.tools, t.err
	}
	t = &toolList{tried: time.Now()}
	l, err := c.use(ctx, src)
	if err == nil {
		defer l.Close()
		t.of = l.Connection
		t.tools, err = l.Tools(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err // who asked lost patience: that says nothing of the source
	}
	t.err = err
	c.mu.Lock()
	c.tools[src.Name] = t
	c.mu.Unlock()
	return t.tools, t.err
}

// sourceTool is a tool of a source's connector.
type sourceTool struct {
	connectors *connectors
	src        core.Source
	tool       plugins.Tool
}

// Spec offers the tool under its source's name.
func (s sourceTool) Spec() agent.Spec {
	return agent.Spec{
		Tool: model.Tool{
			Name: s.src.Name + "_" + s.tool.Name, Description: cutText(s.tool.Help, longestHelp), Schema: s.tool.Schema,
		},
		Cites: true, Changes: s.tool.Changes, Timeout: toolPatience, Origin: s.src.Name,
	}
}

// Run calls the tool for the only reader. What it rests on has to be readable for
// them: where the ledger knows better than the tool, nothing of the result counts.
func (s sourceTool) Run(ctx context.Context, call agent.Call) (agent.Result, error) {
	viewer := find.OnlyReader(call.Question.Audience, call.Question.Viewer)
	if viewer == nil || viewer.Email == "" {
		return agent.Result{}, core.Errorf(core.KindDenied, "The tool acts for one known person only.")
	}
	l, err := s.connectors.use(ctx, s.src)
	if err != nil {
		return agent.Result{}, err
	}
	defer l.Close()
	if err := s.stillThere(ctx); err != nil {
		return agent.Result{}, err
	}
	got, err := l.Call(ctx, s.tool.Name, call.Arguments, *viewer)
	switch {
	case err != nil:
		return agent.Result{}, err
	case got.Problem != "":
		return agent.Result{}, core.Errorf(core.KindInvalid, "%s", cutText(got.Problem, longestHelp))
	}
	cited := asResults(got.Documents)
	admitted, err := s.connectors.app.finder.Admit(ctx, find.Query{Filter: call.Filter, Viewer: viewer}, s.src.Name, cited)
	if err != nil {
		return agent.Result{}, err
	}
	if left := len(documentsOf(cited)) - len(documentsOf(admitted)); left > 0 {
		return agent.Result{}, core.Errorf(core.KindDenied,
			"The result rests on documents that may not be read here, so it is not shown. Say that it cannot be told.")
	}
	out := agent.Result{Documents: admitted, Text: cmp.Or(got.Text, string(got.JSON)), Outside: s.src.Name + "/" + s.tool.Name}
	if len(admitted) > 0 {
		out.Text, out.Note = "", cutText(out.Text, longestNote)
	}
	return out, nil
}

// stillThere holds the tool against those of the process that would run it: what
// was offered as reading must not have become changing meanwhile.
func (s sourceTool) stillThere(ctx context.Context) error {
	tools, err := s.connectors.toolsOf(ctx, s.src)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.Name == s.tool.Name && t.Changes == s.tool.Changes {
			return nil
		}
	}
	return core.Errorf(core.KindNotFound, "The source no longer has this tool.")
}

// asResults makes a passage of each document.
func asResults(docs []core.Document) []core.Result {
	var out []core.Result
	for _, d := range docs {
		text := cmp.Or(strings.TrimSpace(d.Body), strings.TrimSpace(d.Title), fmt.Sprintf("(%s)", d.ExternalID))
		out = append(out, core.Result{Document: d, Passage: core.Passage{Document: d.ID, Text: text}})
	}
	return out
}

// cutText cuts to a number of bytes, between letters.
func cutText(s string, most int) string {
	if s = strings.ToValidUTF8(s, "\uFFFD"); len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
