package discord

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"
)

const (
	// recent is how long a thread is read in every pass after its last message:
	// Discord does not tell of an edit.
	recent     = 2 * day
	mostFailed = 20 // threads of one pass that cannot be read
)

// back calls each with all messages of a channel from before an id down to from,
// page by page, back in time. It does not count pages but asks for what lies before
// the last message: a list that shrinks while it is read skips nothing. Each is told
// how far down everything was seen.
func (f *found) back(ctx context.Context, r room, from, until snowflake, each func(list []message, down snowflake) error) error {
	for {
		got, err := f.api.ChannelMessages(r.ID, 100, until.String(), "", "", discordgo.WithContext(ctx))
		if err != nil {
			return explain("the messages of #"+r.Name, err)
		}
		var list []message
		down := until
		for _, one := range got {
			m, ok, err := messageOf(one)
			if err != nil {
				return explain("the messages of #"+r.Name, err)
			}
			if m.id >= until {
				continue
			}
			down = min(down, m.id)
			if ok && m.id >= from {
				list = append(list, m)
			}
		}
		switch {
		case len(got) == 0 || down < from:
			return each(list, from)
		case down == until:
			return fmt.Errorf("the messages of #%s go around in circles: %w", r.Name, errOdd)
		}
		if err := each(list, down); err != nil {
			return err
		}
		until = down
	}
}

// start is where a pass ends, back in time.
func (s *Source) start(at *place) snowflake {
	first := snowflakeAt(s.Since)
	if at.Done == 0 {
		return first.hour()
	}
	return max(first, min(at.Done-hour, at.To-snowflake(s.Days)*day)).hour()
}
