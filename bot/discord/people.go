package discord

import (
	"context"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// person is who wrote or pressed something.
type person struct {
	core.Account
	user    user
	roles   []string
	rights  bits // in the guild, or in the channel where an interaction told them
	machine bool
}

// accountOf describes a user in a guild. Discord states no address, so an account
// is a person only by a code.
func (a *app) accountOf(guild string, u user, m member) core.Account {
	out := core.Account{Platform: platform, Team: guild, ID: u.ID, Name: firstOf(m.display(), u.display()), Seen: time.Now()}
	switch {
	case u.Bot || u.System:
		out.Class = core.AccountBot
	case guild == "":
		out.Class = core.AccountExternal
	case m.in:
		out.Class = core.AccountMember
	default:
		out.Class = core.AccountExternal
	}
	return out
}

// person is who a user is in a guild now. Somebody of whom nothing can be learned
// is of no class and holds public only.
func (a *app) person(ctx context.Context, guild string, u user, webhook bool) person {
	if webhook {
		u.Bot = true
	}
	if guild == "" {
		return a.direct(ctx, u)
	}
	p := person{user: u, machine: u.Bot}
	if webhook {
		p.Account = a.accountOf(guild, u, member{})
		return p
	}
	m, err := a.facts.member(ctx, guild, u.ID)
	p.Account = a.accountOf(guild, u, m)
	p.roles = m.Roles
	if err != nil {
		a.log.Warn("a member cannot be looked up; they hold public only", "error", err)
		if !u.Bot {
			p.Class = core.AccountUnknown
		}
		return p
	}
	if g, err := a.facts.guild(ctx, guild); err == nil && m.in {
		p.rights = inGuild(g, holder{User: u.ID, Owner: g.Owner == u.ID, Roles: m.Roles})
	}
	return p
}

// mostDirect is how many guilds are looked through for who writes directly.
const mostDirect = 20

// direct is who a user is that writes to the bot alone: the member of a guild of
// ours, of the one where they are linked if there is such a one. Who is in none
// holds public only.
func (a *app) direct(ctx context.Context, u user) person {
	found := person{user: u, machine: u.Bot, Account: a.accountOf("", u, member{})}
	for _, guild := range a.boundGuilds(ctx) {
		m, err := a.facts.member(ctx, guild, u.ID)
		if err != nil || !m.in {
			continue
		}
		p := person{user: u, machine: u.Bot, roles: m.Roles, Account: a.accountOf(guild, u, m)}
		if v, err := a.opts.Front.Viewer(ctx, p.Account); err == nil && v.Email != "" {
			return p
		}
		if found.Team == "" {
			found = p
		}
	}
	return found
}

// boundGuilds are the guilds that the bot is in and that the owner bound.
func (a *app) boundGuilds(ctx context.Context) []string {
	var out []string
	for _, guild := range a.seen() {
		if ok, err := a.isBound(ctx, guild); err == nil && ok {
			out = append(out, guild)
		}
		if len(out) == mostDirect {
			break
		}
	}
	return out
}

// isBound tells whether the owner bound the guild to this install.
func (a *app) isBound(ctx context.Context, guild string) (bool, error) {
	if slices.Contains(a.config.Guilds, guild) {
		return true, nil
	}
	if a.opts.Binder == nil {
		return false, nil
	}
	return a.opts.Binder.Bound(ctx, guild)
}

// manages tells whether somebody may configure in the guild: by Manage Server, or
// because the owner listed them or one of their roles.
func (a *app) manages(p person) bool {
	if p.machine || p.Class != core.AccountMember {
		return false
	}
	if p.rights.has(mayManage) || p.rights.has(mayEverything) || slices.Contains(a.config.Admins, p.ID) {
		return true
	}
	return slices.ContainsFunc(p.roles, func(r string) bool { return slices.Contains(a.config.Admins, r) })
}
