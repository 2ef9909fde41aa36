package slack

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// granted is how far Grants got: what was told of each channel's documents.
type granted struct {
	Whole    bool              `json:"w,omitempty"` // an account from the beginning that has not ended
	Channels map[string]string `json:"c"`           // see openness, unsettled and nobodys
}

// openness is who may read a channel's documents, in short.
func (s *Source) openness(c channel) string {
	if s.access(c).Workspace {
		return "w"
	}
	return "g" // before the other in order
}

// Grants tells who is in which channel, and of the documents of those channels
// that were opened or closed since. No text is sent for it.
func (s *Source) Grants(ctx context.Context, since sdk.Cursor, out *sdk.Grants) error {
	return s.grants(ctx, since, out)
}

// readerSink is the part of sdk.Grants that takes who may read what.
type readerSink interface {
	Document(id string, readers sdk.Access) error
	Group(sdk.Group) error
	AllGroups()
	Checkpoint(sdk.Cursor) error
}

func (s *Source) grants(ctx context.Context, since sdk.Cursor, out readerSink) error {
	f, err := s.resolve(ctx, false)
	if err != nil {
		return err
	}
	open, err := s.grantDocuments(ctx, since, f, out)
	if err != nil {
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
		if refusal(err) {
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
	return open
}

// grantDocuments does not take long where nothing changed. Channels that fewer
// people may read come first. open tells of a channel that was for everybody and
// that only the next sync can close.
func (s *Source) grantDocuments(ctx context.Context, since sdk.Cursor, f found, out readerSink) (open, err error) {
	was := granted{}
	if err := since.JSON(&was); err != nil || len(since) == 0 {
		was = granted{Whole: true}
	}
	now := granted{Whole: was.Whole, Channels: map[string]string{}}
	s.accounts.settle(was.Channels)
	var told []channel
	for _, c := range f.channels {
		before, known := was.Channels[c.id]
		switch {
		case known && before == s.openness(c) && !s.accounts.differ(c.id):
			now.Channels[c.id] = before
		case known || was.Whole:
			told = append(told, c)
			now.Channels[c.id] = unsettled // until all of it was told
		default:
			now.Channels[c.id] = s.openness(c) // Sync sends all of its documents
		}
	}
	if open, err = s.grantVanished(ctx, was, now, f, out); err != nil {
		return nil, err
	}
	slices.SortStableFunc(told, func(a, b channel) int { return strings.Compare(s.openness(a), s.openness(b)) })
	checkpoint := func() error {
		s.accounts.settle(now.Channels)
		c, err := sdk.JSONCursor(now)
		if err != nil {
			return err
		}
		return out.Checkpoint(c)
	}
	if len(told) > 0 {
		if err := checkpoint(); err != nil {
			return nil, err
		}
	}
	for _, c := range told {
		access := s.access(c)
		if err := s.ids(ctx, f.me, c, func(id string) error { return out.Document(id, access) }); err != nil {
			return nil, voided(err)
		}
		s.accounts.agree(c.id)
		now.Channels[c.id] = s.openness(c)
		if err := checkpoint(); err != nil {
			return nil, err
		}
	}
	now.Whole = false
	return open, checkpoint()
}

// grantVanished closes the documents of channels that are no longer read and were
// for everybody: of one that became private and is not allowed, say. Who is in the
// others is told no more, which closes them. What cannot be listed any more only
// Sync can close, as a folder; until it has, that is an error.
func (s *Source) grantVanished(ctx context.Context, was, now granted, f found, out readerSink) (open, err error) {
	for _, id := range slices.Sorted(maps.Keys(was.Channels)) {
		c := channel{id: id, name: id}
		if was.Channels[id] == "g" || slices.ContainsFunc(f.channels, func(one channel) bool { return one.id == id }) {
			continue
		}
		if was.Channels[id] == nobodys {
			if s.sent(c) {
				now.Channels[id] = nobodys // back before a sync saw it go, it is told anew
			}
			continue
		}
		err := s.ids(ctx, f.me, c, func(id string) error { return out.Document(id, sdk.Access{}) })
		switch {
		case err == nil && s.sent(c):
			now.Channels[id] = nobodys
		case err == nil:
		case !refusal(err):
			return nil, err
		case s.sent(c):
			now.Channels[id] = was.Channels[id]
			open = fmt.Errorf("a channel that everybody could read is out of reach, and the next sync closes it: %v", err)
		}
	}
	return open, nil
}

// sent tells whether there are documents of a channel that were not closed.
func (s *Source) sent(c channel) bool {
	if s.env.Dir == "" {
		return false
	}
	_, err := os.Stat(s.knownFile(c))
	return err == nil
}
