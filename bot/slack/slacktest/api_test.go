package slacktest

import (
	"strings"
	"testing"

	"github.com/slack-go/slack"
)

func TestAuthAndScopes(t *testing.T) {
	s, client := office(t)
	who := must(client.AuthTest())(t)
	if who.TeamID != Team || who.UserID != BotUser || who.BotID != BotID || who.URL != "https://acme.slack.com/" {
		t.Errorf("auth.test: %+v", who)
	}
	if scopes := who.Header.Get("X-Oauth-Scopes"); !strings.Contains(scopes, "chat:write") {
		t.Errorf("scopes in the header: %q", scopes)
	}
	s.SetScopes(BotToken, "chat:write", "channels:read")
	_, err := client.GetUserInfo("U1")
	var e slack.SlackErrorResponse
	if code(err) != "missing_scope" {
		t.Fatal(err)
	}
	e, _ = err.(slack.SlackErrorResponse)
	if e.Needed != "users:read" || e.Provided != "chat:write,channels:read" {
		t.Errorf("needed %q, provided %q", e.Needed, e.Provided)
	}
	_, err = client.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: "C3"})
	wantCode(t, err, "missing_scope")
	_, err = clientOf(s, "xoxb-wrong", "").AuthTest()
	wantCode(t, err, "invalid_auth")
	_, err = clientOf(s, AppToken, "").GetUserInfo("U1")
	wantCode(t, err, "not_allowed_token_type")
	s.KillToken(BotToken, "token_revoked")
	_, err = client.AuthTest()
	wantCode(t, err, "token_revoked")
}

func TestUsers(t *testing.T) {
	s, client := office(t)
	s.AddWorkspace(Workspace{ID: "T2", Name: "Other", Domain: "other"})
	s.AddUser(User{ID: "U7", Team: "T2", Stranger: true, Email: "x@other.example"})
	_, err := client.GetUserInfo("U7")
	wantCode(t, err, "user_not_visible")
	s.AddChannel(Channel{ID: "C7", ExtShared: true, ConnectedTeams: []string{"T2"}, Members: []string{"U7", BotUser}})
	if u := must(client.GetUserInfo("U7"))(t); !u.IsStranger || u.TeamID != "T2" || u.Profile.Email != "" {
		t.Errorf("the stranger: %+v", u)
	}
	u := must(client.GetUserInfo("U2"))(t)
	if !u.IsRestricted || u.IsUltraRestricted || u.Locale != "de-DE" || u.TZ != "Europe/Berlin" || u.Profile.Email != "bob@example.com" {
		t.Errorf("the guest: %+v", u)
	}
	if found := must(client.GetUserByEmail("ANN@example.com"))(t); found.ID != "U1" || found.RealName != "Ann Lee" {
		t.Errorf("by e-mail: %+v", found)
	}
	s.ChangeUser("U1", func(u *User) { u.Deleted = true })
	_, err = client.GetUserByEmail("ann@example.com")
	wantCode(t, err, "users_not_found")
	_, err = client.GetUserInfo("U404")
	wantCode(t, err, "user_not_found")
	if all := must(client.GetUsers(slack.GetUsersOptionLimit(2)))(t); len(all) != 4 {
		t.Errorf("%d users in pages of two", len(all))
	}
	s.DropScopes(BotToken, "users:read.email")
	if u := must(client.GetUserInfo("U2"))(t); u.Profile.Email != "" {
		t.Error("the e-mail is shown without users:read.email")
	}
	s.AddUserGroup(UserGroup{ID: "S1", Handle: "support", Users: []string{"U1", "U2"}})
	groups := must(client.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true)))(t)
	if len(groups) != 1 || groups[0].Handle != "support" || len(groups[0].Users) != 2 {
		t.Errorf("groups: %+v", groups)
	}
	if users := must(client.GetUserGroupMembers("S1"))(t); len(users) != 2 {
		t.Errorf("members: %v", users)
	}
}

