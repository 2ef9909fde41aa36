package slacktest

import (
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
)

var toAnn = slack.MsgOptionCompose(slack.MsgOptionRecipientTeamID(Team), slack.MsgOptionRecipientUserID("U1"))

func TestStream(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "question")
	ctx := t.Context()
	_, ts, err := client.StartStreamContext(ctx, "C1", slack.MsgOptionTS(root), toAnn, slack.MsgOptionMarkdownText("Hello"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = client.AppendStreamContext(ctx, "C1", ts, slack.MsgOptionMarkdownText(" world")); err != nil {
		t.Fatal(err)
	}
	_, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("x", false))
	wantCode(t, err, "streaming_state_conflict")
	task := slack.NewTaskUpdateChunk("1", "Searching")
	task.Status = "complete"
	if _, _, err = client.AppendStreamContext(ctx, "C1", ts, slack.MsgOptionChunks(slack.NewTaskUpdateChunk("1", "Searching"), task)); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.MessageAt("C1", ts); m.Shown != "[task Searching complete]\nHello world" || m.Stream != "in_progress" || m.Thread != root {
		t.Errorf("%+v", m)
	}
	feedback := slack.NewFeedbackButtonsBlockElement("vote", slack.NewFeedbackButton(slack.NewTextBlockObject("plain_text", "Good", false, false), "1"),
		slack.NewFeedbackButton(slack.NewTextBlockObject("plain_text", "Bad", false, false), "0"))
	if _, _, err = client.StopStreamContext(ctx, "C1", ts, slack.MsgOptionMarkdownText("!"), slack.MsgOptionBlocks(slack.NewContextActionsBlock("", feedback))); err != nil {
		t.Fatal(err)
	}
	m, _ := s.MessageAt("C1", ts)
	if m.Shown != "[task Searching complete]\nHello world!\n[Good] [Bad]" || m.Stream != "completed" || len(m.Buttons) != 2 {
		t.Errorf("%+v", m)
	}
	_, _, err = client.AppendStreamContext(ctx, "C1", ts, slack.MsgOptionMarkdownText("x"))
	wantCode(t, err, "message_not_in_streaming_state")
	_, _, err = client.StopStreamContext(ctx, "C1", ts)
	wantCode(t, err, "message_not_in_streaming_state")
}

func TestStreamDies(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "question")
	_, ts, err := client.StartStreamContext(t.Context(), "C1", slack.MsgOptionTS(root), toAnn)
	if err != nil {
		t.Fatal(err)
	}
	s.Clock().Advance(4*time.Minute + 50*time.Second)
	if _, _, err = client.AppendStreamContext(t.Context(), "C1", ts, slack.MsgOptionMarkdownText("half")); err != nil {
		t.Fatal(err)
	}
	s.Clock().Advance(11 * time.Second)
	_, _, err = client.AppendStreamContext(t.Context(), "C1", ts, slack.MsgOptionMarkdownText("x"))
	wantCode(t, err, "message_not_in_streaming_state")
	_, _, err = client.StopStreamContext(t.Context(), "C1", ts)
	wantCode(t, err, "message_not_in_streaming_state")
	if m, _ := s.MessageAt("C1", ts); m.Stream != "errored" || m.Shown != "half\n(errored)" {
		t.Errorf("%+v", m)
	}
	if _, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("whole", false)); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.MessageAt("C1", ts); m.Shown != "whole" || m.Stream != "" {
		t.Errorf("%+v", m)
	}
}

