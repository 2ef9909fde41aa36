package where

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// list reads values in brackets. An empty list is allowed: nothing is in it.
func (p *parser) list(w *core.Where) error {
	open := p.peek()
	if !p.accept("(") {
		return fault(open.at, "a list in brackets is wanted behind in, such as (\"a\", \"b\"), not %s", open.said())
	}
	if p.accept(")") {
		return nil
	}
	for {
		if err := p.value(w); err != nil {
			return err
		}
		if p.accept(")") {
			return nil
		}
		if t := p.peek(); !p.accept(",") {
			return fault(t.at, "a comma or ) is wanted between values, not %s", t.said())
		}
	}
}

// value reads one value that suits the field.
func (p *parser) value(w *core.Where) error {
	t := p.take()
	v, err := valueOf(t)
	if err != nil {
		return err
	}
	switch {
	case w.Field.Timed() && w.Op == core.WhereContains:
		return fault(t.at, "%s is a time: compare it with = != < <= > >=", w.Field.Name)
	case w.Field.Timed():
		if d, ok := core.WhereDateOf(t.text); ok {
			v = d
		}
		if v.Type != core.WhereDate {
			return fault(t.at, "%s is a time: compare it with a day such as 2026-01-31 or a moment such as 2026-01-31T10:00:00Z", w.Field.Name)
		}
	case w.Op == core.WhereContains:
		v.Type = core.WhereText
	case w.Field == core.WhereSource || w.Field == core.WhereKind || w.Field == core.WhereTitle:
		if t.kind != quoted {
			return fault(t.at, "%s is a text: put what it is compared with in quotation marks", w.Field.Name)
		}
	}
	if p.values++; p.values > MostValues {
		return fault(t.at, "there are more than %d values", MostValues)
	}
	w.Values = append(w.Values, v)
	return nil
}

// valueOf tells what a token is compared as.
func valueOf(t token) (core.WhereValue, error) {
	text := core.WhereValue{Text: strings.ToLower(t.text)}
	switch {
	case t.kind == quoted:
		return text, nil
	case t.kind == word && (text.Text == "true" || text.Text == "false"):
		return text, nil
	case t.kind == word:
		return text, fault(t.at, "put the text %s in quotation marks", t.said())
	case t.kind != bare:
		return text, fault(t.at, "a value is wanted, not %s", t.said())
	}
	if n, ok := core.NumberOf(t.text); ok {
		text.Type, text.Number = core.WhereNumber, n
		return text, nil
	}
	if d, ok := core.WhereDateOf(t.text); ok {
		return d, nil
	}
	return text, fault(t.at, "%s is neither a number nor a date; put texts in quotation marks", t.said())
}
