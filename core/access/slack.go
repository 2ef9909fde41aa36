package access

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Presence says whether somebody of a sort is among the readers of a place. The
// zero value is the stricter: nobody has looked.
type Presence int

const (
	NotLooked Presence = iota
	Absent
	Present
)

// SlackFacts is what is known of a Slack conversation. The zero value knows
// nothing.
type SlackFacts struct {
	Known     bool // the conversation was looked up, and not too long ago
	Ephemeral bool // only the asker sees the reply, whatever the conversation
	IM        bool // a direct message with the bot
	GroupIM   bool
	Private   bool

	ExtShared        bool // with another organisation
	PendingExtShared bool // about to be
	OrgShared        bool // with other workspaces of the organisation
	SharedTeams      []string
	ConnectedTeams   []string
	Team             string // the bot's own workspace

	Guests    Presence // single- and multi-channel guests among its members
	Outsiders Presence // members, or the other side of an IM, of another team
}

// Kind is the kind of the place. The strictest fact decides:
//
//   - Outsiders, or what may bring them, make it a Connect channel, also an IM
//     and a group IM: the table has the asker's own principals and those of a
//     fixed set of people only for people of the team, and whoever is of another
//     one is to get nothing that the owner did not mark for outsiders. Other
//     workspaces of the same organisation are outsiders too, as they do not hold
//     workspace:<team>.
//   - In an IM or a group IM nothing but its people tells whether they are of
//     the team, so without having looked the readers are unknown.
//   - In a channel the lookup tells whether it is shared. Guests are not told
//     there; until somebody has looked they are taken to be in it.
func (f SlackFacts) Kind() core.PlaceKind {
	foreign := f.foreignTeam()
	switch {
	case f.Ephemeral:
		return core.PlaceEphemeral
	case !f.Known:
		return core.PlaceUnknown
	case f.ExtShared, f.PendingExtShared, f.OrgShared, foreign == Present, f.Outsiders == Present:
		return core.PlaceConnect
	case foreign == NotLooked, f.IM && f.GroupIM, (f.IM || f.GroupIM) && f.Outsiders == NotLooked:
		return core.PlaceUnknown
	case f.IM:
		return core.PlaceDirect
	case f.GroupIM:
		return core.PlaceGroup
	case f.Guests != Absent:
		return core.PlaceGuests
	case f.Private:
		return core.PlacePrivate
	}
	return core.PlacePublic
}

// foreignTeam tells whether a team beside the bot's own has a part in the
// conversation. Slack lists the own one too, so that must be known.
func (f SlackFacts) foreignTeam() Presence {
	teams := slices.Concat(f.SharedTeams, f.ConnectedTeams)
	switch {
	case len(teams) == 0:
		return Absent
	case f.Team == "":
		return NotLooked
	case slices.ContainsFunc(teams, func(t string) bool { return t != f.Team }):
		return Present
	}
	return Absent
}
