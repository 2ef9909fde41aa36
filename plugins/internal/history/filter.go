package history

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Filter chooses channels by name or id.
type Filter []Rule

// Rule is one line of a filter.
type Rule struct {
	Written string
	Exact   bool // names one channel
	like    *regexp.Regexp
}

// ParseFilter reads names, ids, names with * for any text, and /expressions/.
func ParseFilter(list []string) (Filter, error) {
	var out Filter
	for _, text := range list {
		name := strings.TrimPrefix(strings.TrimSpace(text), "#")
		if name == "" {
			return nil, errors.New("there is an empty name")
		}
		r := Rule{Written: name, Exact: !strings.Contains(name, "*")}
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$"
		if len(name) > 2 && name[0] == '/' && name[len(name)-1] == '/' {
			pattern, r.Exact = name[1:len(name)-1], false
		}
		var err error
		if r.like, err = regexp.Compile(pattern); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// Covers tells whether the line stands for a channel.
func (r Rule) Covers(name, id string) bool { return r.like.MatchString(name) || r.Written == id }

// Covers tells whether any line stands for a channel.
func (f Filter) Covers(name, id string) bool {
	return slices.ContainsFunc(f, func(r Rule) bool { return r.Covers(name, id) })
}
