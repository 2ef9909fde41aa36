package core

import "slices"

// Collection is a named rule over sources, folders and tags. A document belongs
// to it if each list that is not empty holds it; a rule of which all lists are
// empty holds nothing, which is also what becomes of a name that is not known.
type Collection struct {
	Name    string
	Sources []string // by source name
	Folders []string // as FolderID writes them, with all that lies below
	Tags    []string // as TagOf writes them; any one counts
	Origin  Origin
}

// Holds tells whether a document belongs to the collection.
func (c Collection) Holds(d Facts) bool {
	return !c.Empty() &&
		(len(c.Sources) == 0 || slices.Contains(c.Sources, d.Source)) &&
		(len(c.Folders) == 0 || overlap(c.Folders, d.Folders)) &&
		(len(c.Tags) == 0 || overlapFold(c.Tags, d.Tags))
}

// Empty tells that the rule holds nothing.
func (c Collection) Empty() bool { return len(c.Sources)+len(c.Folders)+len(c.Tags) == 0 }

func anyHolds(list []Collection, d Facts) bool {
	return slices.ContainsFunc(list, func(c Collection) bool { return c.Holds(d) })
}

// Grant binds a collection to a place: its owner states that every reader of the
// place may know what is in it.
type Grant struct {
	Place      string // id of the place
	Collection string // by name
	External   bool   // outsiders may know it too: counts in shared channels
	Origin     Origin
}
