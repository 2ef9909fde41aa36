package slacktest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

func TestChannelEvents(t *testing.T) {
	s, client := office(t)
	s.AddWorkspace(Workspace{ID: "T2", Domain: "other"})
	b := connect(t, s, client, nil)
	s.JoinChannel("C2", BotUser, "U1")
	s.JoinChannel("C3", "U2", "")
	s.ShareChannel("C1", "T2")
	s.UnshareChannel("C1", "T2")
	s.RenameChannel("C1", "lobby")
	s.LeaveChannel("C2", BotUser)
	s.React("C3", s.Messages("C3")[0].TS, "U1", "+1")
	s.ArchiveChannel("C3", "U1")
	s.Uninstall(AppID, Team)
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{"member_joined_channel", "message.channels", "member_joined_channel", "message.groups", "channel_shared", "channel_unshared",
		"channel_rename", "member_left_channel", "reaction_added", "channel_archive", "tokens_revoked", "app_uninstalled"}
	if got := s.Events(AppID); !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v", got, want)
	}
	events := b.inner()
	if e := events[0].(*slackevents.MemberJoinedChannelEvent); e.User != BotUser || e.Inviter != "U1" || e.ChannelType != "C" {
		t.Errorf("%+v", e)
	}
	if e := events[4].(*slackevents.ChannelSharedEvent); e.ConnectedTeamID != "T2" || e.Channel != "C1" {
		t.Errorf("%+v", e)
	}
	_, err := client.AuthTest()
	wantCode(t, err, "account_inactive")
}

func TestSharedChannelMessages(t *testing.T) {
	s, client := office(t)
	s.AddWorkspace(Workspace{ID: "T2", Domain: "other"})
	s.ShareChannel("C1", "T2")
	s.AddUser(User{ID: "U9", Team: "T2", Stranger: true})
	s.JoinChannel("C1", "U9", "")
	b := connect(t, s, client, nil)
	s.Mention("C1", "U9", "tell me")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	var mention *slackevents.AppMentionEvent
	for _, e := range b.inner() {
		if m, ok := e.(*slackevents.AppMentionEvent); ok {
			mention = m
		}
	}
	if mention == nil || mention.UserTeam != "T2" || mention.SourceTeam != "T2" {
		t.Errorf("%+v", mention)
	}
}

func TestSecondWorkspaceOfAnApp(t *testing.T) {
	s, _ := office(t)
	s.AddWorkspace(Workspace{ID: "T2", Name: "Second", Domain: "second"})
	s.Install(AppID, "T2", "UBOT2", "B2", "xoxb-2")
	s.AddUser(User{ID: "V1", Team: "T2"})
	s.AddChannel(Channel{ID: "K1", Team: "T2", Members: []string{"V1", "UBOT2"}})
	client := clientOf(s, "xoxb-2", AppToken)
	b := connect(t, s, client, nil)
	s.Say(Say{Channel: "K1", User: "V1", Text: "<@UBOT2> hi"})
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if got := b.inner(); len(got) != 2 {
		t.Fatalf("%v", s.Events(AppID))
	}
	if d := s.Deliveries("app_mention")[0]; !strings.Contains(string(d.Payload), `"team_id":"T2"`) {
		t.Errorf("%s", d.Payload)
	}
	if who := must(client.AuthTest())(t); who.TeamID != "T2" || who.UserID != "UBOT2" {
		t.Errorf("%+v", who)
	}
	_, err := client.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: "C1"})
	wantCode(t, err, "channel_not_found")
}

func TestPaneAndStop(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	dm, _ := s.OpenPane("U1", "C1")
	_, question := s.DM("U1", "hi")
	_, ts, err := client.StartStreamContext(t.Context(), dm, slack.MsgOptionTS(question), slack.MsgOptionMarkdownText("long"))
	if err != nil {
		t.Fatal(err)
	}
	s.PressStop("U1", dm, question)
	s.LookAt("U1", dm, question, "C3")
	s.RenameSession("U1", dm, question, "Leave")
	_, _, err = client.AppendStreamContext(t.Context(), dm, ts, slack.MsgOptionMarkdownText("x"))
	wantCode(t, err, "message_not_in_streaming_state")
	s.ChangeApp(AppID, func(a *App) { a.Agent = false })
	_, thread := s.OpenPane("U1", "C1")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{"app_home_opened", "message.im", "message.im", "agent_session_stopped", "app_context_changed", "agent_session_title_changed", "assistant_thread_started"}
	if got := s.Events(AppID); !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v", got, want)
	}
	events := b.inner()
	if e := events[3].(*slackevents.AgentSessionStoppedEvent); !slices.Equal(e.StreamingMessageTimestamps, []string{ts}) || e.ThreadTimestamp != question {
		t.Errorf("%+v", e)
	}
	if e := events[4].(*slackevents.AppContextChangedEvent); len(e.Context.Entities) != 1 || e.Context.Entities[0].Value != "C3" {
		t.Errorf("%+v", e)
	}
	if e := events[6].(*slackevents.AssistantThreadStartedEvent); e.AssistantThread.ThreadTimeStamp != thread || e.AssistantThread.Context.ChannelID != "C1" {
		t.Errorf("%+v", e)
	}
}

