package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// mostChecked is of how many channels Check reads a message and the people.
const mostChecked = 5

// Check tries each kind of reading, and tells what will be missing.
func (s *Source) Check(ctx context.Context) error {
	f, err := s.resolve(ctx, false)
	if err != nil {
		return err
	}
	if len(f.lost) > 0 {
		return sdk.Config("channels", errors.Join(f.lost...))
	}
	if len(f.channels) == 0 && (!s.Join || len(f.outside) == 0) {
		return sdk.Config("channels", errors.New("the bot is in none of them: invite it, or set join for public channels"))
	}
	if err := s.folks.load(ctx, 0); err != nil {
		return err
	}
	readers := 0
	for _, c := range f.channels[:min(len(f.channels), mostChecked)] {
		if _, err := s.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{ChannelID: c.id, Limit: 1}); err != nil {
			return history.Voided(explain("the history of #"+c.name, err))
		}
		emails, _, err := s.members(ctx, c)
		if err != nil {
			return history.Voided(err)
		}
		readers += len(emails)
	}
	if s.search != nil {
		if _, err := s.search.SearchMessagesContext(ctx, "footnote", slack.NewSearchParameters()); err != nil {
			return sdk.Config("search_token", explain("a search", err))
		}
	}
	return errors.Join(s.warnings(f, readers)...)
}

func (s *Source) warnings(f found, readers int) []error {
	var out []error
	if len(f.channels) > 0 && readers == 0 {
		out = append(out, errNobody)
	}
	if n := len(f.outside); n > 0 && !s.Join {
		out = append(out, sdk.Warning(fmt.Sprintf("the bot is not in %d of the channels, which are not read: %s", n, strings.Join(f.outside[:min(n, 5)], ", "))))
	}
	for _, c := range f.channels {
		if c.outside {
			out = append(out, sdk.Warning("channels that are shared with another organisation are only for those who are in them, such as #"+c.name))
			break
		}
	}
	if s.PerMinute >= 1 && s.PerMinute < 5 {
		out = append(out, sdk.Warning(fmt.Sprintf("with %g requests a minute Slack gives out about %d messages an hour: a first sync of a large channel takes days", s.PerMinute, int(s.PerMinute*15*60))))
	}
	return out
}