func TestConversations(t *testing.T) {
	s, client := office(t)
	info := func(id string) (*slack.Channel, error) {
		return client.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: id, IncludeNumMembers: true})
	}
	c := must(info("C1"))(t)
	if c.Name != "general" || !c.IsMember || c.IsPrivate || c.NumMembers != 3 || c.IsExtShared {
		t.Errorf("general: %+v", c)
	}
	_, err := info("C4")
	wantCode(t, err, "channel_not_found")
	s.AddWorkspace(Workspace{ID: "T2", Domain: "other"})
	s.ShareChannel("C1", "T2")
	s.InvitePending("C3", true)
	if c = must(info("C1"))(t); !c.IsExtShared || len(c.ConnectedTeamIDs) != 1 {
		t.Errorf("shared: %+v", c)
	}
	if c = must(info("C3"))(t); !c.IsPendingExtShared || !c.IsPrivate {
		t.Errorf("pending: %+v", c)
	}
	s.UnshareChannel("C1", "T2")
	if c = must(info("C1"))(t); c.IsExtShared {
		t.Error("still shared")
	}
	members, next, err := client.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: "C1", Limit: 2})
	if err != nil || len(members) != 2 || next == "" {
		t.Fatal(members, next, err)
	}
	rest, next, err := client.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: "C1", Limit: 2, Cursor: next})
	if err != nil || len(rest) != 1 || next != "" {
		t.Fatal(rest, next, err)
	}
	_, _, err = client.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: "C1", Cursor: "nonsense"})
	wantCode(t, err, "invalid_cursor")
	list, _, err := client.GetConversations(&slack.GetConversationsParameters{Types: []string{"public_channel", "private_channel"}})
	if err != nil || len(list) != 3 {
		t.Errorf("%d channels: %v", len(list), err)
	}
	mine, _, err := client.GetConversationsForUser(&slack.GetConversationsForUserParameters{Types: []string{"public_channel", "private_channel"}})
	if err != nil || len(mine) != 2 {
		t.Errorf("%d own channels: %v", len(mine), err)
	}
	if joined, _, _, err := client.JoinConversation("C2"); err != nil || !joined.IsMember {
		t.Errorf("join: %v", err)
	}
	dm, _, _, err := client.OpenConversation(&slack.OpenConversationParameters{Users: []string{"U1"}, ReturnIM: true})
	if err != nil || !dm.IsIM || dm.User != "U1" || dm.ID != s.DMChannel("U1") {
		t.Errorf("direct message: %+v, %v", dm, err)
	}
	group, _, _, err := client.OpenConversation(&slack.OpenConversationParameters{Users: []string{"U1", "U2"}})
	if err != nil || group.ID == dm.ID {
		t.Errorf("group message: %+v, %v", group, err)
	}
}

func TestHistoryAndReplies(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "root <@U2> &amp; <https://example.com|site>")
	for _, text := range []string{"one", "two", "three"} {
		s.Reply("C1", root, "U2", text)
	}
	last := s.Message("C1", "U1", "later")
	replies, more, next, err := client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root, Limit: 3})
	if err != nil || !more || len(replies) != 3 || replies[0].ReplyCount != 3 || replies[1].ParentUserId != "U1" {
		t.Fatalf("%+v, %v, %v", replies, more, err)
	}
	rest, more, _, err := client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root, Limit: 3, Cursor: next})
	if err != nil || more || len(rest) != 1 || rest[0].Text != "three" {
		t.Fatalf("%+v, %v", rest, err)
	}
	history := must(client.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C1"}))(t)
	if len(history.Messages) != 2 || history.Messages[0].Timestamp != last {
		t.Errorf("history: %+v", history.Messages)
	}
	old := must(client.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C1", Latest: last, Inclusive: false}))(t)
	if len(old.Messages) != 1 || old.Messages[0].Timestamp != root {
		t.Errorf("before the last: %+v", old.Messages)
	}
	_, err = client.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: "C2"})
	wantCode(t, err, "not_in_channel")
	_, _, _, err = client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: "1.000000"})
	wantCode(t, err, "thread_not_found")
	link := must(client.GetPermalink(&slack.PermalinkParameters{Channel: "C1", Ts: root}))(t)
	if want := "https://acme.slack.com/archives/C1/p" + strings.ReplaceAll(root, ".", ""); link != want {
		t.Errorf("%q, want %q", link, want)
	}
	s.SetLimits(Limits{Marketplace: true})
	if _, _, _, err = client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root}); err != nil {
		t.Fatal(err)
	}
	_, _, _, err = client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root})
	if limited, ok := err.(*slack.RateLimitedError); !ok || limited.RetryAfter.Seconds() < 59 {
		t.Errorf("the second call in a minute: %v", err)
	}
}
