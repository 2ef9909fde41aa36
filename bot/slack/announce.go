package slack

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Announce posts Markdown into a channel of a workspace, where nobody asked for it.
// The caller sees to it that all who read the channel may know what it says. The
// error is of kind not_found where the workspace is not served.
func (b *Bot) Announce(ctx context.Context, team, channel, markdown string) error {
	a := b.byTeam(team)
	if a == nil {
		return core.Errorf(core.KindNotFound, "The Slack workspace %s is not served, or not connected yet.", team)
	}
	_, err := a.api.post(ctx, channel, "", notice(markdown))
	return err
}
