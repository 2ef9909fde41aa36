package core

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Viewer is who asks. The principals are all they hold; public is implied.
type Viewer struct {
	Email      string // "" for the local operator and for accounts not linked to a person
	Name       string // for prompts and logs at debug level
	Account    string // platform:team/user of who asked on a chat platform
	Class      AccountClass
	Principals []Principal
	Bypass     bool // lifts the access clause; audited, never set by a platform
	// Operator is set for who runs the install, on its own machine: only they
	// are told addresses and settings when something fails.
	Operator bool
	Zone     *time.Location // where they are; nil means UTC
}

// AccountClass is what kind of account asks. Only members are ever persons with
// principals of their own by their e-mail; guests and outsiders are by a link
// that the owner made.
type AccountClass string

const (
	AccountMember      AccountClass = "member"
	AccountGuest       AccountClass = "guest"
	AccountExternal    AccountClass = "external" // of another organisation
	AccountBot         AccountClass = "bot"      // bots, workflows, webhooks
	AccountDeactivated AccountClass = "deactivated"
	AccountUnknown     AccountClass = "" // command line, HTTP, or not known
)

// Account is an account on a platform, as the platform last described it, and
// the person that it stands for.
type Account struct {
	Platform string // slack, discord
	Team     string // workspace or guild; "" where the platform has accounts without one
	ID       string // the platform's own
	Name     string // as the platform shows it
	Class    AccountClass
	Email    string   // as the platform states it; "" if it does not
	Verified bool     // the platform says that the address was confirmed
	Linked   string   // the person whom a code linked it to; "" if none did
	Former   []string // addresses it had before and that nobody else has taken since
	Seen     time.Time
}

// Key names the account: platform:team/user.
func (a Account) Key() string { return a.Platform + ":" + a.Team + "/" + a.ID }

// PlaceKind is the kind of a place, as far as its readers are concerned.
type PlaceKind string

const (
	PlaceDirect         PlaceKind = "dm"                     // the asker is the only reader
	PlaceEphemeral      PlaceKind = "ephemeral"              // a reply that only the asker sees, wherever
	PlaceGroup          PlaceKind = "group_dm"               // a fixed set of people
	PlacePublic         PlaceKind = "public_channel"         // every full member may read
	PlacePrivate        PlaceKind = "private_channel"        // its members, now and later
	PlaceGuests         PlaceKind = "guest_channel"          // a channel with guests in it, public or private
	PlaceConnect        PlaceKind = "connect_channel"        // outsiders read it, or are about to
	PlaceEveryone       PlaceKind = "discord_everyone"       // a Discord channel that @everyone may view
	PlaceHidden         PlaceKind = "discord_hidden"         // one that only some roles or members may view
	PlacePrivateThread  PlaceKind = "discord_private_thread" // its members, below the channel in Place.Parent
	PlaceAskedByMachine PlaceKind = "bot_asker"              // a bot asks in a place of the kind in Place.Parent
	PlaceUnknown        PlaceKind = "unknown"                // readers not known: the strictest class
)

// Place is where a question is asked and the reply can be read. What follows
// Thread are facts about its readers; what is not known stays empty and counts
// as the stricter.
type Place struct {
	ID       string // platform:team/channel, or platform:session
	Platform string // console, http, slack, discord
	Kind     PlaceKind
	Thread   string // id of the thread inside the place
	Name     string // as people know it, for prompts; may be empty

	Team    string      // the workspace or guild that it belongs to
	Home    bool        // that one's members are full members of the install
	Own     []Principal // groups that every reader is in by being here: group:<source>/<channel id>
	Parent  PlaceKind   // see PlacePrivateThread and PlaceAskedByMachine
	Granted []Grantee   // what the owner bound to it
	// Within is what its settings narrow search to; nil = off, empty = nothing.
	Within []Collection
	// Members is what each reader holds; nil = not known. A reader who is no
	// linked person holds public only.
	Members      [][]Principal
	Intersection bool // the owner wants what all members may read as well
	External     bool // the owner lets it answer although outsiders read it
}