func TestUploads(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "question")
	up := slack.UploadFileParameters{Filename: "answer.md", Title: "Answer", Content: "# long", FileSize: 6, Channel: "C1", ThreadTimestamp: root, InitialComment: "in full"}
	f, err := client.UploadFile(up)
	if err != nil {
		t.Fatal(err)
	}
	m := s.InThread("C1", root)[1]
	if m.Text != "in full" || len(m.Files) != 1 || string(m.Files[0].Data) != "# long" || m.Files[0].Title != "Answer" {
		t.Errorf("%+v", m)
	}
	info, _, _, err := client.GetFileInfo(f.ID, 0, 0)
	if err != nil || info.Size != 6 || info.Name != "answer.md" {
		t.Errorf("%+v, %v", info, err)
	}
	up.Channel = "C2"
	_, err = client.UploadFile(up)
	wantCode(t, err, "not_in_channel")
	up.FileSize = 9
	if _, err = client.UploadFile(up); err == nil {
		t.Error("a wrong length is taken")
	}
	_, _, _, err = client.GetFileInfo("F404", 0, 0)
	wantCode(t, err, "file_not_found")
}

func TestManifests(t *testing.T) {
	s, client := office(t)
	m := &slack.Manifest{Display: slack.Display{Name: "Footnote"}}
	m.Features.BotUser = slack.BotUser{DisplayName: "footnote"}
	m.OAuthConfig.Scopes = slack.OAuthScopes{Bot: []string{"chat:write", "app_mentions:read"}}
	m.Settings.SocketModeEnabled = true
	m.Settings.EventSubscriptions = &slack.EventSubscriptions{BotEvents: []string{"app_mention", "message.im"}}
	bad, err := client.ValidateManifest(m, ConfigToken, "")
	if code(err) != "invalid_manifest" || len(bad.Errors) != 1 || bad.Errors[0].Pointer != "/settings/event_subscriptions/bot_events/1" {
		t.Fatalf("%+v, %v", bad, err)
	}
	m.OAuthConfig.Scopes.Bot = append(m.OAuthConfig.Scopes.Bot, "im:history")
	made, err := client.CreateManifest(m, ConfigToken)
	if err != nil || made.AppId == "" || made.Credentials.SigningSecret == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	m.Display.Name = "Footnote two"
	if got, err := client.UpdateManifest(m, ConfigToken, made.AppId); err != nil || got.PermissionsUpdated {
		t.Errorf("%+v, %v", got, err)
	}
	raw, err := client.ExportManifestRaw(ConfigToken, made.AppId)
	stored, ok := s.Manifest(made.AppId)
	if err != nil || !ok || !json.Valid(raw) || !strings.Contains(string(stored), "Footnote two") {
		t.Errorf("%s, %v", raw, err)
	}
	_, err = client.ExportManifestRaw(BotToken, made.AppId)
	wantCode(t, err, "not_allowed_token_type")
}

func TestDump(t *testing.T) {
	s, client := office(t)
	root := s.Mention("C1", "U1", "how many days? <https://example.com|here>")
	_, ts, err := client.PostMessage("C1", slack.MsgOptionText("30 days", false), slack.MsgOptionTS(root))
	if err != nil {
		t.Fatal(err)
	}
	gone := s.Reply("C1", root, "U2", "oops")
	s.Delete("C1", gone)
	feedback := slack.NewFeedbackButtonsBlockElement("vote", slack.NewFeedbackButton(label("Good"), "1"), slack.NewFeedbackButton(label("Bad"), "0"))
	cells := []slack.TableCell{slack.NewTableRawTextCell("Name"), slack.NewTableRawTextCell("Days")}
	_, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("30", false), slack.MsgOptionBlocks(
		slack.NewHeaderBlock(label("Leave")), slack.NewTableBlock("").AddRow(cells...), slack.NewDividerBlock(),
		slack.NewContextBlock("", slack.NewTextBlockObject("mrkdwn", "1. <https://x|Handbook>", false, false)), slack.NewContextActionsBlock("", feedback)))
	if err != nil {
		t.Fatal(err)
	}
	s.React("C1", ts, "U1", "+1")
	if _, err = client.PostEphemeral("C1", "U2", slack.MsgOptionText("only bob", false)); err != nil {
		t.Fatal(err)
	}
	want := `== #general
t1 ann:
    <@UBOT> how many days? <https://example.com|here>
  t2 footnote (edited 1):
      # Leave
      | Name | Days |
      ---
      ~ 1. <https://x|Handbook>
      [Good] [Bad]
      :+1: ann
  t3 bob (deleted):
== only for bob in #general
t4 footnote:
    only bob
`
	if got := s.Dump(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUnknownElementsInBlocks(t *testing.T) {
	s, client := office(t)
	connect(t, s, client, nil)
	root := s.Say(Say{Channel: "C1", User: "U1", Text: "see", Blocks: `[{"type":"rich_text","elements":[{"type":"rich_text_hologram","elements":[]}]}]`})
	replies, _, _, err := client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root})
	if err == nil && replies[0].Text != "see" {
		t.Errorf("%+v", replies)
	}
	id := s.Emit(AppID, map[string]any{"type": "app_mention", "channel": "C1", "user": "U1", "text": "<@UBOT> own", "ts": "1.000001"})
	if d := settled(t, s, id); !d.Acked {
		t.Errorf("%+v", d)
	}
}
