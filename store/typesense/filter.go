package typesense

import (
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// A filter may have 100 operators, and what joins two conditions is one: 50
// conditions, of which a search adds two of its own. Each list that a filter names
// is one condition, however long. Where that is not enough, what needs several of
// them, readers and collections and tags, gets so many at most and is answered by
// classes beyond that.
const (
	mostConditions = 48
	mostReaders    = 8
	mostRules      = 1
	mostTagKeys    = 5
)

// condition is a part of a filter: text in Typesense's language, or one of the two
// that it has no words for.
type condition string

const (
	all  condition = "*" // every document passes
	none condition = "!" // no document does
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// anyOf passes documents whose field holds one of the keys.
func anyOf(field string, keys []string) condition {
	if len(keys) == 0 {
		return none
	}
	return condition(field + ":=[" + strings.Join(keys, ",") + "]")
}

func and(list ...condition) condition { return combine(list, none, all, " && ") }

func or(list ...condition) condition { return combine(list, all, none, " || ") }

// combine joins conditions: one that is decisive decides, one that is idle is left
// out, and what is left of nothing is idle.
func combine(list []condition, decisive, idle condition, with string) condition {
	var parts []string
	for _, c := range list {
		switch c {
		case decisive:
			return decisive
		case idle:
		default:
			parts = append(parts, string(c))
		}
	}
	switch len(parts) {
	case 0:
		return idle
	case 1:
		return condition(parts[0])
	}
	return condition("(" + strings.Join(parts, with) + ")")
}

// join ANDs texts of filters that are conditions already.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == string(all) }), " && ")
}

// bounds is what a filter passes: known is what its readers may know, allowed is
// that part of it which it searches.
type bounds struct{ known, allowed condition }

// scope compiles a filter. What needs too many conditions is looked up in classes.
type scope struct {
	core.Filter
	classes classes
	brief   bool // keep within the numbers of conditions
}

// compile says a filter in Typesense's language. Its meaning is core.Filter.Allows.
func (s scope) compile() (bounds, error) {
	b, err := s.bounds()
	if err == nil && conditions(b.allowed) > mostConditions {
		s.brief = true
		return s.bounds()
	}
	return b, err
}

func conditions(c condition) int {
	return 1 + strings.Count(string(c), " && ") + strings.Count(string(c), " || ")
}

func (s scope) bounds() (bounds, error) {
	readable, err := s.readable()
	if err != nil {
		return bounds{}, err
	}
	known := and("live:=true", readable)
	if !s.IncludeHidden {
		known = and("live:=true", "hidden:=false", readable)
	}
	narrowed, err := s.narrowed()
	return bounds{known: known, allowed: and(known, narrowed)}, err
}

func (s scope) readable() (condition, error) {
	if s.Bypass {
		return all, nil
	}
	granted, err := s.rules(s.Granted)
	if err != nil {
		return none, err
	}
	together, err := s.together()
	return or(anyOf("access", withPublic(s.Principals)), granted, together), err
}

func withPublic(held []core.Principal) []string {
	return keysOf(append(slices.Clone(held), core.Public))
}

// together passes what all of several readers may read.
func (s scope) together() (condition, error) {
	if len(s.Readers) == 0 {
		return none, nil
	}
	var readers [][]string
	for _, held := range s.Readers {
		readers = append(readers, withPublic(held))
	}
	readers = fewest(readers)
	if s.brief && len(readers) > mostReaders {
		return s.classes.readByAll(readers)
	}
	var each []condition
	for _, held := range readers {
		each = append(each, anyOf("access", held))
	}
	return and(each...), nil
}

// fewest leaves out readers who hold all that another one holds: what that one may
// read they may read as well.
func fewest(readers [][]string) [][]string {
	slices.SortFunc(readers, func(a, b []string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	var out [][]string
	for _, r := range readers {
		if !slices.ContainsFunc(out, func(o []string) bool { return contains(r, o) }) {
			out = append(out, r)
		}
	}
	return out
}

// contains tells whether a sorted list holds all of another sorted list.
func contains(list, part []string) bool {
	for _, p := range part {
		if _, ok := slices.BinarySearch(list, p); !ok {
			return false
		}
	}
	return true
}
