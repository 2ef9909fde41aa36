package slack

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Bounds knows what the owner bound to a place. It is bot.Places in part.
type Bounds interface {
	Bound(ctx context.Context, place core.Place) (core.Place, error)
}

// place is the channel as a place, with the facts as they are now. What cannot
// be looked up makes it unknown, which is the strictest kind.
func (a *app) place(ctx context.Context, channel, root string) core.Place {
	p := core.Place{
		ID: placeID(a.own().Team, channel), Platform: platform, Kind: core.PlaceUnknown,
		Team: a.own().Team, Home: a.config.Home,
	}
	if root != "" {
		p.Thread = threadID(a.own().Team, channel, root)
	}
	for _, source := range a.config.Sources {
		p.Own = append(p.Own, core.Group(source, channel))
	}
	return a.fill(ctx, p, channel)
}

// fill looks the facts of a place up.
func (a *app) fill(ctx context.Context, p core.Place, channel string) core.Place {
	p.Kind, p.Members = core.PlaceUnknown, nil
	facts, err := a.places.about(ctx, channel)
	if err != nil {
		a.log.Warn("a channel cannot be looked up; it is treated as unknown", "place", p.ID, "error", err)
		return p
	}
	together := facts.mpim || facts.private && a.intersects(ctx, p)
	var c crowd
	if !facts.im && (together || !a.roster.guestless()) {
		if c, err = a.places.crowd(ctx, channel); err != nil {
			a.log.Warn("the members of a channel cannot be read; it is treated as unknown", "place", p.ID, "error", err)
			return p
		}
	}
	p.Name = facts.name
	p.Kind = kindOf(facts, c)
	if together && (p.Kind == core.PlaceGroup || p.Kind == core.PlacePrivate) {
		p.Members = a.held(ctx, c)
	}
	return p
}

// intersects tells whether the owner wants what all members of the place may
// read.
func (a *app) intersects(ctx context.Context, p core.Place) bool {
	if a.opts.Bounds == nil {
		return false
	}
	bound, err := a.opts.Bounds.Bound(ctx, p)
	return err == nil && bound.Intersection
}

// held is what each reader holds; nil where there are too many to look up, or
// one of them cannot be.
func (a *app) held(ctx context.Context, c crowd) [][]core.Principal {
	if c.more || len(c.ids) > mostHeld {
		return nil
	}
	out := make([][]core.Principal, 0, len(c.ids))
	for _, id := range c.ids {
		v, err := a.opts.Front.Viewer(ctx, a.people.asker(ctx, id, "", false).Account)
		if err != nil {
			a.log.Warn("what a member holds cannot be looked up", "error", err)
			return nil
		}
		out = append(out, v.Principals)
	}
	return out
}

// askedBy makes the place one where a machine asks, if it does: then it is never
// the asker's own.
func askedBy(p core.Place, who core.Account) core.Place {
	if who.Class == core.AccountBot {
		p.Kind, p.Parent = core.PlaceAskedByMachine, p.Kind
	}
	return p
}

// ephemeral is the place as it is for a reply that only the asker sees.
func ephemeral(p core.Place) core.Place {
	p.Kind, p.Members = core.PlaceEphemeral, nil
	return p
}

// Place tells the facts about a place as they are now, at most a minute old.
func (b *Bot) Place(ctx context.Context, p core.Place) core.Place {
	if p.Kind == core.PlaceEphemeral {
		return p // the asker stays the only reader
	}
	team, channel, ok := splitPlace(p.ID)
	a := b.byTeam(team)
	if !ok || a == nil {
		p.Kind, p.Members = core.PlaceUnknown, nil
		return p
	}
	machine := p.Kind == core.PlaceAskedByMachine
	p = a.fill(ctx, p, channel)
	if machine {
		p.Kind, p.Parent = core.PlaceAskedByMachine, p.Kind
	}
	return p
}
