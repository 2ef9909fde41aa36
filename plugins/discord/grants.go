package discord

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// granted is how far Grants got: what was told of each channel's documents.
type granted struct {
	Whole bool              `json:"w,omitempty"` // an account from the beginning that has not ended
	Rooms map[string]string `json:"r"`           // see openness, and unsettled
}

// openness is who may read a channel's documents, in short.
func (s *Source) openness(r room) string {
	switch a := s.access(r, nil); {
	case a.Public:
		return "p"
	case a.Workspace:
		return "w"
	}
	return "g" // before the others in order
}

// Grants tells who sees which channel, and of the documents of those channels that
// were opened or closed since. No text is sent for it.
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
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	open, err := s.grantDocuments(ctx, since, f, out)
	if err != nil {
		return err
	}
	if len(f.rooms) == 0 && len(f.lost) > 0 {
		return sdk.Denied(f.lost[0])
	}
	out.AllGroups()
	members := map[string]map[string]holder{}
	for _, r := range f.rooms {
		if members[r.GuildID] == nil {
			if members[r.GuildID], err = s.members(ctx, f, r.in); err != nil {
				return err
			}
		}
		if err := s.grantRoom(ctx, f, r, members[r.GuildID], out); err != nil {
			return err
		}
	}
	return open
}

// grantDocuments does not take long where nothing changed. Channels that fewer
// people may read come first. open tells of a channel that was for everybody and
// that only the next sync can close.
func (s *Source) grantDocuments(ctx context.Context, since sdk.Cursor, f *found, out readerSink) (open, err error) {
	was := granted{}
	if err := since.JSON(&was); err != nil || len(since) == 0 {
		was = granted{Whole: true}
	}
	now := granted{Whole: was.Whole, Rooms: map[string]string{}}
	s.accounts.settle(was.Rooms)
	var told []room
	for _, r := range f.rooms {
		before, known := was.Rooms[r.ID]
		switch {
		case known && before == s.openness(r) && !s.accounts.differ(r.ID):
			now.Rooms[r.ID] = before
		case known || was.Whole:
			told = append(told, r)
			now.Rooms[r.ID] = unsettled // until all of it was told
		default:
			now.Rooms[r.ID] = s.openness(r) // Sync sends all of its documents
		}
	}
	open = s.stillOpen(was, now, f)
	slices.SortStableFunc(told, func(a, b room) int { return strings.Compare(s.openness(a), s.openness(b)) })
	checkpoint := func() error {
		s.accounts.settle(now.Rooms)
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
	for _, r := range told {
		if err := s.ids(ctx, f, r, func(id string, t *discordgo.Channel) error { return out.Document(id, s.access(r, t)) }); err != nil {
			return nil, voided(err)
		}
		s.accounts.agree(r.ID)
		now.Rooms[r.ID] = s.openness(r)
		if err := checkpoint(); err != nil {
			return nil, err
		}
	}
	now.Whole = false
	return open, checkpoint()
}

// stillOpen is an error for channels that were for everybody and are out of reach:
// what was sent of them cannot be listed, and only Sync can close it, as a folder.
// Who sees the other channels is told no more, which closes them.
func (s *Source) stillOpen(was, now granted, f *found) (open error) {
	for _, id := range slices.Sorted(maps.Keys(was.Rooms)) {
		if was.Rooms[id] == "g" || slices.ContainsFunc(f.rooms, func(r room) bool { return r.ID == id }) {
			continue
		}
		if _, err := os.Stat(s.knownFile(id)); s.env.Dir != "" && err == nil {
			now.Rooms[id] = was.Rooms[id]
			open = fmt.Errorf("the channel %s, which more people could read, is out of reach: the next sync closes it", id)
		}
	}
	return open
}

// members are the people of the configuration who are in a server, each asked for
// alone: that needs no right to see all members.
func (s *Source) members(ctx context.Context, f *found, in *server) (map[string]holder, error) {
	out := map[string]holder{}
	for _, id := range slices.Sorted(maps.Keys(s.People)) {
		m, err := f.api.GuildMember(in.ID, id, discordgo.WithContext(ctx))
		if sdk.KindOf(err) == "gone" {
			continue
		}
		if err != nil {
			return nil, explain("a member of "+in.Name, err)
		}
		if m.User == nil || m.User.ID != id {
			return nil, explain("a member of "+in.Name, errOdd)
		}
		if !m.Pending {
			out[id] = holder{user: id, roles: m.Roles}
		}
	}
	return out, nil
}

func (s *Source) grantRoom(ctx context.Context, f *found, r room, members map[string]holder, out readerSink) error {
	if err := out.Group(sdk.Group{Name: r.ID, Users: s.emails(members, func(h holder) bool { return reads(r.may(h), false, false) })}); err != nil {
		return err
	}
	if !s.PrivateThreads || r.forum() {
		return nil
	}
	threads, err := s.threads(ctx, f, r, time.Time{})
	if err != nil {
		return err
	}
	for _, t := range threads {
		if t.Type != discordgo.ChannelTypeGuildPrivateThread {
			continue
		}
		inside, err := s.inside(ctx, f, t, members)
		if err != nil {
			return err
		}
		users := s.emails(members, func(h holder) bool { return reads(r.may(h), true, inside[h.user]) })
		if err := out.Group(sdk.Group{Name: t.ID, Users: users}); err != nil {
			return err
		}
	}
	return nil
}

// inside tells who of the people is in a private thread.
func (s *Source) inside(ctx context.Context, f *found, t *discordgo.Channel, members map[string]holder) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(members)) {
		m, err := f.api.ThreadMember(t.ID, id, false, discordgo.WithContext(ctx))
		if refusal(err) {
			continue
		}
		if err != nil {
			return nil, explain("a member of the thread "+t.ID, err)
		}
		if m.UserID != "" && m.UserID != id {
			return nil, fmt.Errorf("a member of the thread %s: %w", t.ID, errOdd)
		}
		out[id] = true
	}
	return out, nil
}

func (s *Source) emails(members map[string]holder, may func(holder) bool) []string {
	var out []string
	for id, h := range members {
		if email := strings.ToLower(s.People[id]); may(h) && !slices.Contains(out, email) {
			out = append(out, email)
		}
	}
	slices.Sort(out)
	return out
}
