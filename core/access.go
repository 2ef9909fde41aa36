package core

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Principal names a set of readers. Principals are compared after folding to
// lower case as Lower does, which ParsePrincipal and the constructors do.
type Principal string

const (
	// Public is anyone, also outside the team. Every viewer holds it.
	Public Principal = "public"
	// Workspace is every full member of the install: no guests, bots or outsiders.
	Workspace Principal = "workspace"
)

// WorkspaceOf is the members of one Slack workspace or Discord guild.
func WorkspaceOf(id string) Principal { return fold("workspace:" + id) }

// User is one person, named by e-mail address.
func User(email string) Principal { return fold("user:" + strings.TrimSpace(email)) }

// Group is a group of one source, by that source's own name for it.
func Group(source, name string) Principal { return fold("group:" + source + "/" + name) }

func fold(s string) Principal { return Principal(Lower(s)) }

// Lower folds a name to lower case. Two letters outside ASCII would become letters
// of ASCII, a dotted capital I and the Kelvin sign; they stay as they are, so that
// no name becomes another one's that only looks like it.
func Lower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u212a") {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if low := unicode.ToLower(r); r < utf8.RuneSelf || low >= utf8.RuneSelf {
			return low
		}
		return r
	}, s)
}

// ParsePrincipal reads a principal as people write it in config and on the
// command line: public, workspace, workspace:ID, user:EMAIL, group:SOURCE/NAME.
// Errors are of kind invalid.
func ParsePrincipal(s string) (Principal, error) {
	p := fold(strings.TrimSpace(s))
	kind, rest, has := strings.Cut(string(p), ":")
	switch {
	case p == Public, p == Workspace:
		return p, nil
	case has && rest != "" && kind == "workspace" && !spaced(rest):
		return p, nil
	case has && kind == "user" && strings.Contains(rest, "@") && !spaced(rest):
		return p, nil
	case has && kind == "group" && validGroup(rest):
		return p, nil
	}
	return "", Errorf(KindInvalid,
		"%q is not a principal: write public, workspace, workspace:ID, user:EMAIL or group:SOURCE/NAME", s)
}

// spaced tells names that nobody has: with a blank or control character in them.
// What is read into one by a slip would open for nobody, without a word.
func spaced(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

func validGroup(rest string) bool {
	source, name, ok := strings.Cut(rest, "/")
	return ok && source != "" && name != ""
}

// Access is the principals who may read a document. Missing and empty both mean
// nobody. It is kept sorted and without repeats; use NewAccess.
type Access []Principal

// NewAccess sorts, folds and de-duplicates the principals.
func NewAccess(principals ...Principal) Access {
	out := make(Access, 0, len(principals))
	for _, p := range principals {
		if p = fold(strings.TrimSpace(string(p))); p != "" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ParseAccess reads a list as written on the command line: "nobody", or
// principals separated by commas. Errors are of kind invalid.
func ParseAccess(s string) (Access, error) {
	if strings.TrimSpace(s) == "nobody" {
		return Access{}, nil
	}
	var out []Principal
	for part := range strings.SplitSeq(s, ",") {
		p, err := ParsePrincipal(part)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return NewAccess(out...), nil
}

// Allows tells whether a holder of the principals may read. Public is always
// implied, so nil principals read what the public reads and nothing else.
func (a Access) Allows(principals []Principal) bool {
	for _, p := range a {
		if p == Public || slices.Contains(principals, p) {
			return true
		}
	}
	return false
}
