// Package access decides who can read a reply and what they may see of its
// sources. It holds no state and does no I/O: a place and a viewer go in, an
// audience comes out.
package access

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// The classes of audience, as stored with every turn.
const (
	ClassDirect  = "direct"  // the asker is the only reader
	ClassTeam    = "team"    // every full member of the install may read
	ClassUnknown = "unknown" // anybody may read
)

// Audience tells who can read a reply in the place. Only where the asker is the
// only reader do the viewer's own principals and bypass count. A kind that is
// not known gets the strictest class.
func Audience(place core.Place, viewer core.Viewer) core.Audience {
	switch place.Kind {
	case core.PlaceDirect:
		return core.Audience{
			Class:      ClassDirect,
			Principals: withPublic(viewer.Principals),
			Bypass:     viewer.Bypass,
			AskerOnly:  true,
			Links: core.LinkPolicy{
				Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowLink,
			},
		}
	case core.PlacePublic:
		return core.Audience{
			Class:      ClassTeam,
			Principals: []core.Principal{core.Public, core.Workspace},
			Links:      core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink},
		}
	}
	return core.Audience{Class: ClassUnknown, Principals: []core.Principal{core.Public}}
}

// withPublic adds what everybody holds and takes out repeats, without touching
// the list it was given.
func withPublic(principals []core.Principal) []core.Principal {
	return slices.Clone(core.NewAccess(append([]core.Principal{core.Public}, principals...)...))
}

// CanKnow tells whether a turn made under a class and scope may enter the
// context of the audience: every reader of the new place must have been able to
// read the old answer. What the asker alone could read stays with the asker.
func CanKnow(audience core.Audience, t core.Turn, viewer core.Viewer) bool {
	if t.Class == ClassDirect && !(audience.AskerOnly && t.Asker == viewer.Email) {
		return false
	}
	if audience.Bypass {
		return true
	}
	for _, p := range t.Scope {
		if p != core.Public && !slices.Contains(audience.Principals, p) {
			return false
		}
	}
	return true
}
