package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/bwmarrin/discordgo"
)

// threads lists the threads of a channel: those that are open, and of the archived
// ones those that were archived since, all of them for the zero time. Open ones are
// asked for on both sides, for a thread may come back while the others are listed.
func (s *Source) threads(ctx context.Context, f *found, r room, since time.Time) ([]*discordgo.Channel, error) {
	seen := map[string]*discordgo.Channel{}
	open := func() error {
		got, err := f.api.GuildThreadsActive(r.GuildID, discordgo.WithContext(ctx))
		if err == nil && got.Threads == nil {
			err = errOdd
		}
		if err != nil {
			return explain("the threads of "+r.in.Name, err)
		}
		s.keep(seen, r, got.Threads)
		return nil
	}
	if err := open(); err != nil {
		return nil, err
	}
	if err := s.archived(seen, r, since, func(before *time.Time) (*discordgo.ThreadsList, error) {
		return f.api.ThreadsArchived(r.ID, before, 100, discordgo.WithContext(ctx))
	}); err != nil {
		return nil, err
	}
	if s.PrivateThreads && !r.forum() && r.may(holder{f.me, r.in.bot})&mayThreads != 0 {
		if err := s.archived(seen, r, since, func(before *time.Time) (*discordgo.ThreadsList, error) {
			return f.api.ThreadsPrivateArchived(r.ID, before, 100, discordgo.WithContext(ctx))
		}); err != nil {
			return nil, err
		}
	}
	if err := open(); err != nil {
		return nil, err
	}
	out := make([]*discordgo.Channel, 0, len(seen))
	for _, t := range seen {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *discordgo.Channel) int { return cmp.Compare(idOf(b), idOf(a)) })
	return out, nil
}

func idOf(c *discordgo.Channel) snowflake {
	id, _ := snowflakeOf(c.ID)
	return id
}

// keep takes those of the channel that are wanted.
func (s *Source) keep(seen map[string]*discordgo.Channel, r room, list []*discordgo.Channel) (fresh int) {
	for _, t := range list {
		id := idOf(t)
		private := t.Type == discordgo.ChannelTypeGuildPrivateThread
		if t.ParentID != r.ID || id == 0 || private && !s.PrivateThreads || id.time().Before(s.Since) {
			continue
		}
		if seen[t.ID] == nil {
			fresh++
		}
		seen[t.ID] = t
	}
	return fresh
}

// archived reads the archived threads, those first that were archived last.
func (s *Source) archived(seen map[string]*discordgo.Channel, r room, since time.Time, page func(before *time.Time) (*discordgo.ThreadsList, error)) error {
	var before *time.Time
	for {
		got, err := page(before)
		if err == nil && got.Threads == nil {
			err = errOdd
		}
		if err != nil {
			return explain("the archived threads of #"+r.Name, err)
		}
		fresh := s.keep(seen, r, got.Threads)
		if !got.HasMore || len(got.Threads) == 0 {
			return nil
		}
		last := got.Threads[len(got.Threads)-1]
		if last.ThreadMetadata == nil {
			return explain("the archived threads of #"+r.Name, errOdd)
		}
		at := last.ThreadMetadata.ArchiveTimestamp
		if at.Before(since) {
			return nil
		}
		// The library asks in whole seconds: those of the same second come twice.
		next := at.Truncate(time.Second)
		if fresh > 0 {
			next = next.Add(time.Second)
		}
		if before != nil && !next.Before(*before) {
			next = before.Add(-time.Second)
		}
		before = &next
	}
}

// said reads a thread from its beginning, as far as a document takes. more tells
// that there was more.
func (s *Source) said(ctx context.Context, f *found, t *discordgo.Channel) (list []message, more bool, err error) {
	doing := fmt.Sprintf("the thread %s", t.ID)
	after, size := snowflake(0), 0
	for {
		got, err := f.api.ChannelMessages(t.ID, 100, "", after.String(), "", discordgo.WithContext(ctx))
		if err != nil {
			return nil, false, explain(doing, err)
		}
		last := after
		for _, one := range got {
			m, ok, err := messageOf(one)
			if err != nil {
				return nil, false, explain(doing, err)
			}
			last = max(last, m.id)
			if ok && m.id > after {
				list = append(list, m)
				size += len(m.text)
			}
		}
		if len(got) < 100 || size > maxText {
			sort.Slice(list, func(i, j int) bool { return list[i].id < list[j].id })
			return list, len(got) == 100, nil
		}
		if last == after {
			return nil, false, fmt.Errorf("%s goes around in circles: %w", doing, errOdd)
		}
		after = last
	}
}