func TestStreamRefused(t *testing.T) {
	s, client := office(t, NoStreamsIn(GroupMessage))
	root := s.Message("C1", "U1", "question")
	start := func(channel string, o ...slack.MsgOption) string {
		_, _, err := client.StartStreamContext(t.Context(), channel, o...)
		return code(err)
	}
	dm, question := s.DM("U1", "hi")
	s.AddChannel(Channel{ID: "G1", Kind: GroupMessage, Members: []string{"U1", "U2", BotUser}})
	for _, row := range []struct{ name, got, want string }{
		{"no recipient", start("C1", slack.MsgOptionTS(root)), "missing_recipient_user_id"},
		{"no team", start("C1", slack.MsgOptionTS(root), slack.MsgOptionRecipientUserID("U1")), "missing_recipient_team_id"},
		{"not here", start("G1", slack.MsgOptionTS(root), toAnn), "channel_type_not_supported"},
		{"no thread in a direct message", start(dm), "invalid_thread_ts"},
		{"direct message", start(dm, slack.MsgOptionTS(question)), ""},
		{"too long", start("C1", slack.MsgOptionTS(root), toAnn, slack.MsgOptionMarkdownText(strings.Repeat("a", 12001))), "msg_too_long"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.name, row.got, row.want)
		}
	}
	_, ts, _ := client.StartStreamContext(t.Context(), "C1", slack.MsgOptionTS(root), toAnn)
	var err error
	sent := 0
	for ; err == nil; sent += 12000 {
		_, _, err = client.AppendStreamContext(t.Context(), "C1", ts, slack.MsgOptionMarkdownText(strings.Repeat("a", 12000)))
	}
	if code(err) != "msg_too_long" || sent != 48000 {
		t.Errorf("after %d units: %v", sent, err)
	}
	if m, _ := s.MessageAt("C1", ts); len(m.Shown) != 36000 {
		t.Errorf("a refused append wrote something: %d", len(m.Shown))
	}
}

func TestStatusAndSession(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "question")
	status := func(text string) error {
		return client.SetAssistantThreadsStatus(slack.AssistantThreadsSetStatusParameters{ChannelID: "C1", ThreadTS: root, Status: text})
	}
	if err := status("is searching 4 sources"); err != nil || s.Thread("C1", root).Status != "is searching 4 sources" {
		t.Fatal(err, s.Thread("C1", root))
	}
	s.Clock().Advance(2 * time.Minute)
	if got := s.Thread("C1", root).Status; got != "" {
		t.Errorf("after two minutes: %q", got)
	}
	_ = status("is reading")
	if _, _, err := client.PostMessage("C1", slack.MsgOptionText("interim", false), slack.MsgOptionTS(root)); err != nil {
		t.Fatal(err)
	}
	if got := s.Thread("C1", root).Status; got != "" {
		t.Errorf("after a post: %q", got)
	}
	if log := s.Statuses(); len(log) != 3 || log[2].By != "slack" {
		t.Errorf("%+v", log)
	}
	prompts := slack.AssistantThreadsSetSuggestedPromptsParameters{ChannelID: s.DMChannel("U1")}
	wantCode(t, client.SetAssistantThreadsSuggestedPrompts(prompts), "invalid_arguments")
	prompts.AddPrompt("Leave", "How many days of leave?")
	if err := client.SetAssistantThreadsSuggestedPrompts(prompts); err != nil || s.Thread(prompts.ChannelID, "").Prompts[0].Title != "Leave" {
		t.Error(err)
	}
	if err := client.SetAssistantThreadsTitle(slack.AssistantThreadsSetTitleParameters{ChannelID: "C1", ThreadTS: root, Title: "Leave"}); err != nil {
		t.Error(err)
	}
	session := slack.AgentSessionSetStatusParameters{ChannelID: "C1", ThreadTS: root, Status: slack.AgentSessionStatusProcessing, Title: "Leave"}
	if got, err := client.SetAgentSessionStatus(session); err != nil || got.Status != "processing" || got.Title != "Leave" {
		t.Error(got, err)
	}
	session.Status = "happy"
	_, err := client.SetAgentSessionStatus(session)
	wantCode(t, err, "invalid_arguments")
	if got := s.Thread("C1", root); got.Session != "processing" || got.Title != "Leave" {
		t.Errorf("%+v", got)
	}
}
