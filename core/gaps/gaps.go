// Package gaps finds what a team asks and its documents do not tell: questions that
// ended without an answer or with a weak one, put together by the rare words that
// they share. It holds no state and does no I/O. It compares words and no meanings:
// two questions about one thing in other words stay apart, and whoever shows groups
// says so.
package gaps

import (
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// The ways in which a turn ends.
const (
	Answered   = "answered"   // a model wrote it, with sources
	Quoted     = "quoted"     // the best passages, quoted, as the model could not be asked or there is none
	Unsourced  = "unsourced"  // a model wrote something that rests on no source, after a search
	Unanswered = "unanswered" // nothing was found that could be quoted
	Talk       = "talk"       // nothing was searched, such as after a thank-you
	Stopped    = "stopped"    // somebody stopped it, or the model broke off
	Failed     = "failed"     // an error took its place
)

// Outcomes are all ways in which a turn ends, the good ones first.
var Outcomes = []string{Answered, Quoted, Talk, Unsourced, Unanswered, Stopped, Failed}

// Weak is the share of a question's words, by rarity, below which the best passage
// found does not really speak of it. It is what quotes need to be shown at all.
const Weak = 0.405

// OutcomeOf tells how a turn ended that searched so often.
func OutcomeOf(a core.Answer, searches int) string {
	switch {
	case a.Stopped:
		return Stopped
	case a.Mode == core.ModeQuotes && len(a.Citations) > 0:
		return Quoted
	case a.Mode == core.ModeQuotes:
		return Unanswered
	case len(a.Citations) > 0:
		return Answered
	case searches > 0:
		return Unsourced
	}
	return Talk
}

// Question is one that was asked, with what came of it.
type Question struct {
	TurnID   string
	Text     string
	At       time.Time
	Place    string // id
	Class    string // audience class that it was answered for
	Outcome  string // "" if not known
	Coverage float64
	Down     int // votes against the answer
	Help     int // calls for a person
}

// Reason is why a question counts as a gap.
type Reason string

const (
	NoAnswer   Reason = "no answer"
	NoSource   Reason = "no source"
	WeakAnswer Reason = "weak answer"
	VotedDown  Reason = "voted down"
	AskedHuman Reason = "asked for a person"
)

// Reasons are why the question counts as a gap, the worst first; none if it does
// not. What failed or was stopped says nothing of documents.
func Reasons(q Question) []Reason {
	var out []Reason
	switch {
	case q.Outcome == Unanswered:
		out = append(out, NoAnswer)
	case q.Outcome == Unsourced:
		out = append(out, NoSource)
	case (q.Outcome == Answered || q.Outcome == Quoted) && q.Coverage > 0 && q.Coverage < Weak:
		out = append(out, WeakAnswer)
	}
	if q.Help > 0 {
		out = append(out, AskedHuman)
	}
	if q.Down > 0 {
		out = append(out, VotedDown)
	}
	return out
}

// Found are the questions that count as gaps, in their order.
func Found(all []Question) []Question {
	return slices.DeleteFunc(slices.Clone(all), func(q Question) bool { return len(Reasons(q)) == 0 })
}
