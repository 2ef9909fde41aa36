package where

import (
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// Limits of a condition.
const (
	LongestText    = 8 << 10 // bytes
	MostConditions = 100
	MostValues     = 1000 // of all conditions together
	deepest        = 50   // brackets and nots inside one another
)

// Parse reads a condition. Errors are of kind invalid and say at which character,
// counted from 1, what is wrong and what would be right.
func Parse(text string) (*core.Where, error) {
	if len(text) > LongestText {
		return nil, core.Errorf(core.KindInvalid, "where: the condition has %d bytes; at most %d are read.", len(text), LongestText)
	}
	if !utf8.ValidString(text) {
		return nil, core.Errorf(core.KindInvalid, "where: the condition is not UTF-8.")
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	w, err := p.either(0)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != end {
		return nil, fault(t.at, "%s stands behind a whole condition; join conditions with and, or", t.said())
	}
	return &w, nil
}

type parser struct {
	tokens             []token
	conditions, values int
}

func (p *parser) peek() token { return p.tokens[0] }

// take returns the next token; the end is never taken.
func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept takes the next token if it is the keyword or sign.
func (p *parser) accept(text string) bool {
	t := p.peek()
	if (t.kind == word || t.kind == sign) && strings.EqualFold(t.text, text) {
		p.take()
		return true
	}
	return false
}

func (p *parser) either(depth int) (core.Where, error) {
	return p.joined("or", core.WhereOr, func() (core.Where, error) {
		return p.joined("and", core.WhereAnd, func() (core.Where, error) { return p.one(depth) })
	})
}

// joined reads one or more parts with a keyword between them.
func (p *parser) joined(keyword string, op core.WhereOp, part func() (core.Where, error)) (core.Where, error) {
	first, err := part()
	if err != nil {
		return first, err
	}
	all := []core.Where{first}
	for p.accept(keyword) {
		w, err := part()
		if err != nil {
			return w, err
		}
		all = append(all, w)
	}
	if len(all) == 1 {
		return first, nil
	}
	return core.Where{Op: op, Parts: all}, nil
}

func (p *parser) one(depth int) (core.Where, error) {
	t := p.peek()
	if depth > deepest {
		return core.Where{}, fault(t.at, "more than %d brackets and nots stand inside one another", deepest)
	}
	switch {
	case p.accept("not"):
		w, err := p.one(depth + 1)
		return negated(w), err
	case p.accept("("):
		w, err := p.either(depth + 1)
		if err == nil && !p.accept(")") {
			err = fault(p.peek().at, "the ( of character %d is not closed before %s", t.at, p.peek().said())
		}
		return w, err
	}
	return p.condition()
}

func negated(w core.Where) core.Where { return core.Where{Op: core.WhereNot, Parts: []core.Where{w}} }

// keywords cannot be keys unless they stand in backquotes.
const keywords = " and or not in contains exists true false "

func (p *parser) condition() (core.Where, error) {
	t := p.take()
	w := core.Where{Field: core.WhereField{Name: strings.ToLower(t.text), Meta: true}}
	switch {
	case t.kind != word && t.kind != key || t.text == "":
		return w, fault(t.at, "a key of metadata is wanted, or source, title, kind, updated or created, not %s", t.said())
	case t.kind == word && strings.Contains(keywords, " "+w.Field.Name+" "):
		return w, fault(t.at, "a key is wanted; %s is a word of this language: put a key of that name in backquotes", t.said())
	case strings.Contains(w.Field.Name, "="):
		return w, fault(t.at, "a key of metadata ends before its first =")
	}
	for _, f := range []core.WhereField{core.WhereSource, core.WhereTitle, core.WhereKind, core.WhereUpdated, core.WhereCreated} {
		if t.kind == word && f.Name == w.Field.Name {
			w.Field = f
		}
	}
	if p.conditions++; p.conditions > MostConditions {
		return w, fault(t.at, "there are more than %d conditions", MostConditions)
	}
	return p.test(w)
}

// test reads the operator and what it wants.
func (p *parser) test(w core.Where) (core.Where, error) {
	not := p.accept("not")
	op := p.take()
	var err error
	switch text := strings.ToLower(op.text); {
	case op.kind == word && text == "exists":
		w.Op = core.WhereExists
	case op.kind == word && text == "contains":
		w.Op = core.WhereContains
		err = p.value(&w)
	case op.kind == word && text == "in":
		w.Op = core.WhereIn
		err = p.list(&w)
	case op.kind == sign && !not && (text == "=" || text == "!="):
		w.Op, not = core.WhereIn, text == "!="
		err = p.value(&w)
	case op.kind == sign && !not && (text[0] == '<' || text[0] == '>'):
		w.Op = core.WhereOp(text)
		err = p.value(&w)
	case not:
		return w, fault(op.at, "in, contains or exists is wanted behind not, not %s", op.said())
	default:
		return w, fault(op.at, "an operator is wanted behind the key: = != < <= > >= in contains exists, not %s", op.said())
	}
	if not {
		w = negated(w)
	}
	return w, err
}

func (t token) said() string {
	switch t.kind {
	case end:
		return "the end"
	case quoted:
		return "a text in quotation marks"
	}
	if runes := []rune(t.text); len(runes) > 40 {
		return "\"" + string(runes[:40]) + "…\""
	}
	return "\"" + t.text + "\""
}
