package discord

import (
	"context"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// InCrowd tells whether the account has a role of its guild, by id or name.
func (b *Bot) InCrowd(ctx context.Context, account core.Account, group string) (bool, error) {
	a := b.serving(account.Team)
	if a == nil || account.Team == "" {
		return false, nil
	}
	roles, err := a.roles.Get(ctx, account.Team+"/"+account.ID, func(ctx context.Context) ([]string, error) {
		m, err := a.facts.member(ctx, account.Team, account.ID)
		if err != nil || !m.in {
			return nil, err
		}
		return m.Roles, nil
	})
	if err != nil || len(roles) == 0 {
		return false, err
	}
	role := a.roleID(ctx, account.Team, strings.Trim(strings.TrimSpace(group), "<@&>"))
	if role == "" {
		a.log.Debug("a list names a role that does not exist", "entry", group)
	}
	return role != "" && contains(roles, role), nil
}

// Unresolved are the entries of a list that name nobody in the place's guild: no
// role and no member. Addresses are not looked at. The error says that Discord does
// not tell; known is false for places that are not served here.
func (b *Bot) Unresolved(ctx context.Context, place string, entries []string) (missing []string, known bool, err error) {
	guild, _, ok := splitPlace(place)
	if !ok || guild == "" {
		return nil, false, nil
	}
	for _, a := range b.apps {
		if !contains(append(a.seen(), a.config.Guilds...), guild) {
			continue
		}
		if _, err := a.facts.guild(ctx, guild); err != nil {
			return nil, true, err
		}
		for _, entry := range entries {
			if !bot.IsAddress(entry) && !a.resolves(ctx, guild, entry) {
				missing = append(missing, entry)
			}
		}
		return missing, true, nil
	}
	return nil, false, nil
}

func (a *app) resolves(ctx context.Context, guild, entry string) bool {
	entry = strings.Trim(strings.TrimSpace(entry), "<@&!>")
	if a.roleID(ctx, guild, entry) != "" {
		return true
	}
	id := entry[strings.LastIndexByte(entry, '/')+1:]
	if !digits(id) {
		return false
	}
	m, err := a.facts.member(ctx, guild, id)
	return err == nil && m.in
}
