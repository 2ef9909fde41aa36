package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// channel is what has to be known of one.
type channel struct {
	id, name string
	private  bool
	archived bool
	outside  bool      // shared with another organisation or workspace, or about to be
	member   bool      // the bot is in it
	looked   time.Time // before Slack was asked for it
}

func channelOf(c slack.Channel) channel {
	return channel{
		id: c.ID, name: cmp.Or(c.Name, c.NameNormalized, c.ID), private: c.IsPrivate || c.IsGroup && !c.IsChannel, archived: c.IsArchived, member: c.IsMember,
		outside: c.IsExtShared || c.IsShared || c.IsOrgShared || c.IsGlobalShared || c.IsPendingExtShared || len(c.PendingShared) > 0,
	}
}

// access is who may read what was said in a channel: who is in it, and of a public
// one all full members. One that outsiders can read, or that was closed, is for
// those in it alone.
func (s *Source) access(c channel) sdk.Access {
	open := !c.private && !c.archived && !c.outside && s.Public != "members"
	return sdk.Access{Workspace: open, Groups: []string{c.id}}
}

// account is who the token is.
type account struct {
	page string // address of the workspace, with a slash at the end
	user string
	bot  bool
}

func (s *Source) whoami(ctx context.Context) (account, error) {
	got, err := s.api.AuthTestContext(ctx)
	if err != nil {
		return account{}, explain("asking who the token is", err)
	}
	return account{page: strings.TrimSuffix(cmp.Or(got.URL, "https://slack.com"), "/") + "/", user: got.UserID, bot: got.BotID != ""}, nil
}

// mostChannels is how many channels a source may have: the places in all of them
// go into one cursor.
const mostChannels = 500

// found is what the configuration comes to.
type found struct {
	me       account
	channels []channel
	lost     []error  // channels that are named and cannot be read
	outside  []string // public channels that the bot is not in
}

// resolve looks for the channels of the configuration. It joins those that it may.
func (s *Source) resolve(ctx context.Context, join bool) (found, error) {
	me, err := s.whoami(ctx)
	if err != nil {
		return found{}, err
	}
	began := s.now()
	all, err := s.all(ctx)
	if err != nil {
		return found{}, err
	}
	out := found{me: me}
	for _, c := range all {
		c.looked = began
		wanted := s.named.Covers(c.name, c.id)
		if c.private {
			wanted = s.closed.Covers(c.name, c.id)
		}
		switch {
		case !wanted || s.left.Covers(c.name, c.id):
			continue
		case c.member || !me.bot && !c.private:
			out.channels = append(out.channels, c)
			continue
		case join && s.Join && !c.private && !c.archived:
			if _, _, _, err := s.api.JoinConversationContext(ctx, c.id); err == nil {
				c.member = true
				out.channels = append(out.channels, c)
				continue
			} else if err = explain("joining #"+c.name, err); !history.Refusal(err) {
				return found{}, err
			} else if strings.Contains(err.Error(), "missing_scope") {
				return found{}, err
			}
		}
		out.outside = append(out.outside, "#"+c.name)
	}
	for _, f := range []struct {
		list history.Filter
		what string
	}{{s.named, "public"}, {s.closed, "private"}} {
		for _, r := range f.list {
			covers := func(c channel) bool { return r.Covers(c.name, c.id) }
			if r.Exact && !slices.ContainsFunc(out.channels, covers) && !slices.ContainsFunc(all, func(c channel) bool { return covers(c) && s.left.Covers(c.name, c.id) }) {
				out.lost = append(out.lost, fmt.Errorf("the %s channel %q is not there, or the bot is not in it: invite it, or take the name out", f.what, r.Written))
			}
		}
	}
	if len(out.channels) > mostChannels {
		return found{}, sdk.Config("channels", fmt.Errorf("they are %d channels; a source takes %d: make two of them", len(out.channels), mostChannels))
	}
	return out, nil
}

// all lists the channels that the token sees, in the order of their ids. Private
// ones are asked for where some may be read.
func (s *Source) all(ctx context.Context) ([]channel, error) {
	kinds := []string{"public_channel"}
	if len(s.closed) > 0 {
		kinds = append(kinds, "private_channel")
	}
	seen := map[string]bool{}
	var out []channel
	for cursor := ""; ; {
		list, next, err := s.api.GetConversationsContext(ctx, &slack.GetConversationsParameters{Types: kinds, Limit: 200, Cursor: cursor})
		if err != nil {
			return nil, explain("the list of channels", err)
		}
		for _, c := range list {
			if c.ID != "" && !seen[c.ID] {
				seen[c.ID] = true
				out = append(out, channelOf(c))
			}
		}
		if next == "" {
			sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
			return out, nil
		}
		if next == cursor {
			return nil, errors.New("the list of channels goes around in circles")
		}
		cursor = next
	}
}

func (s *Source) info(ctx context.Context, c channel) (channel, error) {
	got, err := s.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: c.id})
	if err != nil {
		return c, explain("the channel #"+c.name, err)
	}
	if got.ID != c.id {
		return c, fmt.Errorf("the channel #%s is answered with another one", c.name)
	}
	return channelOf(*got), nil
}
