package discord

import (
	"context"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// placeID is how a channel is named everywhere outside this package; the guild of
// a direct message is "". A thread is part of the channel above it.
func placeID(guild, channel string) string { return platform + ":" + guild + "/" + channel }

// threadID names a thread inside a place: by the thread's own id, by the message
// that a chain of replies began with, or by the session of a direct message.
func threadID(guild, channel, root string) string { return placeID(guild, channel) + "/" + root }

// splitPlace is the opposite of placeID; thread ids may be given too.
func splitPlace(id string) (guild, channel string, ok bool) {
	rest, ok := strings.CutPrefix(id, platform+":")
	if !ok {
		return "", "", false
	}
	guild, channel, ok = strings.Cut(rest, "/")
	channel, _, _ = strings.Cut(channel, "/")
	return guild, channel, ok && channel != ""
}

// placeOf is a place by its ids, with readers not known yet.
func (a *app) placeOf(guild, channel string) core.Place {
	p := core.Place{ID: placeID(guild, channel), Platform: platform, Kind: core.PlaceUnknown, Team: guild}
	p.Home = a.config.Home && guild != ""
	if guild != "" {
		for _, source := range a.config.Sources {
			p.Own = append(p.Own, core.Group(source, channel))
		}
	}
	return p
}

// place is a channel or thread as a place, with the facts as they are now. What
// cannot be looked up makes it unknown, which is the strictest kind.
func (a *app) place(ctx context.Context, guild, channel string) core.Place {
	if guild == "" {
		p := a.placeOf("", channel)
		if c, err := a.facts.channel(ctx, channel); err == nil {
			p.Kind, p.Parent = access.DiscordFacts{Known: c.Kind == channelDM, DM: c.Kind == channelDM}.Kind()
		}
		return p
	}
	s, err := a.facts.spot(ctx, guild, channel)
	if err != nil {
		a.log.Warn("a channel cannot be looked up; it is treated as unknown", "place", placeID(guild, channel), "error", err)
		return a.placeOf(guild, channel)
	}
	p := a.placeOf(guild, s.parent.ID)
	if s.channel.isThread() {
		p.Thread = threadID(guild, s.parent.ID, channel)
	}
	p.Name = s.channel.Name
	p.Kind, p.Parent = s.facts().Kind()
	return a.withMembers(ctx, p, s)
}

// Place tells the facts about a place as they are now, at most a minute old.
func (b *Bot) Place(ctx context.Context, p core.Place) core.Place {
	if p.Kind == core.PlaceEphemeral || p.Kind == core.PlaceUnknown {
		return p // the asker stays the only reader; what was unknown stays so for this answer
	}
	guild, channel, ok := splitPlace(p.ID)
	if ok && guild == "" {
		return b.directPlace(ctx, p, channel)
	}
	a := b.serving(guild)
	if !ok || a == nil {
		p.Kind, p.Parent, p.Members = core.PlaceUnknown, "", nil
		return p
	}
	kind := p.Kind
	if kind == core.PlaceAskedByMachine {
		kind = p.Parent
	}
	if kind == core.PlacePrivateThread { // its own facts, not those of the channel above it
		_, channel, _ = cutLast(p.Thread)
	}
	now := a.place(ctx, guild, channel)
	if p.Kind == core.PlaceAskedByMachine {
		now.Kind, now.Parent = core.PlaceAskedByMachine, now.Kind
	}
	p.Kind, p.Parent, p.Members, p.Home, p.Own = now.Kind, now.Parent, now.Members, now.Home, now.Own
	return p
}

// directPlace asks the applications whose conversation a direct message is.
func (b *Bot) directPlace(ctx context.Context, p core.Place, channel string) core.Place {
	p.Kind, p.Parent, p.Members = core.PlaceUnknown, "", nil
	for _, a := range b.apps {
		if now := a.place(ctx, "", channel); now.Kind == core.PlaceDirect {
			p.Kind = now.Kind
			break
		}
	}
	return p
}

// cutLast cuts an id at its last slash.
func cutLast(id string) (before, after string, ok bool) {
	i := strings.LastIndexByte(id, '/')
	if i < 0 {
		return "", id, false
	}
	return id[:i], id[i+1:], true
}

// mostHeld is how many readers the principals are looked up for; larger places get
// no intersection anyway.
const mostHeld = access.MostMembers

// withMembers adds what each reader holds, where the owner wants the intersection
// and the application may list members.
func (a *app) withMembers(ctx context.Context, p core.Place, s spot) core.Place {
	if p.Kind != core.PlaceHidden || a.opts.Bounds == nil || !a.config.Members {
		return p
	}
	bound, err := a.opts.Bounds.Bound(ctx, p)
	if err != nil || !bound.Intersection {
		return p
	}
	crowd, err := a.facts.crowd(ctx, s.guild.ID)
	if err != nil {
		a.log.Warn("the members of a server cannot be listed; the place gets no intersection", "place", p.ID, "error", err)
		return p
	}
	var held [][]core.Principal
	for _, m := range crowd {
		if m.User == nil || m.User.Bot {
			continue
		}
		h := holder{User: m.User.ID, Owner: s.guild.Owner == m.User.ID, Roles: m.Roles}
		if !inChannel(s.guild, h, s.parent).has(mayView) {
			continue
		}
		if len(held) == mostHeld {
			return p
		}
		v, err := a.opts.Front.Viewer(ctx, a.accountOf(s.guild.ID, *m.User, member{m, true}))
		if err != nil {
			a.log.Warn("what a member holds cannot be looked up", "error", err)
			return p
		}
		held = append(held, v.Principals)
	}
	p.Members = held
	return p
}

// mostListedMembers is how many members of a guild are read.
const mostListedMembers = 5000

// crowd is everybody in a guild; an error where there are too many.
func (f *facts) crowd(ctx context.Context, guild string) ([]memberInfo, error) {
	return f.crowds.get(ctx, guild, func(ctx context.Context) ([]memberInfo, error) {
		var out []memberInfo
		after := ""
		for {
			page, err := f.api.members(ctx, guild, after)
			if err != nil {
				return nil, err
			}
			out = append(out, page...)
			if len(page) == 0 || page[len(page)-1].User == nil || page[len(page)-1].User.ID == after {
				return out, nil
			}
			if len(page) < 1000 {
				return out, nil
			}
			if after = page[len(page)-1].User.ID; len(out) > mostListedMembers {
				return nil, core.Errorf(core.KindTooLarge, "the server has more than %d members", mostListedMembers)
			}
		}
	})
}

// ephemeral is the place as it is for a reply that only the asker sees.
func ephemeral(p core.Place) core.Place {
	p.Kind, p.Parent, p.Members = core.PlaceEphemeral, "", nil
	return p
}

// askedBy makes the place one where a machine asks, if it does: then it is never
// the asker's own.
func askedBy(p core.Place, who core.Account) core.Place {
	if who.Class == core.AccountBot {
		p.Kind, p.Parent = core.PlaceAskedByMachine, p.Kind
	}
	return p
}
