package slack

import (
	"context"
	"slices"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// Grants tells who may read what was said in each channel, and who is in it. It tells
// all of that every time, and no text is read for it: the host closes channels that
// are not named any more, and keeps Sync from sending for more than it says.
func (s *Source) Grants(ctx context.Context, _ sdk.Cursor, out *sdk.Grants) error {
	return s.grants(ctx, out)
}

func (s *Source) grants(ctx context.Context, out history.Readers) error {
	f, err := s.resolve(ctx, false)
	if err != nil {
		return err
	}
	for _, c := range f.channels {
		if err := out.Folder(c.id, s.access(c)); err != nil {
			return err
		}
	}
	if err := out.AllFolders(); err != nil {
		return err
	}
	if len(f.channels) == 0 && len(f.lost) > 0 {
		return sdk.Denied(f.lost[0])
	}
	if err := s.folks.load(ctx, 0); err != nil {
		return err
	}
	out.AllGroups()
	for _, c := range f.channels {
		emails, _, err := s.members(ctx, c)
		if history.Refusal(err) {
			s.log.Warn("who is in a channel cannot be seen, so nobody may read it", "channel", c.id, "error", err.Error())
			emails, err = nil, nil
		}
		if err != nil {
			return err
		}
		slices.Sort(emails)
		if err := out.Group(sdk.Group{Name: c.id, Users: emails}); err != nil {
			return err
		}
	}
	return nil
}
