// Package eval measures retrieval on a folder in BEIR form: corpus.jsonl,
// queries.jsonl and qrels.tsv, with an access layer in acl.tsv and users.json
// where these are present. It knows no engine: the caller brings one.
package eval

import (
	"maps"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Document is one document of a set.
type Document struct {
	ID     string
	Title  string // may be empty
	Text   string
	Access core.Access // from its group; public where the set has no access layer
}

// Query is one question of a set.
type Query struct {
	ID       string
	Text     string
	Language string // from the id's prefix or the metadata; "" if neither tells
}

// Set is a folder in BEIR form, read and checked.
type Set struct {
	Documents []Document
	Queries   []Query
	Relevant  map[string]map[string]int   // query id → document id → gain
	Users     map[string][]core.Principal // empty without an access layer
}

// groupSource is the source name under which groups of acl.tsv become principals.
const groupSource = "bench"

// principal maps a group of acl.tsv or users.json.
func principal(group string) core.Principal {
	if group == string(core.Public) {
		return core.Public
	}
	return core.Group(groupSource, group)
}

// everyone lists all principals that any document names, so that a search with
// them sees the whole set.
func (s Set) everyone() []core.Principal {
	seen := map[core.Principal]bool{}
	for _, d := range s.Documents {
		for _, p := range d.Access {
			seen[p] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (s Set) access() map[string]core.Access {
	out := make(map[string]core.Access, len(s.Documents))
	for _, d := range s.Documents {
		out[d.ID] = d.Access
	}
	return out
}
