package slack

import (
	"context"
	"fmt"

	"github.com/slack-go/slack"
)

const (
	pageSize = 200
	day      = 24 * hour
	// recent is how long the replies of a thread are read in every pass: Slack does
	// not tell of an edited reply.
	recent     = 2 * day
	mostFailed = 20 // threads of one pass that cannot be read
)

// back calls each with all messages of a channel from before the moment until down
// to from, page by page, back in time. It does not count pages but asks for what
// lies before the last message: a list that shrinks while it is read skips
// nothing. Each is told how far down everything was seen.
func (s *Source) back(ctx context.Context, me account, c channel, from, until stamp, size int, each func(list []message, down stamp) error) error {
	for {
		got, err := s.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: c.id, Oldest: max(from-1, 0).String(), Latest: until.String(), Limit: size,
		})
		if err != nil {
			return explain("the history of #"+c.name, err)
		}
		var list []message
		down := until
		for _, one := range got.Messages {
			m, err := messageOf(one, me.user)
			if err != nil {
				return fmt.Errorf("the history of #%s: %w", c.name, err)
			}
			if m.at < from || m.at >= until {
				continue
			}
			list, down = append(list, m), min(down, m.at)
		}
		switch {
		case !got.HasMore:
			return each(list, from)
		case down == until:
			return fmt.Errorf("the history of #%s has more and shows nothing: %w", c.name, errOdd)
		}
		if err := each(list, down); err != nil {
			return err
		}
		until = down
	}
}

// start is where a pass ends, back in time: as far as messages are looked at again,
// and beyond the last pass by half of that, so that no thread gets old unnoticed.
func (s *Source) start(at *place) stamp {
	first := stamp(0)
	if !s.Since.IsZero() {
		first = max(0, stampAt(s.Since))
	}
	if at.Done == 0 {
		return first.hour()
	}
	span := stamp(s.Days) * day
	return max(first, min(stamp(at.Done)*second-span/2, stamp(at.To)*second-span)).hour()
}
