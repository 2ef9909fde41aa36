package agent

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

// Setup is a language model with what its server wants.
type Setup struct {
	Model     Model
	Name      string // for the trace and prices, where the reply names none
	Profile   Profile
	Window    int // the model's context in tokens; 0 means Options.Window
	MaxOutput int // tokens kept free for the reply; 0 means Options.MaxOutput
}

// persona is the question's agent with the install's defaults, its texts filled
// in.
func (o *Options) persona(q core.Question, now time.Time) core.Agent {
	p := q.Agent
	fill := filler(q, now)
	p.Instructions = fill(cmp.Or(p.Instructions, o.Instructions))
	p.Reminder = fill(cmp.Or(p.Reminder, o.Reminder))
	p.ForceSearch = p.ForceSearch || q.ForceSearch
	// Instructions that are not there cannot replace anything.
	p.ReplacePrompt = p.ReplacePrompt && strings.TrimSpace(p.Instructions) != ""
	return p
}

// filler puts the values into {asker}, {place} and {date}, in one pass, so that
// a value with braces is not read again. Other words in braces stay as they are:
// the owner sees that they are wrong.
func filler(q core.Question, now time.Time) func(string) string {
	return strings.NewReplacer(
		"{asker}", label(cmp.Or(q.Viewer.Name, q.Viewer.Email), "someone"),
		"{place}", label(q.Place.ID, "an unknown place"),
		"{date}", prompts.Day(now),
	).Replace
}

// longestLabel bounds a name inside a prompt, in letters.
const longestLabel = 80

// label makes a name of a platform fit for a prompt: one line, without markup
// that our own tags use.
func label(name, otherwise string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '<' || r == '>' {
			return ' '
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if letters := []rune(name); len(letters) > longestLabel {
		name = string(letters[:longestLabel]) + "…"
	}
	return cmp.Or(name, otherwise)
}

// setup chooses the model for the agent. A name that is not known gets the
// default, with a line in the log.
func (o *Options) setup(name string) (s Setup, known bool) {
	s, known = Setup{Model: o.Model, Profile: o.Profile}, true
	if name != "" && o.Models != nil {
		if own, ok := o.Models(name); ok && own.Model != nil {
			s = own
		} else {
			known = false
		}
	}
	setDefault(&s.Window, o.Window)
	setDefault(&s.MaxOutput, o.MaxOutput)
	return s, known
}

// window is what the model takes in, in tokens of our estimate.
func (s Setup) window() int {
	if s.Profile.Factor == nil {
		return s.Window
	}
	return int(float64(s.Window) / max(s.Profile.Factor(), 1))
}

// zone is where the asker is.
func zone(v core.Viewer) *time.Location {
	if v.Zone == nil {
		return time.UTC
	}
	return v.Zone
}

// narrowed is the audience's filter inside what the agent knows and what the
// asker and the question want searched.
func narrowed(audience core.Audience, p core.Agent, q core.Question) core.Filter {
	f := audience.Filter()
	if q.Collections != nil {
		f.Collections = append([]core.Collection{}, q.Collections...)
	}
	if p.Sources != nil {
		f.Sources = append([]string{}, p.Sources...)
	}
	return q.Narrow.Of(f)
}

// permitted are the tools that the operator allows and the agent has. Nil lists
// name all.
func permitted(tools []offered, lists ...[]string) []offered {
	var out []offered
	for _, t := range tools {
		if !slices.ContainsFunc(lists, func(names []string) bool {
			return names != nil && !slices.Contains(names, t.spec.Name)
		}) {
			out = append(out, t)
		}
	}
	return out
}
