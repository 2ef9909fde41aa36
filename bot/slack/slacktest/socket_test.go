package slacktest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

// inner are the events of Socket Mode that a bot got, by their Go types.
func (b *bot) inner() []any {
	var out []any
	for _, e := range b.events(socketmode.EventTypeEventsAPI) {
		out = append(out, e.Data.(slackevents.EventsAPIEvent).InnerEvent.Data)
	}
	return out
}

func TestMentionComesTwice(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	ts := s.Mention("C1", "U1", "how many days?")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if got := s.Events(AppID); !slices.Equal(got, []string{"app_mention", "message.channels"}) {
		t.Fatalf("%v", got)
	}
	events := b.inner()
	mention, ok := events[0].(*slackevents.AppMentionEvent)
	if !ok || mention.TimeStamp != ts || mention.User != "U1" || mention.Text != "<@UBOT> how many days?" || mention.Channel != "C1" {
		t.Errorf("%+v", events[0])
	}
	message, ok := events[1].(*slackevents.MessageEvent)
	if !ok || message.TimeStamp != ts || message.ChannelType != "channel" || message.ClientMsgID == "" {
		t.Errorf("%+v", events[1])
	}
	hello := b.events(socketmode.EventTypeHello)
	if len(hello) != 1 || hello[0].Request.NumConnections != 1 || hello[0].Request.ConnectionInfo.AppID != AppID {
		t.Errorf("hello: %+v", hello)
	}
	for _, d := range s.Deliveries("") {
		if !d.Acked || len(d.Attempts) != 1 || d.Attempts[0].Latency <= 0 || d.Attempts[0].Socket != 1 {
			t.Errorf("%+v", d)
		}
	}
}

func TestEventsOfMessages(t *testing.T) {
	s, client := office(t, MessageBeforeMention())
	b := connect(t, s, client, nil)
	ts := s.Message("C1", "U1", "plain")
	s.Edit("C1", ts, "now <@UBOT> is named")
	s.Edit("C1", ts, "<@UBOT> again")
	s.Delete("C1", ts)
	s.DM("U1", "hello <@UBOT>")
	s.Message("C2", "U1", "the bot is not here <@UBOT>")
	s.Say(Say{Channel: "C1", Webhook: "alerts", Text: "disk full"})
	s.Say(Say{Channel: "C1", User: "U1", Text: "see", Files: []FileData{{Name: "a.txt", Data: []byte("hello")}}})
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{"message.channels", "message.channels", "app_mention", "message.channels", "message.channels",
		"message.im", "message.channels", "message.channels", "file_shared"}
	if got := s.Events(AppID); !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v", got, want)
	}
	events := b.inner()
	changed := events[1].(*slackevents.MessageEvent)
	if changed.SubType != "message_changed" || changed.Message.Text != "now <@UBOT> is named" || changed.PreviousMessage.Text != "plain" || !changed.IsEdited() {
		t.Errorf("%+v", changed)
	}
	if m := events[2].(*slackevents.AppMentionEvent); m.Edited == nil || m.TimeStamp != ts {
		t.Errorf("%+v", m)
	}
	if m := events[4].(*slackevents.MessageEvent); m.SubType != "message_deleted" || m.DeletedTimeStamp != ts {
		t.Errorf("%+v", m)
	}
	if m := events[6].(*slackevents.MessageEvent); m.SubType != "bot_message" || m.Username != "alerts" || m.User != "" {
		t.Errorf("%+v", m)
	}
	file := events[7].(*slackevents.MessageEvent)
	if file.SubType != "file_share" || len(file.Message.Files) != 1 || file.Message.Files[0].Name != "a.txt" {
		t.Fatalf("%+v", file)
	}
	var got strings.Builder
	if err := client.GetFile(file.Message.Files[0].URLPrivateDownload, &got); err != nil || got.String() != "hello" {
		t.Errorf("download: %q, %v", got.String(), err)
	}
	if err := clientOf(s, "xoxb-other", "").GetFile(file.Message.Files[0].URLPrivateDownload, &got); err == nil || !strings.Contains(err.Error(), "sign-in page") {
		t.Errorf("download without a token: %v", err)
	}
}

func TestSubscriptionsAndScopes(t *testing.T) {
	s, client := office(t)
	s.ChangeApp(AppID, func(a *App) { a.Events = []string{"app_mention", "message.im", "message.groups"} })
	s.DropScopes(BotToken, "groups:history")
	connect(t, s, client, nil)
	s.Mention("C1", "U1", "x")
	s.Mention("C3", "U1", "x")
	if got := s.Events(AppID); !slices.Equal(got, []string{"app_mention", "app_mention"}) {
		t.Errorf("%v", got)
	}
}

func TestOwnMessagesComeBack(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	if _, _, err := client.PostMessage("C1", slack.MsgOptionText("<@UBOT> talks to itself", false)); err != nil {
		t.Fatal(err)
	}
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	events := b.inner()
	if len(events) != 1 {
		t.Fatalf("%v", s.Events(AppID))
	}
	if m := events[0].(*slackevents.MessageEvent); m.BotID != BotID || m.User != BotUser {
		t.Errorf("%+v", m)
	}
}

func TestRedelivery(t *testing.T) {
	s, client := office(t, slacks)
	first := true
	b := connect(t, s, client, func(b *bot) {
		b.silent = func(socketmode.Event) bool { now := first; first = false; return now }
	})
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	s.DM("U1", "hi")
	s.Eventually("the first try", func() bool { return len(b.events(socketmode.EventTypeEventsAPI)) == 1 })
	s.Clock().Advance(3 * time.Second)
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	events := b.events(socketmode.EventTypeEventsAPI)
	if len(events) != 2 || events[1].Request.RetryAttempt != 1 || events[1].Request.RetryReason != "timeout" || events[0].Request.EnvelopeID == events[1].Request.EnvelopeID {
		t.Fatalf("%+v", events)
	}
	id := func(e socketmode.Event) string {
		return e.Data.(slackevents.EventsAPIEvent).Data.(*slackevents.EventsAPICallbackEvent).EventID
	}
	if id(events[0]) != id(events[1]) {
		t.Error("the retry has another event id")
	}
}

func TestRetriesEnd(t *testing.T) {
	s, client := office(t, AckTimeout(time.Millisecond), RetryDelays(0, time.Minute))
	b := connect(t, s, client, func(b *bot) { b.silent = func(socketmode.Event) bool { return true } })
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	s.DM("U1", "hi")
	if err := s.Settle(short(t), time.Minute); err != nil {
		t.Fatal(err)
	}
	d := s.Deliveries("message.im")[0]
	if len(d.Attempts) != 3 || d.Acked || !d.Lost {
		t.Errorf("%+v", d)
	}
	s.Eventually("the third try at the bot", func() bool { return len(b.events(socketmode.EventTypeEventsAPI)) == 3 })
}

func TestTwoSocketsShareEvents(t *testing.T) {
	s, client := office(t)
	one := connect(t, s, client, nil)
	two := connect(t, s, clientOf(s, BotToken, AppToken), nil)
	if err := s.WaitSocket(short(t), 2); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		s.DM("U1", "hi")
	}
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if a, b := len(one.inner()), len(two.inner()); a != 3 || b != 3 {
		t.Errorf("%d and %d events", a, b)
	}
	up := s.OpenSockets()
	if len(up) != 2 || up[0].Fingerprint() != Fingerprint(AppToken) || up[0].Fingerprint() != up[1].Fingerprint() || up[1].Acked() != 3 {
		t.Errorf("%+v", up)
	}
}
