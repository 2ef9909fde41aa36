package slacktest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
)

func TestPostUpdateDelete(t *testing.T) {
	s, client := office(t, EditWindow(time.Hour))
	_, ts, err := client.PostMessage("C1", slack.MsgOptionText("one & two <!here>", false), slack.MsgOptionDisableLinkUnfurl())
	if err != nil {
		t.Fatal(err)
	}
	button := slack.NewButtonBlockElement("like", "v1", slack.NewTextBlockObject("plain_text", "Like", false, false))
	if _, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("final", false),
		slack.MsgOptionBlocks(slack.NewMarkdownBlock("", "**final**"), slack.NewActionBlock("", button))); err != nil {
		t.Fatal(err)
	}
	m := s.Messages("C1")[0]
	if m.Edits != 1 || m.Shown != "**final**\n[Like]" || m.Unfurls != true || !m.EverShown("one & two") {
		t.Errorf("%+v", m)
	}
	if got := m.Notifies(); !slices.Equal(got, []string{"<!here>"}) {
		t.Errorf("notifies %v", got)
	}
	if len(m.Buttons) != 1 || m.Buttons[0] != (Button{"Like", "like", "v1"}) {
		t.Errorf("buttons %v", m.Buttons)
	}
	if _, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("only text", false)); err != nil {
		t.Fatal(err)
	}
	if m = s.Messages("C1")[0]; m.Shown != "only text" || len(m.Buttons) != 0 {
		t.Errorf("an edit without blocks keeps them: %q", m.Shown)
	}
	s.Clock().Advance(2 * time.Hour)
	_, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("late", false))
	wantCode(t, err, "edit_window_closed")
	if _, _, err = client.DeleteMessage("C1", ts); err != nil {
		t.Fatal(err)
	}
	_, _, err = client.DeleteMessage("C1", ts)
	wantCode(t, err, "message_not_found")
	human := s.Message("C1", "U1", "mine")
	_, _, _, err = client.UpdateMessage("C1", human, slack.MsgOptionText("x", false))
	wantCode(t, err, "cant_update_message")
}

func TestPostRefused(t *testing.T) {
	s, client := office(t)
	text := slack.MsgOptionText("x", false)
	post := func(channel string, o ...slack.MsgOption) string {
		_, _, err := client.PostMessage(channel, o...)
		return code(err)
	}
	root := s.Message("C1", "U1", "root")
	reply := s.Reply("C1", root, "U1", "reply")
	big := slack.SlackMetadata{EventType: "e", EventPayload: map[string]any{"x": strings.Repeat("y", 4000)}}
	for _, row := range []struct {
		name, got, want string
	}{
		{"unknown", post("C404", text), "channel_not_found"},
		{"private", post("C4", text), "channel_not_found"},
		{"no member", post("C2", text), "not_in_channel"},
		{"nothing", post("C1"), "no_text"},
		{"reply to a reply", post("C1", text, slack.MsgOptionTS(reply)), "cannot_reply_to_message"},
		{"thread", post("C1", text, slack.MsgOptionTS(root)), ""},
		{"metadata", post("C1", text, slack.MsgOptionMetadata(big)), "metadata_too_large"},
		{"to a user", post("U1", text), ""},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.name, row.got, row.want)
		}
	}
	if len(s.Messages(s.DMChannel("U1"))) != 1 || len(s.InThread("C1", root)) != 3 {
		t.Error(s.Dump())
	}
	_, gone, full, err := client.PostMessageWithResponse("C1", text, slack.MsgOptionTS("1700000000.000001"))
	if err != nil || full.ThreadTimestamp != "" {
		t.Errorf("a reply without parent: %v, %q, %q", err, gone, full.ThreadTimestamp)
	}
	if _, _, err := client.PostMessage("C1", slack.MsgOptionText(strings.Repeat("a", 40001), false)); err != nil || len(s.FromApps("C1")[2].Text) != 40000 {
		t.Error("a text of 40,001 is not cut")
	}
	s.ArchiveChannel("C1", "U1")
	if got := post("C1", text); got != "is_archived" {
		t.Errorf("archived: %q", got)
	}
}

func TestEphemeral(t *testing.T) {
	s, client := office(t)
	ts, err := client.PostEphemeral("C1", "U1", slack.MsgOptionText("only you", false))
	if err != nil || ts == "" || len(s.Messages("C1")) != 0 {
		t.Fatal(ts, err)
	}
	if m := s.Ephemerals("U1"); len(m) != 1 || m[0].Shown != "only you" || m[0].TS != ts {
		t.Errorf("%+v", m)
	}
	_, err = client.PostEphemeral("C3", "U2", slack.MsgOptionText("x", false))
	wantCode(t, err, "user_not_in_channel")
	_, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("x", false))
	wantCode(t, err, "message_not_found")
}

func TestReactions(t *testing.T) {
	s, client := office(t)
	ts := s.Message("C1", "U1", "hi")
	ref := slack.NewRefToMessage("C1", ts)
	for _, want := range []string{"", "already_reacted"} {
		wantCode(t, client.AddReaction("eyes", ref), want)
	}
	for _, want := range []string{"", "no_reaction"} {
		wantCode(t, client.RemoveReaction("eyes", ref), want)
	}
	wantCode(t, client.AddReaction("no such thing!", ref), "invalid_name")
	wantCode(t, client.AddReaction("eyes", slack.NewRefToMessage("C1", "1.2")), "message_not_found")
}

func TestRateLimits(t *testing.T) {
	s, client := office(t, WithLimits(SlackLimits()))
	s.Clock().Freeze()
	post := func(channel string) error {
		_, _, err := client.PostMessage(channel, slack.MsgOptionText("x", false))
		return err
	}
	if err := errors.Join(post("C1"), post("C3")); err != nil {
		t.Fatal("two channels:", err)
	}
	var limited *slack.RateLimitedError
	if err := post("C1"); !errors.As(err, &limited) || limited.RetryAfter != time.Second {
		t.Fatalf("the second in one second: %v", err)
	}
	s.Clock().Advance(time.Second)
	if err := post("C1"); err != nil {
		t.Fatal(err)
	}
	ts := s.FromApps("C1")[0].TS
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		_, _, _, err = client.UpdateMessage("C1", ts, slack.MsgOptionText("y", false))
	}
	if n != 51 || !errors.As(err, &limited) || limited.RetryAfter != time.Minute {
		t.Errorf("chat.update number %d: %v", n, err)
	}
	s.SetLimits(Limits{PerMinute: map[string]int{"auth.test": 1}, NoRetryAfter: true})
	_, _ = client.AuthTest()
	_, err = client.AuthTest()
	var status slack.StatusCodeError
	if !errors.As(err, &status) || status.Code != 429 {
		t.Errorf("429 without Retry-After: %v", err)
	}
}
