package access

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// width orders the classes by how many may read a reply in them. A class that
// is not listed was written by another version and counts as the narrowest:
// what was made under it stays with its asker.
var width = map[core.PlaceKind]int{
	core.PlaceDirect: 0, core.PlaceEphemeral: 0,
	core.PlaceGroup: 1, core.PlacePrivateThread: 1,
	core.PlacePrivate: 2, core.PlaceHidden: 2,
	core.PlacePublic:   3,
	core.PlaceGuests:   4,
	core.PlaceConnect:  5,
	core.PlaceEveryone: 6,
	core.PlaceUnknown:  7,
}

// AskerOnlyClass tells whether a turn of the class was made where its asker was
// the only reader.
func AskerOnlyClass(class string) bool { return width[core.PlaceKind(class)] == 0 }

// CanKnow tells whether a turn made under a class and scope may enter the
// context of the audience: every reader of the new place must have been able to
// read the old answer, and the place must not be of a class with more readers.
// What the asker alone could read stays with the asker; in a silent place
// nothing is known. The documents that the turn used are for the caller to
// check as they are now.
func CanKnow(audience core.Audience, t core.Turn, viewer core.Viewer) bool {
	switch {
	case audience.Silent:
		return false
	case AskerOnlyClass(t.Class) && !(audience.AskerOnly && sameAsker(t, viewer)):
		return false
	case NarrowerClass(t.Class, audience.Class):
		return false
	}
	return audience.Bypass || covers(audience.Scope(), t.Scope)
}

// NarrowerClass tells whether the first class has fewer readers than the second.
func NarrowerClass(class, than string) bool {
	return width[core.PlaceKind(class)] < width[core.PlaceKind(than)]
}

func sameAsker(t core.Turn, viewer core.Viewer) bool {
	if t.Asker == "" && viewer.Email == "" {
		return t.Account == viewer.Account
	}
	return t.Asker == viewer.Email
}

// covers tells whether whoever holds all of one scope may know what was made
// under the other.
func covers(now, then []core.Principal) bool {
	return !slices.ContainsFunc(then, func(p core.Principal) bool {
		return p != core.Public && !slices.Contains(now, p)
	})
}

// Wider tells whether an answer made for the one audience may no longer stand
// now that the place has the other: somebody reads it for whom it was not made,
// it may rest on a document that not all of them may read, or it shows more of
// its sources than it may. What search is narrowed to does not count.
func Wider(made, now core.Audience) bool {
	return now.Silent && !made.Silent || NarrowerClass(made.Class, now.Class) ||
		!opens(now, made) || showsLess(now, made)
}

// opens tells whether the first audience may read all that the second may.
func opens(now, made core.Audience) bool {
	switch {
	case now.Bypass:
		return true
	case made.Bypass || !covers(now.Principals, made.Principals):
		return false
	}
	return opensGrants(now.Granted, made.Granted) && opensReaders(now, made.Readers)
}

// opensGrants wants every grant again, by name and with the rule that it had.
func opensGrants(now, made []core.Collection) bool {
	return !slices.ContainsFunc(made, func(m core.Collection) bool {
		return !slices.ContainsFunc(now, func(n core.Collection) bool {
			return n.Name == m.Name && slices.Equal(n.Sources, m.Sources) &&
				slices.Equal(n.Folders, m.Folders) && slices.Equal(n.Tags, m.Tags)
		})
	})
}

// opensReaders tells whether what all of the readers could read together can
// still be read: by each reader of now who holds all that some reader held then.
func opensReaders(now core.Audience, then [][]core.Principal) bool {
	holdsOne := func(held []core.Principal) bool {
		return slices.ContainsFunc(then, func(r []core.Principal) bool { return covers(held, r) })
	}
	if len(then) == 0 || holdsOne(now.Principals) {
		return true
	}
	return len(now.Readers) > 0 &&
		!slices.ContainsFunc(now.Readers, func(held []core.Principal) bool { return !holdsOne(held) })
}

// showsLess tells whether the first shows less of some source than the second.
// A document whose reach was the team's and is no longer is one of them.
func showsLess(a, b core.Audience) bool {
	return a.Links.Public < b.Links.Public || a.Links.Workspace < b.Links.Workspace ||
		a.Links.Restricted < b.Links.Restricted || a.List < b.List ||
		a.Links.Restricted < b.Links.Workspace && !covers(a.Team, b.Team)
}
