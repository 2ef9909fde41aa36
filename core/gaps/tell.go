package gaps

import (
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Shared tells whether a question of the class was asked where others read it, so
// that those who run Footnote may see its text without further ado. In every other
// class, one that is not known included, it is private.
func Shared(class string) bool {
	switch core.PlaceKind(class) {
	case core.PlacePublic, core.PlaceGuests, core.PlaceConnect, core.PlaceEveryone:
		return true
	}
	return false
}

// Reader is where a digest is read.
type Reader struct {
	Place string // id; empty where only the owner reads it
	Class string // audience class of the place
}

// Tellable tells whether the text of a question may stand in a digest that is read
// there: in the place in which it was asked, if others read that; and of a channel
// that all full members may read, in any channel of the same workspace that only its
// members read. The owner gets what is shared anywhere. Whatever is not tellable is
// counted and no more.
func Tellable(q Question, in Reader) bool {
	switch {
	case !Shared(q.Class):
		return false
	case in.Place == "":
		return true
	case strings.EqualFold(q.Place, in.Place):
		return true
	}
	inside := in.Class == string(core.PlacePublic) || in.Class == string(core.PlacePrivate)
	return q.Class == string(core.PlacePublic) && inside && team(q.Place) != "" && strings.EqualFold(team(q.Place), team(in.Place))
}

// team is the platform and the team of a place's id, such as slack:T1.
func team(place string) string {
	before, _, ok := strings.Cut(place, "/")
	if !ok {
		return ""
	}
	return before
}

// Digest is what may be told of a time in one place.
type Digest struct {
	Groups  []Group // of questions whose text may be told
	Hidden  int     // gaps whose text may not
	Asked   int     // all questions of the time
	Reasons map[Reason]int
}

// DigestFor gathers a digest of all questions of a time.
func DigestFor(all []Question, in Reader) Digest {
	d := Digest{Asked: len(all), Reasons: map[Reason]int{}}
	var told []Question
	for _, q := range Found(all) {
		for _, r := range Reasons(q) {
			d.Reasons[r]++
		}
		if Tellable(q, in) {
			told = append(told, q)
		} else {
			d.Hidden++
		}
	}
	d.Groups = Groups(told)
	return d
}
