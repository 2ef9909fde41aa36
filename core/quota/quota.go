// Package quota decides from plain data whether a question may still ask a model:
// limits for a person, a channel, a model or all together, by day or by month. It
// counts nothing itself; the caller says what was used.
package quota

import (
	"cmp"
	"strings"
	"time"
)

// Who is what a limit is for.
type Who string

// What limits are for.
const (
	User    Who = "user"
	Channel Who = "channel"
	Model   Who = "model"
	All     Who = "all"
)

// Limit is one entry of the configuration. What is 0 is not limited.
type Limit struct {
	Who  Who
	Name string // one person, place or model; "" means each of them has it
	// Questions and Tokens are by day, Cost is by month, in the currency of the prices.
	Questions, Tokens int
	Cost              float64
}

// Asker is who asks where, and the model that would answer.
type Asker struct {
	Person  string // address, else account
	Account string
	Place   string
	Model   string
}

// Window is a time: From is part of it, To is not.
type Window struct{ From, To time.Time }

// Need is what has to be known for a decision: what was used in the window by those
// that are named. A limit that matters has one, or two.
type Need struct {
	Limit
	Window               Window
	Person, Place, Model string // "" = any
	monthly              bool
}

// Used is what was used so far.
type Used struct {
	Questions, Tokens int
	Cost              float64
}

// Needs lists what has to be known before the asker may ask a model. Days and months
// begin where the zone has its midnight.
func Needs(limits []Limit, a Asker, now time.Time, zone *time.Location) []Need {
	var out []Need
	for _, l := range limits {
		n, applies := l.of(a)
		if !applies {
			continue
		}
		if l.Questions > 0 || l.Tokens > 0 {
			n.Window = Day(now, zone)
			out = append(out, n)
		}
		if l.Cost > 0 {
			n.Window, n.monthly = Month(now, zone), true
			out = append(out, n)
		}
	}
	return out
}

// of narrows a limit to the asker, if it is theirs.
func (l Limit) of(a Asker) (Need, bool) {
	n := Need{Limit: l}
	mine := func(names ...string) bool {
		for _, name := range names {
			if name != "" && (l.Name == "" || strings.EqualFold(strings.TrimSpace(l.Name), name)) {
				return true
			}
		}
		return false
	}
	switch l.Who {
	case User:
		n.Person = a.Person
		return n, mine(a.Person, a.Account)
	case Channel:
		n.Place = a.Place
		return n, mine(a.Place)
	case Model:
		n.Model = a.Model
		return n, mine(a.Model)
	}
	return n, l.Who == All
}

// Reached tells whether what was used leaves nothing of the limit.
func (n Need) Reached(u Used) bool {
	if n.monthly {
		return u.Cost >= n.Cost
	}
	return n.Questions > 0 && u.Questions >= n.Questions || n.Tokens > 0 && u.Tokens >= n.Tokens
}

// Reading tells whether what reading documents cost counts: as money, for the model
// and for all together. It is no question, and nobody's.
func (n Need) Reading() bool { return n.monthly && (n.Who == All || n.Who == Model) }

// Key names the limit as it is for this asker, so that it is told once.
func (n Need) Key() string {
	span := "day"
	if n.monthly {
		span = "month"
	}
	return strings.Join(strings.Fields(string(n.Who)+" "+cmp.Or(n.Person, n.Place, n.Model)+" "+span), " ")
}

// Day is the day of now in the zone: from its midnight, or where a change of the
// clocks skips that from the first moment after, to the next. A clock that jumps back
// counts again what it counted then, and nothing of the time that has not come yet.
func Day(now time.Time, zone *time.Location) Window {
	y, m, d := now.In(zone).Date()
	from, _ := midnight(y, m, d, zone)
	to, exists := midnight(y, m, d+1, zone)
	if !exists { // a zone that crosses the date line skips a day
		to, _ = midnight(y, m, d+2, zone)
	}
	return Window{from, to}
}

// Month is the month of now in the zone.
func Month(now time.Time, zone *time.Location) Window {
	y, m, _ := now.In(zone).Date()
	from, _ := midnight(y, m, 1, zone)
	to, _ := midnight(y, m+1, 1, zone)
	return Window{from, to}
}

// midnight is the first moment of a day; time.Date gives one of the day before where
// midnight does not exist. It is false where the whole day does not.
func midnight(y int, m time.Month, d int, zone *time.Location) (time.Time, bool) {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day()
	for range 4 * 4 { // no zone ever skipped more than some hours at midnight, or a day
		if t.Day() == day {
			return t, true
		}
		t = t.Add(15 * time.Minute)
	}
	return t, false
}

// ModelName is the name under which what a reply used counts: a server may answer
// with the dated name of what was asked for, such as small-2026-03-01 for small.
func ModelName(reported string, configured []string) string {
	best := ""
	for _, name := range configured {
		rest, is := strings.CutPrefix(reported, name)
		dated := is && len(rest) > 1 && (rest[0] == '-' || rest[0] == '@' || rest[0] == ':') && rest[1] >= '0' && rest[1] <= '9'
		if (rest == "" && is || dated) && len(name) > len(best) {
			best = name
		}
	}
	return cmp.Or(best, reported)
}
