package core

import (
	"slices"
	"strings"
	"time"
)

// Filter bounds a search. Its three groups of fields have different null rules
// and must not be confused: missing principals mean public only; a nil
// narrowing list is off while an empty one matches nothing; a document without
// access is read by nobody. All groups are ANDed.
type Filter struct {
	// Who reads: one of the clauses below has to hold. Public is implied.
	Principals []Principal   // what every reader holds
	Readers    [][]Principal // what each single reader holds: a document passes where all of them may read it; nil = off
	Granted    []Collection  // the place's grants: their documents pass whatever their access says
	Bypass     bool          // lifts the access clause only

	IncludeHidden bool

	// What is searched. Nil = off, empty = nothing; inside a list any one counts.
	Sources   []string // by source name
	Documents []string // by document id
	Tags      []string // as TagOf writes them
	TagMode   TagMode
	Updated   Range
	Created   Range
	Within    []Collection  // the place's collections, a clause of their own
	Asked     []Collection  // what the question itself names, a clause of their own
	Under     []FolderScope // a clause of its own, beside the scope group
	Where     *Where        // a condition on metadata and fields; nil = off

	// The scope group: a document passes if one of the three lists holds it. Off
	// where all are nil.
	Collections []Collection
	Attached    []string // document ids
	Folders     []string // as FolderID writes them; any ancestor counts

	// Now is what open time ranges are judged by; the zero value means time.Now.
	Now time.Time
}

// TagMode says how several tags narrow.
type TagMode string

const (
	TagAny    TagMode = ""        // one of the tags
	TagPerKey TagMode = "per_key" // for each key that occurs, one of its tags
)

// Range is a span of time with both ends included, to the second: parts of a
// second count on neither side. A zero end is open; a range whose both ends are
// zero is off. One that is turned around holds no time.
type Range struct{ From, To time.Time }

// On tells whether the range narrows at all.
func (r Range) On() bool { return !r.From.IsZero() || !r.To.IsZero() }

func (r Range) holds(t time.Time) bool {
	s := t.Unix()
	return (r.From.IsZero() || s >= r.From.Unix()) && (r.To.IsZero() || s <= r.To.Unix())
}

// oldBound is how old an open lower bound must be for documents without a date
// to pass: a search for last week's documents is not to be flooded by them.
const oldBound = 90 * 24 * time.Hour

// UndatedUpdated tells whether documents of which it is not known when they were
// updated pass the range.
func (f Filter) UndatedUpdated() bool {
	now := f.Now
	if now.IsZero() {
		now = time.Now()
	}
	return !f.Updated.On() || f.Updated.To.IsZero() && f.Updated.From.Before(now.Add(-oldBound))
}

// Scoped tells whether the scope group narrows.
func (f Filter) Scoped() bool {
	return f.Collections != nil || f.Attached != nil || f.Folders != nil
}

// Facts is what a filter decides on: everything about a document but its text.
type Facts struct {
	Document string
	Source   string
	Title    string
	Kind     string
	Access   Access
	Hidden   bool
	Folders  []string // all ancestors, outermost first, as FolderID writes them
	Tags     []string // as TagOf writes them
	Created  time.Time
	Updated  time.Time
}

// Facts are what a filter decides on for a document, by the access that it has
// here. Lists of nothing are nil, so that facts can be compared.
func (d Document) Facts() Facts {
	f := Facts{
		Document: d.ID, Source: d.Source, Title: d.Title, Kind: d.Kind, Access: d.Access, Hidden: d.Hidden,
		Created: d.Created, Updated: d.Updated,
	}
	for _, folder := range d.Folders {
		f.Folders = append(f.Folders, FolderID(d.Source, folder))
	}
	if len(d.Meta) > 0 {
		f.Tags = TagsOf(d.Meta)
	}
	return f
}

// FolderID joins a source's name and a connector's id of a folder or space to an
// install-wide id.
func FolderID(source, folder string) string { return source + "/" + folder }

// TagOf writes one piece of a document's metadata as filters name it. Key and
// value are one token, folded to lower case.
func TagOf(key, value string) string { return strings.ToLower(key + "=" + value) }

// TagsOf writes metadata as tags, sorted.
func TagsOf(meta map[string]string) []string {
	out := make([]string, 0, len(meta))
	for k, v := range meta {
		out = append(out, TagOf(k, v))
	}
	slices.Sort(out)
	return out
}

// Allows is the meaning of a filter. Every index must agree with it.
func (f Filter) Allows(d Facts) bool {
	return (!d.Hidden || f.IncludeHidden) && f.Readable(d) && f.narrows(d) && f.inScope(d)
}

// Readable is the access clause alone.
func (f Filter) Readable(d Facts) bool {
	return f.Bypass || d.Access.Allows(f.Principals) || anyHolds(f.Granted, d) || f.allRead(d.Access)
}

func (f Filter) allRead(a Access) bool {
	for _, reader := range f.Readers {
		if !a.Allows(reader) {
			return false
		}
	}
	return len(f.Readers) > 0
}

func (f Filter) narrows(d Facts) bool {
	return (f.Sources == nil || slices.Contains(f.Sources, d.Source)) &&
		(f.Documents == nil || slices.Contains(f.Documents, d.Document)) &&
		(f.Tags == nil || f.TagMode.match(f.Tags, d.Tags)) &&
		(f.Within == nil || anyHolds(f.Within, d)) &&
		(f.Asked == nil || anyHolds(f.Asked, d)) &&
		(f.Under == nil || slices.ContainsFunc(f.Under, func(s FolderScope) bool { return s.Holds(d.Folders) })) &&
		(f.Where == nil || f.Where.Holds(d)) &&
		f.inTime(d)
}

func (f Filter) inTime(d Facts) bool {
	if f.Created.On() && !d.Created.IsZero() && !f.Created.holds(d.Created) {
		return false
	}
	if d.Updated.IsZero() {
		return f.UndatedUpdated()
	}
	return !f.Updated.On() || f.Updated.holds(d.Updated)
}

func (f Filter) inScope(d Facts) bool {
	return !f.Scoped() || anyHolds(f.Collections, d) || slices.Contains(f.Attached, d.Document) ||
		overlap(f.Folders, d.Folders)
}

func (m TagMode) match(want, has []string) bool {
	if m != TagPerKey {
		return overlapFold(want, has)
	}
	for _, w := range want {
		key, _, _ := strings.Cut(strings.ToLower(w), "=")
		if !slices.ContainsFunc(want, func(o string) bool {
			k, _, _ := strings.Cut(strings.ToLower(o), "=")
			return k == key && overlapFold([]string{o}, has)
		}) {
			return false
		}
	}
	return len(want) > 0
}

func overlap(want, has []string) bool {
	return slices.ContainsFunc(want, func(w string) bool { return slices.Contains(has, w) })
}

// overlapFold compares in lower case, as principals are compared.
func overlapFold(want, has []string) bool {
	return slices.ContainsFunc(want, func(w string) bool {
		w = strings.ToLower(w)
		return slices.ContainsFunc(has, func(h string) bool { return w == strings.ToLower(h) })
	})
}
