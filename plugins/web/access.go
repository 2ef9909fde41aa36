package web

import (
	"cmp"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// accessRule says who may read the paths that a glob matches.
type accessRule struct {
	glob   string
	access sdk.Access
}

// parseAccess reads the rules and puts the most specific first: the one with the
// longest part before its first wildcard, then the longest.
func parseAccess(config map[string][]string) ([]accessRule, error) {
	var out []accessRule
	for written, readers := range config {
		if written == "" || !doublestar.ValidatePattern(written) {
			return nil, fmt.Errorf("%q is not a valid glob", written)
		}
		glob := rooted([]string{written})[0]
		if glob != "/" {
			glob = strings.TrimSuffix(glob, "/")
		}
		access, err := readersOf(readers)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", written, err)
		}
		out = append(out, accessRule{glob, access})
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i].glob, out[j].glob
		return cmp.Or(-cmp.Compare(literal(a), literal(b)), -cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0
	})
	for i := 1; i < len(out); i++ {
		if out[i].glob == out[i-1].glob {
			return nil, fmt.Errorf("%q is there twice", out[i].glob)
		}
	}
	return out, nil
}

// literal is how many bytes of a glob stand before its first wildcard.
func literal(glob string) int {
	if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
		return i
	}
	return len(glob)
}

func readersOf(readers []string) (sdk.Access, error) {
	var out sdk.Access
	for _, reader := range readers {
		kind, name, _ := strings.Cut(reader, ":")
		switch {
		case reader == "nobody" && len(readers) == 1:
		case reader == "nobody":
			return out, fmt.Errorf("nobody cannot stand beside other readers")
		case reader == "public":
			out.Public = true
		case reader == "workspace":
			out.Workspace = true
		case kind == "user" && strings.Contains(name, "@"):
			out.Users = append(out.Users, name)
		case kind == "group" && strings.Contains(strings.Trim(name, "/"), "/"), kind == "workspace" && name != "":
			out.Principals = append(out.Principals, reader)
		default:
			return out, fmt.Errorf("%q is not a reader: write public, workspace, nobody, user:EMAIL or group:SOURCE/NAME", reader)
		}
	}
	return out, nil
}

// accessOf is who may read the page with a path. Where no rule matches, that is left
// to the host.
func accessOf(rules []accessRule, p string) sdk.Access {
	for _, rule := range rules {
		for part := p; ; part = path.Dir(part) {
			if doublestar.MatchUnvalidated(rule.glob, part) {
				return rule.access
			}
			if part == "/" || part == "." {
				break
			}
		}
	}
	return sdk.HostAccess
}
