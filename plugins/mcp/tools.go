package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

const (
	longestName   = 40        // of a tool, in bytes: the source's name goes before it
	longestHelp   = 4 << 10   // bytes
	largestSchema = 32 << 10  // bytes
	longestResult = 100 << 10 // bytes
	mostTools     = 200
	mostPages     = 10_000
	// afterFailure is for how long answers do not wait for a server that did not
	// tell its tools.
	afterFailure = 30 * time.Second
)

// Tools are the server's, read when they are asked for first and when the server
// says that they changed. Where it cannot be reached those known before stay.
func (s *Source) Tools() []sdk.Tool {
	if !s.offers("tools") {
		return nil
	}
	l := s.link
	if failed := l.failed.Load(); failed != nil && time.Since(*failed) < afterFailure {
		l.toolMu.Lock()
		defer l.toolMu.Unlock()
		return l.tools
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
	defer cancel()
	tools, _, err := s.tools(ctx)
	if err != nil {
		s.log.Warn("the tools of the server cannot be read", "error", err.Error())
	}
	return tools
}

// tools also tells which tools cannot be offered, and why, where the list was read.
func (s *Source) tools(ctx context.Context) ([]sdk.Tool, []string, error) {
	l := s.link
	l.toolMu.Lock()
	defer l.toolMu.Unlock()
	if l.asked && !l.stale.Load() {
		return l.tools, nil, nil
	}
	l.stale.Store(false)
	list, err := s.listTools(ctx)
	if err != nil {
		now := time.Now()
		l.stale.Store(true)
		l.failed.Store(&now)
		return l.tools, nil, err
	}
	l.failed.Store(nil)
	l.stale.Store(false) // of a session that was begun for this
	var left []string
	l.tools, left = s.offered(list)
	l.asked = true
	return l.tools, left, nil
}

func (s *Source) listTools(ctx context.Context) ([]*mcp.Tool, error) {
	return paged(ctx, s.link, "listing the tools", func(ctx context.Context, c *session, cursor string) ([]*mcp.Tool, string, error) {
		if caps := c.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
			return nil, "", nil
		}
		got, err := c.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return got.Tools, got.NextCursor, nil
	})
}

// paged reads a list of the server to its end.
func paged[T any](ctx context.Context, l *link, doing string, ask func(context.Context, *session, string) ([]T, string, error)) ([]T, error) {
	type page struct {
		items []T
		next  string
	}
	var out []T
	for cursor, met := "", map[string]bool{}; ; {
		got, err := call(ctx, l, doing, cursor == "", func(ctx context.Context, c *session) (page, error) {
			items, next, err := ask(ctx, c, cursor)
			return page{items, next}, err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, got.items...)
		if got.next == "" {
			return out, nil
		}
		if met[got.next] || len(met) == mostPages {
			return nil, fmt.Errorf("%s: the server leads in a circle", doing)
		}
		met[got.next], cursor = true, got.next
	}
}

// offered makes tools of what the server lists. One that a model could not be given
// is left out: it would take the others with it.
func (s *Source) offered(list []*mcp.Tool) (out []sdk.Tool, left []string) {
	list = slices.DeleteFunc(slices.Clone(list), func(t *mcp.Tool) bool {
		return t == nil || t.Name == "" || len(s.OnlyTools) > 0 && !slices.Contains(s.OnlyTools, t.Name)
	})
	slices.SortFunc(list, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	for _, wanted := range s.OnlyTools {
		if !slices.ContainsFunc(list, func(t *mcp.Tool) bool { return t.Name == wanted }) {
			left = append(left, fmt.Sprintf("%s: the server has no such tool", clip(wanted, 80)))
		}
	}
	taken := map[string]bool{}
	for i, t := range list {
		name := safeName(t.Name)
		schema, err := schemaOf(t.InputSchema)
		switch {
		case err != nil:
			left = append(left, fmt.Sprintf("%s: %v", clip(t.Name, 80), err))
			continue
		case i > 0 && list[i-1].Name == t.Name:
			left = append(left, fmt.Sprintf("%s: there are two of this name", clip(t.Name, 80)))
			continue
		case taken[name]: // one may be called what another becomes
			left = append(left, fmt.Sprintf("%s: another tool is called %s", clip(t.Name, 80), name))
			continue
		case len(out) == mostTools:
			left = append(left, fmt.Sprintf("%s: there are more than %d tools; name those wanted under only_tools", clip(t.Name, 80), mostTools))
			continue
		}
		taken[name] = true
		out = append(out, sdk.Tool{
			Name: name, Help: helpOf(t), Schema: schema, Changes: t.Annotations == nil || !t.Annotations.ReadOnlyHint, Run: s.run(t.Name),
		})
	}
	return out, left
}

// safeName is the tool's name in the letters that models take. Where that is not
// the name as it was, a print of the name keeps it unique.
func safeName(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if safe == name && len(safe) <= longestName {
		return safe
	}
	sum := sha256.Sum256([]byte(name))
	return safe[:min(len(safe), longestName-9)] + "_" + hex.EncodeToString(sum[:4])
}

func helpOf(t *mcp.Tool) string {
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	return clip(cmp.Or(strings.TrimSpace(t.Description), strings.TrimSpace(title), t.Name), longestHelp)
}

// schemaOf passes a schema through as it is, but for a type that is not said.
func schemaOf(in any) (json.RawMessage, error) {
	fields, ok := in.(map[string]any)
	if in == nil {
		fields, ok = map[string]any{}, true
	}
	if !ok {
		return nil, errors.New("its schema is no object")
	}
	if fields["type"] == nil {
		fields["type"] = "object"
	}
	if fields["type"] != "object" {
		return nil, errors.New("its schema is not of type object")
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be written: %w", err)
	}
	if len(data) > largestSchema {
		return nil, fmt.Errorf("its schema is larger than %d KiB", largestSchema>>10)
	}
	return data, nil
}

// run calls a tool of the server. What went wrong in the tool is told to the model.
func (s *Source) run(name string) func(context.Context, sdk.Caller, json.RawMessage) (sdk.Answer, error) {
	return func(ctx context.Context, _ sdk.Caller, args json.RawMessage) (sdk.Answer, error) {
		var fields map[string]any
		if err := json.Unmarshal(args, &fields); err != nil || fields == nil {
			return sdk.Answer{}, sdk.Invalid(errors.New("the arguments are not one JSON object"))
		}
		// Never sent twice: what the first did is not known.
		got, err := call(ctx, s.link, "the tool "+clip(name, 80), false, func(ctx context.Context, c *session) (*mcp.CallToolResult, error) {
			return c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: fields})
		})
		if err != nil {
			return sdk.Answer{}, err
		}
		text := resultText(got)
		if got.IsError {
			return sdk.Answer{}, sdk.Invalid(errors.New(cmp.Or(text, "the tool failed and does not say why")))
		}
		return sdk.Answer{Value: text}, nil
	}
}
