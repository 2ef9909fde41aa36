package jsonapi

import (
	"context"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/itchyny/gojq"
)

// template is a text with expressions in ${ }.
type template struct {
	parts []part
	line  int
	key   string
}

// part is fixed text, or an expression.
type part struct {
	text string
	code *gojq.Code
}

func (t *template) set() bool { return len(t.parts) > 0 }

// UnmarshalYAML reads and compiles one.
func (t *template) UnmarshalYAML(n ast.Node) error {
	text, line, err := scalar(n)
	if err != nil {
		return err
	}
	*t = template{line: line, key: keyOf(n)}
	for {
		before, rest, found := strings.Cut(text, "${")
		if before != "" {
			t.parts = append(t.parts, part{text: before})
		}
		if !found {
			return nil
		}
		p, after, err := t.expression(rest)
		if err != nil {
			return err
		}
		t.parts, text = append(t.parts, p), after
	}
}

// expression reads up to the first brace with which what stands before it is one:
// an expression may hold braces itself.
func (t *template) expression(text string) (part, string, error) {
	var first error
	for end := 0; ; end++ {
		next := strings.IndexByte(text[end:], '}')
		if next < 0 {
			break
		}
		end += next
		code, err := compile(text[:end], func(why string) error {
			return &mistake{line: t.line, key: t.key, text: text[:end], why: why}
		})
		if err == nil {
			return part{text: text[:end], code: code}, text[end+1:], nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = &mistake{line: t.line, key: t.key, text: text, why: "there is a ${ without its }"}
	}
	return part{}, "", first
}

// fill is the text with all values in it, each passed through escape. It is not
// there where it is nothing but one expression and that is null.
func (t *template) fill(ctx context.Context, in any, s scope, escape func(string) string) (text string, there bool, err error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.code == nil {
			b.WriteString(p.text)
			continue
		}
		got, err := run(ctx, p.code, in, s, func(why string) error {
			return &mistake{line: t.line, key: t.key, text: p.text, why: why}
		})
		if err != nil {
			return "", false, err
		}
		if len(t.parts) == 1 && (len(got) == 0 || got[0] == nil) {
			return "", false, nil
		}
		if len(got) > 0 {
			b.WriteString(escape(written(got[0])))
		}
	}
	return b.String(), true, nil
}

// asIs is for texts that are encoded whole.
func asIs(s string) string { return s }
