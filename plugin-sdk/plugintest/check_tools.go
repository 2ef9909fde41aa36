package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func (s *suite) tools(ctx context.Context) (*session, []*wire.ToolSpec, error) {
	c, err := s.common(ctx)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	reply, err := c.client.Tools(ctx, &wire.ToolsRequest{})
	if err != nil {
		return nil, nil, errors.New(c.why(errors.New(told(err))))
	}
	return c, reply.GetTools(), nil
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func toolsSchema(ctx context.Context, s *suite) verdict {
	_, list, err := s.tools(ctx)
	if err != nil {
		return failed("%v", err)
	}
	if len(list) == 0 {
		return failed("it has the feature tools and no tool")
	}
	var seen []string
	for _, t := range list {
		if why := toolProblem(t, seen); why != "" {
			return failed("tool %q: %s", t.GetName(), why)
		}
		seen = append(seen, t.GetName())
	}
	return passed("%d tools", len(list))
}

func toolProblem(t *wire.ToolSpec, seen []string) string {
	if !toolName.MatchString(t.GetName()) {
		return "its name has to be 1 to 64 letters, digits, _ and -"
	}
	if slices.Contains(seen, t.GetName()) {
		return "there are two of this name"
	}
	if t.GetHelp() == "" {
		return "it has no help, by which the model would know when to use it"
	}
	if _, err := readSchema(t.GetSchema()); err != nil {
		return "its schema: " + err.Error()
	}
	return ""
}

// toolsArguments calls tools with arguments that cannot be right. Tools that
// change something are left alone.
func toolsArguments(ctx context.Context, s *suite) verdict {
	c, list, err := s.tools(ctx)
	if err != nil {
		return skipped("%v", err)
	}
	calls := 0
	for _, t := range list {
		sch, err := readSchema(t.GetSchema())
		if t.GetChanges() || err != nil {
			continue
		}
		for _, args := range wrongArguments(sch) {
			calls++
			if why := c.refuses(ctx, t.GetName(), args); why != "" {
				return failed("tool %q with %s: %s", t.GetName(), args, why)
			}
		}
	}
	if why := c.refuses(ctx, "plugintest_no_such_tool", "{}"); why != "" {
		return failed("a tool that there is not: %s", why)
	}
	return passed("%d calls", calls+1)
}

// wrongArguments are what a model may come up with: not an object, something
// missing, something of another type, something that there is not.
func wrongArguments(s schema) []string {
	out := []string{`[]`, `{`}
	if len(s.required) > 0 {
		out = append(out, `{}`)
	}
	for _, name := range s.names[:min(len(s.names), 3)] {
		if args, err := json.Marshal(map[string]any{name: wrongFor(s.props[name].Type)}); err == nil {
			out = append(out, string(args))
		}
	}
	return out
}

// refuses tells what came instead of a problem for the model, "" if one came.
func (c *session) refuses(ctx context.Context, tool, args string) string {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	reply, err := c.client.Call(ctx, &wire.CallRequest{
		Tool: tool, Arguments: []byte(args), Viewer: &wire.Viewer{Email: stranger},
	})
	if err != nil {
		return "want CallReply.problem, got the error " + c.why(errors.New(told(err)))
	}
	if _, ok := reply.GetResult().(*wire.CallReply_Problem); !ok || reply.GetProblem() == "" {
		return fmt.Sprintf("want CallReply.problem, got the answer %q", clip(reply.GetText()+string(reply.GetJson()), 200))
	}
	return ""
}
