package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// Grants tells who may read what was said in each channel and in each private thread,
// and who sees them. It tells all of that every time, and no text is read for it: the
// host closes channels that are not named any more, and keeps Sync from sending for
// more than it says.
func (s *Source) Grants(ctx context.Context, _ sdk.Cursor, out *sdk.Grants) error {
	return s.grants(ctx, out)
}

func (s *Source) grants(ctx context.Context, out history.Readers) error {
	f, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	closed, err := s.grantFolders(ctx, f, out)
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
		if err := s.grantRoom(ctx, f, r, closed[r.ID], members[r.GuildID], out); err != nil {
			return err
		}
	}
	return nil
}

// grantFolders returns the private threads by their channel.
func (s *Source) grantFolders(ctx context.Context, f *found, out history.Readers) (map[string][]*discordgo.Channel, error) {
	for _, r := range f.rooms {
		if err := out.Folder(r.ID, s.access(r, nil)); err != nil {
			return nil, err
		}
	}
	closed := map[string][]*discordgo.Channel{}
	for _, r := range f.rooms {
		if !s.PrivateThreads || r.forum() {
			continue
		}
		threads, err := s.threads(ctx, f, r, time.Time{})
		if err != nil {
			return nil, err
		}
		for _, t := range threads {
			if !private(t) {
				continue
			}
			closed[r.ID] = append(closed[r.ID], t)
			if err := out.Folder(t.ID, s.access(r, t)); err != nil {
				return nil, err
			}
		}
	}
	return closed, out.AllFolders()
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

func (s *Source) grantRoom(ctx context.Context, f *found, r room, closed []*discordgo.Channel, members map[string]holder, out history.Readers) error {
	if err := out.Group(sdk.Group{Name: r.ID, Users: s.emails(members, func(h holder) bool { return reads(r.may(h), false, false) })}); err != nil {
		return err
	}
	for _, t := range closed {
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
		if history.Refusal(err) {
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
