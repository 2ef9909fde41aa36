package discord

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// List names all documents; threads are not opened. A channel that is named in the
// configuration and cannot be read makes it void: it must not look as if all of
// its documents were deleted.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, func(id string) error { return out.Document(id, "") })
}

func (s *Source) list(ctx context.Context, document func(id string) error) error {
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	if len(f.lost) > 0 {
		return sdk.Denied(fmt.Errorf("nothing is deleted while something cannot be read: %w", f.lost[0]))
	}
	for _, r := range f.rooms {
		if err := s.ids(ctx, f, r, func(id string, _ *discordgo.Channel) error { return document(id) }); err != nil {
			return history.Voided(err)
		}
	}
	return nil
}

// ids names the documents of one channel, those of threads with their thread.
func (s *Source) ids(ctx context.Context, f *found, r room, each func(id string, thread *discordgo.Channel) error) error {
	if !r.forum() {
		from := s.start(&place{})
		pages := history.Pages[message, snowflake]{From: from, Hour: hour, At: message.when}
		err := f.back(ctx, r, from, snowflakeAt(s.now())+second, func(list []message, down snowflake) error {
			whole, _ := pages.Add(list, down)
			for _, h := range whole {
				for _, w := range windows(h) {
					if err := each(windowID(r, w[0].id), nil); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	threads, err := s.threads(ctx, f, r, time.Time{})
	if err != nil {
		return err
	}
	for _, t := range threads {
		if err := each(threadID(r, t.ID), t); err != nil {
			return err
		}
	}
	return nil
}
