//lint:file-ignore ST1005 these are the words of the server that is played

package typesensetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What a real server refuses, as it is set up by default.
const (
	mostOperators = 100  // conditions of a filter, and what joins them
	mostQuery     = 4000 // bytes of a filter in an address
	mostPage      = 250
	mostSearches  = 50
)

// pass tells whether a record passes a filter.
type pass func(values map[string]any) bool

// filter reads a filter_by.
func (c *collection) filter(text string) (pass, error) {
	if strings.TrimSpace(text) == "" {
		return func(map[string]any) bool { return true }, nil
	}
	p := &parser{collection: c, rest: strings.TrimSpace(text)}
	out, err := p.any()
	switch {
	case err != nil:
		return nil, err
	case p.rest != "":
		return nil, errors.New("Could not parse the filter query.")
	case p.operators > mostOperators:
		return nil, errors.New("`filter_by` has too many operations.")
	}
	return out, nil
}

type parser struct {
	*collection
	rest      string
	operators int
}

func (p *parser) take(token string) bool {
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = strings.TrimSpace(rest)
	}
	return ok
}

func (p *parser) any() (pass, error) {
	return p.joined("||", p.every, func(list []pass) pass {
		return func(v map[string]any) bool { return slices.ContainsFunc(list, func(one pass) bool { return one(v) }) }
	})
}

func (p *parser) every() (pass, error) {
	return p.joined("&&", p.unit, func(list []pass) pass {
		return func(v map[string]any) bool { return !slices.ContainsFunc(list, func(one pass) bool { return !one(v) }) }
	})
}

func (p *parser) joined(with string, part func() (pass, error), join func([]pass) pass) (pass, error) {
	var list []pass
	for {
		one, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if !p.take(with) {
			break
		}
		p.operators++
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return join(list), nil
}

func (p *parser) unit() (pass, error) {
	if p.take("(") {
		out, err := p.any()
		if err == nil && !p.take(")") {
			err = errors.New("Could not parse the filter query: unbalanced parentheses.")
		}
		return out, err
	}
	p.operators++
	end := strings.IndexAny(p.rest, "&|()")
	if list := strings.IndexByte(p.rest, '['); list >= 0 && (end < 0 || list < end) {
		if end = strings.IndexByte(p.rest, ']') + 1; end == 0 {
			return nil, errors.New("Could not parse the filter query: a list has no end.")
		}
	}
	if end < 0 {
		end = len(p.rest)
	}
	text := strings.TrimSpace(p.rest[:end])
	p.rest = strings.TrimSpace(p.rest[end:])
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return nil, errors.New("Could not parse the filter query.")
	}
	return p.condition(name, value)
}

// condition is one field with what it is compared to.
func (p *parser) condition(name, value string) (pass, error) {
	f := field{Name: "id", Type: "string"}
	if name != "id" {
		var ok bool
		if f, ok = p.field(name); !ok || !f.indexed() {
			return nil, fmt.Errorf("Could not find a filter field named `%s` in the schema.", name)
		}
	}
	switch f.Type {
	case "int64":
		return numbers(name, value)
	case "bool":
		want, err := strconv.ParseBool(strings.TrimPrefix(value, "="))
		return func(v map[string]any) bool { return v[name] == want }, err
	case "string", "string[]":
	default:
		return nil, fmt.Errorf("Error with filter field `%s`: Unidentified field data type, see docs for supported data types.", name)
	}
	exact, ok := strings.CutPrefix(value, "=")
	negated := false
	if !ok {
		if exact, negated = strings.CutPrefix(value, "!="); !negated {
			return nil, fmt.Errorf("the loopback server knows no other comparison of texts than := and :!=, not %q", value)
		}
	}
	wanted := map[string]bool{}
	for _, one := range listOf(exact) {
		wanted[one] = true
	}
	return func(v map[string]any) bool {
		list, ok := textsOf(v[name])
		if !ok {
			text, _ := v[name].(string)
			list = []string{text}
		}
		return slices.ContainsFunc(list, func(t string) bool { return wanted[t] }) != negated
	}, nil
}

func listOf(text string) []string {
	inner, ok := strings.CutPrefix(text, "[")
	if !ok {
		return []string{strings.TrimSpace(text)}
	}
	var out []string
	for one := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
		out = append(out, strings.TrimSpace(one))
	}
	return out
}

// numbers reads =N, =[N,M], >N and [N..M].
func numbers(name, value string) (pass, error) {
	var err error
	number := func(text string) int64 {
		n, e := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if e != nil {
			err = fmt.Errorf("Error with filter field `%s`: Not an int64.", name)
		}
		return n
	}
	var test func(int64) bool
	if from, to, ok := strings.Cut(strings.Trim(value, "[]"), ".."); ok && strings.HasPrefix(value, "[") {
		low, high := number(from), number(to)
		test = func(n int64) bool { return low <= n && n <= high }
	} else if after, ok := strings.CutPrefix(value, ">"); ok {
		low := number(after)
		test = func(n int64) bool { return n > low }
	} else if list, ok := strings.CutPrefix(value, "="); ok {
		wanted := map[int64]bool{}
		for _, one := range listOf(list) {
			wanted[number(one)] = true
		}
		test = func(n int64) bool { return wanted[n] }
	} else {
		return nil, fmt.Errorf("the loopback server does not know the comparison %q of numbers", value)
	}
	return func(v map[string]any) bool {
		n, _ := v[name].(json.Number)
		x, e := n.Int64()
		return e == nil && test(x)
	}, err
}