// Grantee is a granted collection with its reach.
type Grantee struct {
	Collection
	Outsiders bool // may know it too
}

// Show says how a source may be shown in a place.
type Show int

const (
	ShowNothing Show = iota // no marker, no link, no title
	ShowNumber              // [n], without link
	ShowLink                // [[n]](url)
)

// LinkPolicy maps the reach of a document to how it may be shown. The zero
// value shows nothing.
type LinkPolicy struct {
	Public     Show // documents whose access holds public
	Workspace  Show // else, documents whose access holds one of Audience.Team
	Restricted Show // all others
}

// SourceList says what the list below an answer may carry.
type SourceList int

const (
	ListNone   SourceList = iota // nothing
	ListTitles                   // numbers, and titles of public documents
	ListFull                     // numbers and titles of what is shown at all
)

// Discretion is how much a source's own settings hold back, whoever asks. The
// zero value holds back nothing.
type Discretion int

const (
	ShowAsPlace Discretion = iota // as the place allows
	NumberOnly                    // never a link or a title
	NeverShown                    // not even a number
)

// Audience is who can read a reply in a place.
type Audience struct {
	Class      string        // name of the policy row, kept with every turn
	Principals []Principal   // bound retrieval: what every reader holds
	Readers    [][]Principal // what each holds, where the intersection counts; see Filter.Readers
	Granted    []Collection  // grants that count here
	Within     []Collection  // see Filter.Within
	Bypass     bool          // carried over from the viewer where the asker is the only reader
	AskerOnly  bool          // the asker is the only reader
	Silent     bool          // no answer at all may be given here
	Team       []Principal   // whose documents are of reach workspace here
	Links      LinkPolicy
	List       SourceList
}

// Filter bounds retrieval to what every reader of the reply may read.
func (a Audience) Filter() Filter {
	return Filter{
		Principals: a.Principals, Readers: a.Readers, Granted: a.Granted, Within: a.Within, Bypass: a.Bypass,
	}
}

// ShowOf tells how a document may be shown to the audience: the stricter of
// place and source.
func (a Audience) ShowOf(d Document) Show {
	reach := a.Links.Restricted
	switch {
	case d.Access.Allows(nil):
		reach = a.Links.Public
	case d.Access.Allows(a.Team):
		reach = a.Links.Workspace
	}
	switch d.Discretion {
	case ShowAsPlace:
		return reach
	case NumberOnly:
		return min(reach, ShowNumber)
	}
	return ShowNothing
}

// TitleOf tells whether the audience may see the document's title and all else
// that names it: file name, authors, path, metadata.
func (a Audience) TitleOf(d Document) bool {
	switch {
	case d.Discretion != ShowAsPlace || a.ShowOf(d) == ShowNothing:
		return false
	case a.List == ListTitles:
		return d.Access.Allows(nil)
	}
	return a.List == ListFull
}

// Scope names everything that widened retrieval, for Turn.Scope: the principals,
// grant:<collection> for each grant, readers:<hash> where an intersection
// counted, and bypass. A turn may be known elsewhere only where all of it is
// held as well.
func (a Audience) Scope() []Principal {
	out := slices.Clone(a.Principals)
	if a.Bypass {
		out = append(out, "bypass")
	}
	for _, c := range a.Granted {
		out = append(out, fold("grant:"+c.Name))
	}
	if len(a.Readers) > 0 {
		out = append(out, fold("readers:"+hashOf(a.Readers)))
	}
	return NewAccess(out...)
}

func hashOf(readers [][]Principal) string {
	h := sha256.New()
	for _, r := range readers {
		for _, p := range NewAccess(r...) {
			h.Write(append([]byte(p), 0)) // a hash never fails to write
		}
		h.Write([]byte{1})
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
