package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Incoming is what a person said on a chat platform and that is a question.
type Incoming struct {
	Account     core.Account // who asks, as the platform describes them
	Place       core.Place   // where, with the platform's facts
	Text        string
	Context     []core.Said
	Files       []core.Attachment
	Parent      string      // the turn it follows, where the platform knows
	History     []core.Turn // see core.Question.History
	Agent       string      // asked for by name; "" means the place's
	Collections []string    // asked for by name; nil means all
	References  []Reference // channels and people that the text names
	Zone        *time.Location
	Full        bool // no canned answer: the asker wants one from the documents
	Replace     bool // stop what runs in the thread
	Free        bool // does not count against the limits: a question asked again by the bot itself
}

// Outcome is what became of a question. Exactly one of the two is set.
type Outcome struct {
	Running  *Running
	Canned   *Canned
	Audience core.Audience // who can read the reply
	Agent    core.Agent
}

// WaitError says that somebody asks too often.
type WaitError struct {
	Wait  time.Duration
	Place bool // the place's limit, not the person's own
}

// Error implements error.
func (e *WaitError) Error() string {
	return fmt.Sprintf("too many questions; the next one can be asked in %s", e.Wait.Round(time.Second))
}

// Unwrap gives it the kind busy.
func (e *WaitError) Unwrap() error { return core.Errorf(core.KindBusy, "%s", e.Error()) }

// Ask starts a turn for the question, or finds the canned answer that the owner
// wrote for it.
//
// Errors: ErrNotListed where the owner listed who may ask; *WaitError where somebody asks too often, of kind busy; denied where
// nothing may be answered in the place at all; not_found for an agent or a
// collection that does not exist, or in which nobody could read a thing; and those
// of Desk.Ask.
func (f *Front) Ask(ctx context.Context, in Incoming) (Outcome, error) {
	now := f.opts.Now()
	settings, err := f.opts.Places.Settings(ctx, in.Place.ID)
	if err != nil {
		return Outcome{}, err
	}
	viewer, err := f.opts.People.Viewer(ctx, in.Account)
	if err != nil {
		return Outcome{}, err
	}
	viewer.Zone = in.Zone
	if err := f.admit(ctx, settings, in, viewer); err != nil {
		return Outcome{}, err
	}
	if !in.Free {
		if err := f.limit(ctx, viewer, in.Place, now); err != nil {
			return Outcome{}, err
		}
	}
	agent, err := f.agent(in.Agent, settings.Agent)
	if err != nil {
		return Outcome{}, err
	}
	place, err := f.opts.Places.Bound(ctx, in.Place)
	if err != nil {
		return Outcome{}, err
	}
	q := core.Question{
		Text: in.Text, Context: in.Context, Files: in.Files, Parent: in.Parent, History: in.History,
		Agent: agent, Viewer: viewer, Place: place, Asked: now,
	}
	q.Audience = AudienceOf(place, viewer)
	out := Outcome{Audience: q.Audience, Agent: agent}
	if q.Audience.Silent {
		return out, core.Errorf(core.KindDenied, "I do not answer here: people from outside read this channel.")
	}
	if in.Collections != nil {
		if q.Collections, err = f.collections(ctx, in.Collections, q.Audience); err != nil {
			return out, err
		}
	}
	if q.Narrow, err = f.narrow(ctx, in, place, q.Audience); err != nil {
		return out, err
	}
	if c, ok := f.canned(ctx, settings, in, q.Audience); ok && !q.Narrow.On() {
		out.Canned = &c
		return out, nil
	}
	policy := Wait
	if in.Replace {
		policy = Replace
	}
	out.Running, err = f.opts.Desk.Ask(ctx, q, policy)
	return out, err
}

func (f *Front) limit(ctx context.Context, viewer core.Viewer, place core.Place, now time.Time) error {
	for _, l := range []struct {
		key   string
		rate  core.Rate
		place bool
	}{
		{"person:" + viewer.Account, f.opts.PerPerson, false},
		{"place:" + place.ID, f.opts.PerPlace, true},
	} {
		wait, err := f.opts.Ledger.TakeFrom(ctx, l.key, l.rate, now)
		if err != nil {
			return err
		}
		if wait > 0 {
			return &WaitError{Wait: wait, Place: l.place}
		}
	}
	return nil
}

// agent is the one that was asked for, else the place's, else the default. A
// place whose agent is gone falls back, with a line in the log.
func (f *Front) agent(asked, settled string) (core.Agent, error) {
	if asked != "" {
		a, ok := f.opts.Agents.Agent(asked)
		if !ok {
			return core.Agent{}, core.Errorf(core.KindNotFound, "There is no agent %q.", asked)
		}
		return a, nil
	}
	if settled != "" {
		if a, ok := f.opts.Agents.Agent(settled); ok {
			return a, nil
		}
		f.opts.Log.Warn("a place names an agent that does not exist; the default one answers", "agent", settled)
	}
	a, _ := f.opts.Agents.Agent("default")
	return a, nil
}

// collections are those that the asker named, with their rules.
func (f *Front) collections(ctx context.Context, names []string, audience core.Audience) ([]core.Collection, error) {
	switch {
	case len(names) == 0:
		return []core.Collection{}, nil // nothing is searched
	case f.opts.Collections == nil:
		return nil, core.Errorf(core.KindNotFound, "there is no collection %q", names[0])
	}
	return f.opts.Collections.Asked(ctx, names, audience)
}

// canned finds an answer of the owner's, once in each thread. Who narrows the
// search or brings a file wants more than that.
func (f *Front) canned(ctx context.Context, s Settings, in Incoming, audience core.Audience) (Canned, bool) {
	if in.Full || len(in.Files) > 0 || in.Collections != nil {
		return Canned{}, false
	}
	now := f.opts.Now()
	open := slices.DeleteFunc(slices.Clone(s.Canned), func(c Canned) bool { return !c.mayHear(audience) })
	c, ok := Match(open, in.Text, now)
	if !ok || in.Place.Thread == "" {
		return c, ok
	}
	first, err := f.opts.Ledger.FirstSeen(ctx, core.LastingKey+"canned:"+in.Place.Thread+":"+c.Name, now)
	if err != nil {
		f.opts.Log.Warn("a canned answer was left out", "error", err)
	}
	return c, err == nil && first
}
