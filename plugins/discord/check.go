package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// mostChecked is of how many channels Check reads a message and the threads.
const mostChecked = 5

// Check tries each kind of reading, and tells what will be missing.
func (s *Source) Check(ctx context.Context) error {
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	if len(f.lost) > 0 {
		return sdk.Config("channels", errors.Join(f.lost...))
	}
	if len(f.rooms) == 0 {
		return sdk.Config("channels", errors.New("the bot may read none of them: it needs View Channel and Read Message History"))
	}
	for _, r := range f.rooms[:min(len(f.rooms), mostChecked)] {
		if !r.forum() {
			if _, err := f.api.ChannelMessages(r.ID, 1, "", "", "", discordgo.WithContext(ctx)); err != nil {
				return history.Voided(explain("the messages of #"+r.Name, err))
			}
		}
		if _, err := s.threads(ctx, f, r, time.Now()); err != nil {
			return history.Voided(err)
		}
	}
	var out []error
	if n := len(f.outside); n > 0 {
		out = append(out, sdk.Warning(fmt.Sprintf("the bot may not read %d of the channels: %s", n, strings.Join(f.outside[:min(n, 5)], ", "))))
	}
	if len(s.People) == 0 && s.Public != "workspace" && s.Public != "public" {
		out = append(out, sdk.Warning("Discord tells no e-mail addresses and people is empty: what is read serves questions that are asked in the same channel, and nobody elsewhere"))
	}
	return errors.Join(out...)
}
