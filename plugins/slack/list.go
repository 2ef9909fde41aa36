package slack

import (
	"context"
	"fmt"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// listSize is how many messages one request takes where only their times count.
const listSize = 999

// List names all documents, from the channels' histories alone: threads are not
// opened. A channel that is named in the configuration and cannot be read makes it
// void: it must not look as if all of its documents were deleted.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, func(id string) error { return out.Document(id, "") })
}

func (s *Source) list(ctx context.Context, document func(id string) error) error {
	f, err := s.resolve(ctx, false)
	if err != nil {
		return err
	}
	if len(f.lost) > 0 {
		return sdk.Denied(fmt.Errorf("nothing is deleted while a channel cannot be read: %w", f.lost[0]))
	}
	for _, c := range f.channels {
		if err := s.ids(ctx, f.me, c, document); err != nil {
			return history.Voided(err)
		}
	}
	return nil
}

// ids names the documents of one channel.
func (s *Source) ids(ctx context.Context, me account, c channel, each func(id string) error) error {
	from := s.start(&place{})
	pages := history.Pages[message, stamp]{From: from, Hour: hour, At: message.when}
	return s.back(ctx, me, c, from, stampAt(s.now())+second, listSize, func(list []message, down stamp) error {
		whole, _ := pages.Add(list, down)
		for _, h := range whole {
			for _, u := range units(h) {
				if err := each(documentID(c, u.id)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
