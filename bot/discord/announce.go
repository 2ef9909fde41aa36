package discord

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// Announce posts Markdown into a channel of a server, where nobody asked for it, cut
// to the length of one message. The caller sees to it that all who read the channel
// may know what it says. The error is of kind not_found where the server is not
// served.
func (b *Bot) Announce(ctx context.Context, guild, channel, markdown string) error {
	a := b.serving(guild)
	if a == nil {
		return core.Errorf(core.KindNotFound, "The Discord server %s is not served, or not connected yet.", guild)
	}
	_, err := a.api.post(ctx, channel, "", notice(markdown))
	return err
}
