package core

import "time"

// Viewer is who asks. The principals are all they hold; public is implied.
type Viewer struct {
	Email      string // "" for the local operator and for accounts not linked to a person
	Name       string // for prompts and logs at debug level
	Principals []Principal
	Bypass     bool // lifts the access clause; audited, never set by a platform
	// Operator is set for who runs the install, on its own machine: only they
	// are told addresses and settings when something fails.
	Operator bool
	Zone     *time.Location // where they are; nil means UTC
}

// PlaceKind is the kind of a place, as far as its readers are concerned.
type PlaceKind string

const (
	PlaceDirect  PlaceKind = "dm"             // the asker is the only reader
	PlacePublic  PlaceKind = "public_channel" // every full member may read
	PlaceUnknown PlaceKind = "unknown"        // readers not known: the strictest class
)

// Place is where a question is asked and the reply can be read.
type Place struct {
	ID       string // platform:team/channel, or platform:session
	Platform string // console, http, slack, discord
	Kind     PlaceKind
	Thread   string // id of the thread inside the place
}

// Show says how a source may be shown in a place.
type Show int

const (
	ShowNothing Show = iota // no marker, no link, no title
	ShowNumber              // [n], without link or title
	ShowLink                // [[n]](url), title in the source list
)

// LinkPolicy maps the reach of a document to how it may be shown. The zero
// value shows nothing.
type LinkPolicy struct {
	Public     Show // documents whose access holds public
	Workspace  Show // else, documents whose access holds the place's workspace
	Restricted Show // all others
}

// Audience is who can read a reply in a place.
type Audience struct {
	Class      string      // name of the policy row, kept with every turn
	Principals []Principal // bound retrieval: what every reader holds
	Bypass     bool        // carried over from the viewer where the asker is the only reader
	AskerOnly  bool        // the asker is the only reader
	Links      LinkPolicy
}

// ShowOf tells how a document with the access may be shown to the audience.
func (a Audience) ShowOf(access Access) Show {
	switch {
	case access.Allows(nil):
		return a.Links.Public
	case access.Allows([]Principal{Workspace}):
		return a.Links.Workspace
	}
	return a.Links.Restricted
}
