package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Clause names what decided whether a document is found.
type Clause string

// The clauses that open a document, and those that keep it closed.
const (
	ByPublic       Clause = "public"       // anyone may read it
	ByPrincipal    Clause = "principal"    // Reason.Name is held and may read it
	ByGrant        Clause = "grant"        // the collection Reason.Name is granted to the place and holds it
	ByIntersection Clause = "intersection" // every reader of the place may read it
	ByBypass       Clause = "bypass"       // access was lifted

	NoAccess     Clause = "nobody"       // its access is empty
	NotHeld      Clause = "not_held"     // none of Reason.Needs is held
	NotHeldByAll Clause = "not_by_all"   // the same, and not every reader of the place may read it either
	Hidden       Clause = "hidden"       // it may be read, but is hidden from search
	NotSearched  Clause = "not_searched" // it may be read, but lies outside of what Reason.Name narrows search to
)

// Reason is why a document is found or not. It names principals of the
// document, and of the readers only the one that opened it.
type Reason struct {
	Found  bool
	Clause Clause
	Name   string      // the principal, the collection or the narrowing
	Needs  core.Access // any one of these would do; set where access keeps it closed
	Hidden bool        // it is hidden as well, or would be if that counted
}

// Why tells which clause of the filter decides on the document. Found is what
// the filter's Allows says. Where several clauses open it the one that needs
// least is named: public, a principal, a grant, the intersection, the bypass.
func Why(f core.Filter, d core.Facts) Reason {
	r := opened(f, d)
	r.Hidden = d.Hidden
	switch narrowed := narrowing(f, d); {
	case !r.Found:
		return r
	case d.Hidden && !f.IncludeHidden:
		return Reason{Clause: Hidden, Hidden: true}
	case narrowed != "":
		return Reason{Clause: NotSearched, Name: narrowed, Hidden: d.Hidden}
	}
	return r
}

// opened decides the access clause alone.
func opened(f core.Filter, d core.Facts) Reason {
	if d.Access.Allows(nil) {
		return Reason{Found: true, Clause: ByPublic}
	}
	for _, p := range d.Access {
		if slices.Contains(f.Principals, p) {
			return Reason{Found: true, Clause: ByPrincipal, Name: string(p)}
		}
	}
	for _, c := range f.Granted {
		if c.Holds(d) {
			return Reason{Found: true, Clause: ByGrant, Name: c.Name}
		}
	}
	together := f
	together.Principals, together.Granted, together.Bypass = nil, nil, false
	switch {
	case together.Readable(d):
		return Reason{Found: true, Clause: ByIntersection}
	case f.Bypass:
		return Reason{Found: true, Clause: ByBypass}
	case len(d.Access) == 0:
		return Reason{Clause: NoAccess}
	case len(f.Readers) > 0:
		return Reason{Clause: NotHeldByAll, Needs: slices.Clone(d.Access)}
	}
	return Reason{Clause: NotHeld, Needs: slices.Clone(d.Access)}
}

// narrowing names the first part of the filter that leaves the document out
// although it may be read.
func narrowing(f core.Filter, d core.Facts) string {
	open := core.Filter{Bypass: true, IncludeHidden: true, Now: f.Now}
	parts := []struct {
		name string
		set  func(*core.Filter)
	}{
		{"the place's collections", func(one *core.Filter) { one.Within = f.Within }},
		{"the channels asked for", func(one *core.Filter) { one.Asked = f.Asked }},
		{"the sources asked for", func(one *core.Filter) { one.Sources = f.Sources }},
		{"the documents asked for", func(one *core.Filter) { one.Documents = f.Documents }},
		{"the tags asked for", func(one *core.Filter) { one.Tags, one.TagMode = f.Tags, f.TagMode }},
		{"the time asked for", func(one *core.Filter) { one.Updated, one.Created = f.Updated, f.Created }},
	}
	for _, part := range parts {
		one := open
		part.set(&one)
		if !one.Allows(d) {
			return part.name
		}
	}
	all := f
	all.Bypass, all.IncludeHidden = true, true
	if !all.Allows(d) {
		return "the collections, folders and attached documents asked for"
	}
	return ""
}

// Sentence says the reason to the owner.
func (r Reason) Sentence() string {
	out := r.sentence()
	if r.Hidden && r.Clause != Hidden {
		out += " It is also hidden."
	}
	return out
}

func (r Reason) sentence() string {
	switch r.Clause {
	case ByPublic:
		return "Found: anyone may read it."
	case ByPrincipal:
		return fmt.Sprintf("Found: %s may read it.", r.Name)
	case ByGrant:
		return fmt.Sprintf("Found: the collection %q, granted to the place, holds it.", r.Name)
	case ByIntersection:
		return "Found: every reader of the place may read it."
	case ByBypass:
		return "Found: access is lifted by the bypass, which is audited. Without it the document would not be found."
	case NoAccess:
		return "Not found: nobody has access to it. Set access for its source, or let the connector state it."
	case NotHeld:
		return fmt.Sprintf("Not found: it needs %s.", anyOf(r.Needs))
	case NotHeldByAll:
		return fmt.Sprintf("Not found: it needs %s, and not every reader of the place may read it.", anyOf(r.Needs))
	case Hidden:
		return "Not found: it is hidden from search, though its access would allow it."
	case NotSearched:
		return fmt.Sprintf("Not found: its access would allow it, but it lies outside of %s.", r.Name)
	}
	return "Not decided."
}

func anyOf(needs core.Access) string {
	if len(needs) == 1 {
		return string(needs[0])
	}
	names := make([]string, len(needs))
	for i, p := range needs {
		names[i] = string(p)
	}
	return "one of " + strings.Join(names, ", ")
}
