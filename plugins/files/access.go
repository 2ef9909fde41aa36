package files

import (
	"cmp"
	"fmt"
	"path"
	"slices"
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

// parseAccess reads the rules and puts the most specific first: the one with
// the longest part before its first wildcard, then the longest, then the first
// in the alphabet.
func parseAccess(config map[string][]string) ([]accessRule, error) {
	var out []accessRule
	for written, readers := range config {
		glob := strings.Trim(written, "/")
		if !validGlob(glob) {
			return nil, fmt.Errorf("%q is not a valid glob", written)
		}
		access, err := parseReaders(readers)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", written, err)
		}
		out = append(out, accessRule{glob: glob, access: access})
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

func parseReaders(readers []string) (sdk.Access, error) {
	var out sdk.Access
	for _, reader := range readers {
		if err := addReader(&out, strings.TrimSpace(reader)); err != nil {
			return sdk.Access{}, err
		}
	}
	if slices.Contains(readers, "nobody") && len(readers) > 1 {
		return sdk.Access{}, fmt.Errorf("nobody cannot stand beside other readers")
	}
	return out, nil
}

func addReader(a *sdk.Access, reader string) error {
	kind, rest, _ := strings.Cut(reader, ":")
	switch {
	case reader == "nobody":
	case reader == "public":
		a.Public = true
	case reader == "workspace":
		a.Workspace = true
	case kind == "user" && strings.Contains(rest, "@"):
		a.Users = append(a.Users, rest)
	case kind == "group" && rest != "" && !strings.Contains(rest, "/"):
		a.Groups = append(a.Groups, rest)
	case kind == "group" && !strings.HasPrefix(rest, "/") && !strings.HasSuffix(rest, "/") && rest != "",
		kind == "workspace" && rest != "":
		a.Principals = append(a.Principals, reader) // of another source, or one workspace
	default:
		return fmt.Errorf("%q is not a reader: write public, workspace, nobody, user:EMAIL or group:NAME", reader)
	}
	return nil
}

// accessOf returns who may read a path and the glob that says so. Where no rule
// matches, access is left to the host and the glob is "".
func accessOf(rules []accessRule, name string) (sdk.Access, string) {
	for _, rule := range rules {
		for part := name; part != "."; part = path.Dir(part) {
			if doublestar.MatchUnvalidated(rule.glob, part) {
				return rule.access, rule.glob
			}
		}
	}
	return sdk.HostAccess, ""
}
