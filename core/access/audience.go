// Package access decides who can read a reply and what they may see of its
// sources. It holds no state and does no I/O: a place and a viewer go in, an
// audience comes out.
package access

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// MostMembers is how many readers an intersection is computed over. A larger
// place gets what its class allows without it.
const MostMembers = 200

// row is one line of the policy: what a class of places gets, whoever asks.
type row struct {
	asker    bool // the asker's own principals, and nothing else
	team     bool // what the place's workspace reads
	own      bool // the content of the place itself
	grants   bool
	outside  bool // only grants that outsiders may know
	together bool // what all members may read, always
	optional bool // the same where the owner wants it
	off      bool // silent unless the owner turned it on
	links    core.LinkPolicy
	list     core.SourceList
}

var (
	linkAll  = core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowLink}
	linkTeam = core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink, Restricted: core.ShowNumber}
	linkShow = core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowLink}
	linkOpen = core.LinkPolicy{Public: core.ShowLink}
)

// policy is the whole table. A kind that is not in it is treated as unknown:
// public documents only, and nothing of them shown.
var policy = map[core.PlaceKind]row{
	core.PlaceDirect:    {asker: true, links: linkAll, list: core.ListFull},
	core.PlaceEphemeral: {asker: true, links: linkAll, list: core.ListFull},
	core.PlaceGroup:     {together: true, links: linkAll, list: core.ListFull},
	core.PlacePublic:    {team: true, own: true, grants: true, links: linkTeam, list: core.ListFull},
	core.PlacePrivate:   {team: true, own: true, grants: true, optional: true, links: linkAll, list: core.ListFull},
	core.PlaceGuests:    {own: true, grants: true, links: linkOpen, list: core.ListTitles},
	core.PlaceConnect:   {grants: true, outside: true, off: true, links: linkOpen, list: core.ListTitles},
	core.PlaceEveryone:  {own: true, grants: true, links: linkOpen, list: core.ListTitles},
	core.PlaceHidden:    {own: true, grants: true, optional: true, links: linkShow, list: core.ListFull},
}

// privateThread is what stays of a channel's row in a private thread below it.
// Its members are others than the channel's, so its own content stays out.
func privateThread(parent row) row {
	parent.own, parent.team, parent.together, parent.optional = false, false, false, false
	return parent
}

// Audience tells who can read a reply in the place. Only where the asker is the
// only reader do the viewer's own principals and bypass count. A kind that is
// not known gets the strictest class.
func Audience(place core.Place, viewer core.Viewer) core.Audience {
	class, r, known := rowFor(place)
	if !known || r.asker && viewer.Class == core.AccountBot {
		return within(core.Audience{Class: string(core.PlaceUnknown), Principals: publicOnly()}, place)
	}
	a := core.Audience{Class: string(class), Links: r.links, List: r.list, Team: reachTeam(place)}
	if r.asker {
		a.AskerOnly, a.Principals = true, publicOnly()
		if viewer.Class != core.AccountDeactivated {
			a.Principals, a.Bypass = withPublic(viewer.Principals), viewer.Bypass
		}
		return within(a, place)
	}
	if len(place.Members) <= MostMembers && (r.together || r.optional && place.Intersection) {
		a.Readers = readers(place.Members)
	}
	a.Principals = core.NewAccess(append(shared(r, place), common(a.Readers)...)...)
	a.Silent = r.off && !place.External
	a.Granted = granted(r, place)
	return within(a, place)
}

// rowFor finds the place's class and its row; those that hang on another place
// take over that one's.
func rowFor(place core.Place) (core.PlaceKind, row, bool) {
	switch place.Kind {
	case core.PlacePrivateThread:
		parent := core.Place{Kind: place.Parent}
		if place.Parent != core.PlaceEveryone && place.Parent != core.PlaceHidden {
			return "", row{}, false
		}
		_, r, ok := rowFor(parent)
		return core.PlacePrivateThread, privateThread(r), ok
	case core.PlaceAskedByMachine:
		r, ok := policy[place.Parent]
		return place.Parent, r, ok && !r.asker
	}
	r, ok := policy[place.Kind]
	return place.Kind, r, ok
}

func within(a core.Audience, place core.Place) core.Audience {
	if place.Within != nil {
		a.Within = append([]core.Collection{}, place.Within...)
	}
	return a
}

// shared is what every reader of a place of the row holds, by being there.
func shared(r row, place core.Place) []core.Principal {
	out := publicOnly()
	if r.team {
		out = append(out, teamOf(place)...)
	}
	if r.own {
		out = append(out, ownOf(place)...)
	}
	return out
}

// ownOf is the groups that being in the place means. Whether its readers are
// full members is for the row and Place.Home to say, and nobody is a person by
// being somewhere: such principals do not count here.
func ownOf(place core.Place) []core.Principal {
	return slices.DeleteFunc(core.NewAccess(place.Own...), func(p core.Principal) bool {
		kind, _, _ := strings.Cut(string(p), ":")
		return kind == "workspace" || kind == "user"
	})
}

// reachTeam is whose documents count as the team's own for the link policy. It
// says how a document may be shown that is found anyway, and opens none: a
// collection for full members that was granted to a place that is not home is
// still of the team's reach.
func reachTeam(place core.Place) []core.Principal {
	return core.NewAccess(append(teamOf(place), core.Workspace)...)
}

// teamOf is what the full members of the place's workspace hold.
func teamOf(place core.Place) []core.Principal {
	var out []core.Principal
	if place.Home {
		out = append(out, core.Workspace)
	}
	if place.Team != "" {
		out = append(out, core.WorkspaceOf(place.Team))
	}
	return out
}

func granted(r row, place core.Place) []core.Collection {
	if !r.grants || r.off && !place.External {
		return nil
	}
	var out []core.Collection
	for _, g := range place.Granted {
		if !r.outside || g.Outsiders {
			out = append(out, g.Collection)
		}
	}
	return out
}

// readers is what each member holds, in an order of its own: members that hold
// the same are one, and the order in which they were listed does not count.
func readers(members [][]core.Principal) [][]core.Principal {
	var out [][]core.Principal
	for _, m := range members {
		out = append(out, withPublic(m))
	}
	slices.SortFunc(out, slices.Compare)
	return slices.CompactFunc(out, slices.Equal)
}

// common is what all of the readers hold.
func common(readers [][]core.Principal) []core.Principal {
	if len(readers) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(readers[0]), func(p core.Principal) bool {
		return slices.ContainsFunc(readers[1:], func(r []core.Principal) bool { return !slices.Contains(r, p) })
	})
}

func publicOnly() []core.Principal { return []core.Principal{core.Public} }

// withPublic adds what everybody holds and takes out repeats, without touching
// the list it was given.
func withPublic(principals []core.Principal) []core.Principal {
	return slices.Clone(core.NewAccess(append([]core.Principal{core.Public}, principals...)...))
}
