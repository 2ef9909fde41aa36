package slack

import (
	"context"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// InCrowd tells whether the account is in a user group of its workspace, by id,
// handle or name.
func (b *Bot) InCrowd(ctx context.Context, account core.Account, group string) (bool, error) {
	a := b.byTeam(account.Team)
	if a == nil {
		return false, nil
	}
	id, ok := a.groups.find(ctx, group)
	if !ok {
		a.log.Debug("a list names a user group that does not exist", "entry", group)
		return false, nil
	}
	members, err := a.members.Get(ctx, id, func(ctx context.Context) ([]string, error) { return a.api.groupMembers(ctx, id) })
	return slices.Contains(members, account.ID), err
}

// Unresolved are the entries of a list that name nobody in the place's workspace:
// no user and no user group. Addresses are not looked at. The error says that Slack
// does not tell; known is false for places that are not served here.
func (b *Bot) Unresolved(ctx context.Context, place string, entries []string) (missing []string, known bool, err error) {
	for _, a := range b.apps {
		team := a.own().Team
		if team == "" { // not running: doctor alone
			me, err := a.api.authTest(ctx)
			if err != nil {
				return nil, false, sentence(err)
			}
			team = me.Team
		}
		if !strings.HasPrefix(place, placeID(team, "")) {
			continue
		}
		for _, entry := range entries {
			if !bot.IsAddress(entry) && !a.resolves(ctx, entry) {
				missing = append(missing, entry)
			}
		}
		return missing, true, nil
	}
	return nil, false, nil
}

func (a *app) resolves(ctx context.Context, entry string) bool {
	if _, ok := a.groups.find(ctx, entry); ok {
		return true
	}
	id := userOf(strings.Trim(strings.TrimSpace(entry), "<@!>"))
	return id != "" && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && a.people.of(ctx, id).Name != ""
}
