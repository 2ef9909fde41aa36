package jsonapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/itchyny/gojq"
)

// mistake is something wrong in a recipe, and where.
type mistake struct {
	line      int
	key, text string // where, and the expression
	why       string
}

func (m *mistake) Error() string {
	return fmt.Sprintf("line %d: %s: %s: in the expression %s", m.line, m.key, m.why, clip(m.text, 300))
}

// expr is one expression of jq. It sees no environment, files, modules or other
// input.
type expr struct {
	text string
	line int
	key  string
	code *gojq.Code
}

// variables are what each expression may use. See values.
var variables = []string{"$since", "$vars", "$base", "$item", "$children", "$page", "$got"}

// scope is the values of variables.
type scope struct {
	since    any            // text or number of the time from which on changes are wanted, or null
	vars     map[string]any // the recipe's settings
	base     string         // the system's address, without a slash at the end
	item     any            // the item as the list has it
	children []any          // all children of the item
	page     any            // number, offset or cursor of the page, or null
	got      int            // items that were read so far, this page included
}

func (s scope) values() []any {
	return []any{s.since, s.vars, s.base, s.item, s.children, s.page, s.got}
}

func (e *expr) set() bool { return e.code != nil }

// UnmarshalYAML reads and compiles one.
func (e *expr) UnmarshalYAML(n ast.Node) error {
	text, line, err := scalar(n)
	if err != nil {
		return err
	}
	*e = expr{text: text, line: line, key: keyOf(n)}
	e.code, err = compile(text, e.mistake)
	return err
}

func (e *expr) mistake(why string) error {
	return &mistake{line: e.line, key: e.key, text: e.text, why: why}
}

// scalar is the text of a value and the line on which it begins.
func scalar(n ast.Node) (string, int, error) {
	line := n.GetToken().Position.Line
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, line, nil
	case *ast.LiteralNode:
		return v.Value.Value, line + 1, nil
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.NullNode:
		return strings.TrimSpace(n.String()), line, nil
	}
	return "", line, &mistake{line: line, key: keyOf(n), text: clip(strings.TrimSpace(n.String()), 80), why: "an expression is a text; put it in single quotes"}
}

func keyOf(n ast.Node) string { return strings.TrimPrefix(n.GetPath(), "$.") }

func compile(text string, mistake func(string) error) (*gojq.Code, error) {
	query, err := gojq.Parse(text)
	var at *gojq.ParseError
	switch {
	case errors.As(err, &at):
		return nil, mistake(fmt.Sprintf("%v at character %d", err, at.Offset))
	case err != nil:
		return nil, mistake(err.Error())
	}
	code, err := gojq.Compile(query, gojq.WithVariables(variables))
	if err != nil {
		return nil, mistake(err.Error())
	}
	return code, nil
}

const (
	longest    = 5 * time.Second // of one expression
	mostValues = 100_000         // that one expression may bring
)

// all runs the expression and returns everything that it brings.
func (e *expr) all(ctx context.Context, in any, s scope) ([]any, error) {
	return run(ctx, e.code, in, s, e.mistake)
}

// one is the first value, nil where there is none.
func (e *expr) one(ctx context.Context, in any, s scope) (any, error) {
	if !e.set() {
		return nil, nil
	}
	got, err := e.all(ctx, in, s)
	if err != nil || len(got) == 0 {
		return nil, err
	}
	return got[0], nil
}

func run(ctx context.Context, code *gojq.Code, in any, s scope, mistake func(string) error) (out []any, err error) {
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	iter := code.RunWithContext(limited, in, s.values()...)
	for {
		v, ok := iter.Next()
		if !ok {
			return out, nil
		}
		if failed, is := v.(error); is {
			var halt *gojq.HaltError
			switch {
			case errors.As(failed, &halt) && halt.Value() == nil:
				return out, nil
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case limited.Err() != nil:
				return nil, mistake(fmt.Sprintf("it took longer than %v", longest))
			}
			return nil, mistake(clip(failed.Error(), 300))
		}
		if out = append(out, v); len(out) > mostValues {
			return nil, mistake(fmt.Sprintf("it brings more than %d values", mostValues))
		}
	}
}

// truthy is jq's meaning of true.
func truthy(v any) bool { return v != nil && v != false }

// written is a value as text; null is "".
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	data, err := gojq.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

// texts flattens values and arrays of values to the texts in them that are not
// empty.
func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if inner, ok := v.([]any); ok {
			out = append(out, texts(inner)...)
		} else if text := strings.TrimSpace(written(v)); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// encoded is a value as JSON with sorted keys.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // it was JSON before
	}
	return data
}

// clip shortens a text to so many bytes, at a character's end.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
