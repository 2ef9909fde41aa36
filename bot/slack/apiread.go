package slack

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// who is what a bot token stands for.
type who struct {
	Team, TeamName, Enterprise string
	User, Bot                  string
	URL                        string
	Scopes                     []string
	Clock                      time.Time // Slack's; zero if it did not say
}

func (a *api) authTest(ctx context.Context) (who, error) {
	var out who
	err := a.call(ctx, call{method: "auth.test"}, func(ctx context.Context) error {
		r, err := a.slack.AuthTestContext(ctx)
		if err != nil {
			return err
		}
		out = who{Team: r.TeamID, TeamName: r.Team, Enterprise: r.EnterpriseID, User: r.UserID, Bot: r.BotID, URL: r.URL}
		if at, err := http.ParseTime(r.Header.Get("Date")); err == nil {
			out.Clock = at
		}
		for _, s := range strings.Split(r.Header.Get("X-OAuth-Scopes"), ",") {
			if s = strings.TrimSpace(s); s != "" {
				out.Scopes = append(out.Scopes, s)
			}
		}
		return nil
	})
	return out, err
}

// openSocket asks for the address of a Socket Mode connection.
func (a *api) openSocket(ctx context.Context) (address string, err error) {
	err = a.call(ctx, call{method: "apps.connections.open"}, func(ctx context.Context) error {
		_, address, err = a.slack.StartSocketModeContext(ctx)
		return err
	})
	return address, err
}

func (a *api) channelInfo(ctx context.Context, channel string) (out *slack.Channel, err error) {
	err = a.call(ctx, call{method: "conversations.info"}, func(ctx context.Context) error {
		out, err = a.slack.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel, IncludeNumMembers: true})
		return err
	})
	return out, err
}

// members lists who is in a channel, at most so many; more tells that there are
// others.
func (a *api) members(ctx context.Context, channel string, most int) (ids []string, more bool, err error) {
	cursor := ""
	for {
		var page []string
		err = a.call(ctx, call{method: "conversations.members"}, func(ctx context.Context) error {
			page, cursor, err = a.slack.GetUsersInConversationContext(ctx, &slack.GetUsersInConversationParameters{ChannelID: channel, Cursor: cursor, Limit: 200})
			return err
		})
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, page...)
		switch {
		case len(ids) > most:
			return ids[:most], true, nil
		case cursor == "":
			return ids, false, nil
		}
	}
}

// channels lists the channels that the bot is in.
func (a *api) channels(ctx context.Context) (out []slack.Channel, err error) {
	for cursor := ""; ; {
		var page []slack.Channel
		err = a.call(ctx, call{method: "users.conversations"}, func(ctx context.Context) error {
			page, cursor, err = a.slack.GetConversationsForUserContext(ctx, &slack.GetConversationsForUserParameters{
				Cursor: cursor, Types: []string{"public_channel", "private_channel"}, Limit: 200, ExcludeArchived: true,
			})
			return err
		})
		if out = append(out, page...); err != nil || cursor == "" {
			return out, err
		}
	}
}

func (a *api) user(ctx context.Context, id string) (out *slack.User, err error) {
	err = a.call(ctx, call{method: "users.info"}, func(ctx context.Context) error {
		out, err = a.slack.GetUserInfoContext(ctx, id, slack.GetUserInfoOptionIncludeLocale(true))
		return err
	})
	return out, err
}

// users tells of everybody whom the workspace knows.
func (a *api) users(ctx context.Context, each func(slack.User)) error {
	for cursor := ""; ; {
		var page struct {
			Members []slack.User
			Meta    struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		err := a.form(ctx, call{method: "users.list"}, url.Values{"limit": {"200"}, "cursor": {cursor}}, &page)
		if err != nil {
			return err
		}
		for _, u := range page.Members {
			each(u)
		}
		if cursor = page.Meta.Next; cursor == "" {
			return nil
		}
	}
}

func (a *api) userGroups(ctx context.Context) (out []slack.UserGroup, err error) {
	err = a.call(ctx, call{method: "usergroups.list"}, func(ctx context.Context) error {
		out, err = a.slack.GetUserGroupsContext(ctx)
		return err
	})
	return out, err
}

func (a *api) groupMembers(ctx context.Context, group string) (out []string, err error) {
	err = a.call(ctx, call{method: "usergroups.users.list"}, func(ctx context.Context) error {
		out, err = a.slack.GetUserGroupMembersContext(ctx, group)
		return err
	})
	return out, err
}

func (a *api) permalink(ctx context.Context, channel, ts string) (out string, err error) {
	err = a.call(ctx, call{method: "chat.getPermalink"}, func(ctx context.Context) error {
		out, err = a.slack.GetPermalinkContext(ctx, &slack.PermalinkParameters{Channel: channel, Ts: ts})
		return err
	})
	return out, err
}

// openDirect returns the id of the direct conversation with the people.
func (a *api) openDirect(ctx context.Context, users ...string) (id string, err error) {
	err = a.call(ctx, call{method: "conversations.open", effect: sets}, func(ctx context.Context) error {
		c, _, _, err := a.slack.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: users})
		if err == nil {
			id = c.ID
		}
		return err
	})
	return id, err
}

func (a *api) join(ctx context.Context, channel string) error {
	return a.call(ctx, call{method: "conversations.join", effect: sets}, func(ctx context.Context) error {
		_, _, _, err := a.slack.JoinConversationContext(ctx, channel)
		return err
	})
}

// page is one page of a thread. The messages stay raw: one element of a kind
// that the client library does not know would fail them all.
type page struct {
	Messages []json.RawMessage
	Meta     struct {
		Next string `json:"next_cursor"`
	} `json:"response_metadata"`
}

func (a *api) replies(ctx context.Context, channel, ts, cursor string, limit string) (page, error) {
	var out page
	err := a.form(ctx, call{method: "conversations.replies"},
		url.Values{"channel": {channel}, "ts": {ts}, "cursor": {cursor}, "limit": {limit}}, &out)
	return out, err
}

// repliesSince is one page of what a thread holds from a time stamp of Slack on,
// and its first message.
func (a *api) repliesSince(ctx context.Context, channel, thread, oldest string) (page, error) {
	var out page
	err := a.form(ctx, call{method: "conversations.replies"},
		url.Values{"channel": {channel}, "ts": {thread}, "oldest": {oldest}, "limit": {"200"}}, &out)
	return out, err
}

const largestAnswer = 16 << 20 // of a method, in bytes

// form posts values to a method and reads the answer as it is.
func (a *api) form(ctx context.Context, c call, values url.Values, out any) error {
	return a.call(ctx, c, func(ctx context.Context) error {
		if values.Get("cursor") == "" {
			values.Del("cursor")
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+c.method, strings.NewReader(values.Encode()))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+a.token)
		resp, err := a.client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // read only
		return readAnswer(resp, out)
	})
}

func readAnswer(resp *http.Response, out any) error {
	if resp.StatusCode != http.StatusOK {
		return statusError(resp)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, largestAnswer+1))
	if err != nil {
		return err
	}
	if len(raw) > largestAnswer {
		return core.Errorf(core.KindTooLarge, "Slack's answer is larger than %d MiB", largestAnswer>>20)
	}
	var head slack.SlackResponse
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	if !head.Ok {
		return slack.SlackErrorResponse{Err: head.Error, ResponseMetadata: head.ResponseMetadata, Needed: head.Needed}
	}
	return json.Unmarshal(raw, out)
}
