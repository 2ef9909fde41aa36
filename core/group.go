package core

import "time"

// GroupMembers is one group of a source with who is in it.
type GroupMembers struct {
	Source string      // whose namespace the name is in
	Name   string      // the source's own
	Users  []string    // e-mail addresses
	Groups []Principal // groups whose members are members too; may go around in circles
}

// GroupState is how well the groups of a source are known.
type GroupState struct {
	Source  string
	Checked time.Time     // when the source last told all of its groups
	MaxAge  time.Duration // after that nobody is in any of them
}

// Fresh tells whether the groups count at the given time.
func (g GroupState) Fresh(now time.Time) bool { return StillTold(g.Checked, now, g.MaxAge) }

// clockSlack is by how much a clock may be set back without anything that was told
// before becoming doubtful.
const clockSlack = time.Hour

// StillTold tells whether what was told at a time counts now, for the time limit,
// which is included. What was never told does not, nor what was told much
// later than now: a clock was wrong, and how old it is cannot be known.
func StillTold(at, now time.Time, limit time.Duration) bool {
	age := now.Sub(at)
	return !at.IsZero() && age <= limit && age >= -clockSlack
}

// ConfigGroups is the name under which the groups of footnote.yaml stand. They
// are never stale. No source may have this name.
const ConfigGroups = "config"
