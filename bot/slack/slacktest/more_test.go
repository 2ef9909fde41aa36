package slacktest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

func TestTextOfAnEdit(t *testing.T) {
	s, client := office(t)
	_, ts, err := client.PostMessage("C1", slack.MsgOptionText("x", false))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		text string
		want string
	}{
		{strings.Repeat("a", 4000), ""},
		{strings.Repeat("a", 4001), "msg_too_long"},
		{strings.Repeat("—", 1334), "msg_too_long"},
		{strings.Repeat("&", 800), ""},
		{strings.Repeat("&", 801), "msg_too_long"},
		{strings.Repeat("&amp;", 800), ""},
		{strings.Repeat("<", 1001), "msg_too_long"},
		{strings.Repeat("<https://a.b|c>", 266), ""},
	} {
		_, _, _, err := client.UpdateMessage("C1", ts, slack.MsgOptionText(row.text, false), slack.MsgOptionBlocks(slack.NewMarkdownBlock("", "all")))
		if got := code(err); got != row.want {
			t.Errorf("%d bytes of %.6q: %q, want %q", len(row.text), row.text, got, row.want)
		}
	}
	if m := s.FromApps("C1")[0]; m.Edits != 4 || m.Shown != "all" {
		t.Errorf("%+v", m)
	}
}

func TestNotifies(t *testing.T) {
	s, client := office(t)
	post := func(text string, o ...slack.MsgOption) {
		if _, _, err := client.PostMessage("C1", append(o, slack.MsgOptionText(text, false))...); err != nil {
			t.Fatal(err)
		}
	}
	post("@here @ann <https://x|@all> &lt;!here&gt;")
	post("@here <!subteam^S1|@support> <@U1>", slack.MsgOptionLinkNames(true))
	post("plain", slack.MsgOptionBlocks(slack.NewMarkdownBlock("", "**<!channel>**")))
	want := [][]string{nil, {"<@U1>", "<!subteam^S1|@support>", "@here", "@support"}, {"<!channel>"}}
	for i, m := range s.FromApps("C1") {
		got := m.Notifies()
		slices.Sort(got)
		slices.Sort(want[i])
		if !slices.Equal(got, want[i]) {
			t.Errorf("%d: %v, want %v", i, got, want[i])
		}
	}
}

func TestViewsPushUpdateClose(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	view := func(text string) slack.ModalViewRequest {
		return slack.ModalViewRequest{Type: slack.VTModal, Title: label(text), NotifyOnClose: true, Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewActionBlock("", slack.NewButtonBlockElement("next", "", label("Next")))}}}
	}
	trigger := func() string {
		got := interactions(b)
		return got[len(got)-1].TriggerID
	}
	settled(t, s, s.Shortcut("U1", "start"))
	_, err := client.PushView(trigger(), view("Early"))
	wantCode(t, err, "not_found")
	settled(t, s, s.Shortcut("U1", "start"))
	first := must(client.OpenView(trigger(), view("One")))(t)
	for n, want := range []string{"", "", "push_limit_reached"} {
		settled(t, s, s.ClickModal("U1", "Next"))
		_, err = client.PushView(trigger(), view(fmt.Sprint("Page ", n)))
		wantCode(t, err, want)
	}
	if _, err = client.UpdateView(view("One again"), "", first.Hash, first.ID); err != nil {
		t.Fatal(err)
	}
	_, err = client.UpdateView(view("Old"), "", first.Hash, first.ID)
	wantCode(t, err, "hash_conflict")
	_, err = client.UpdateView(view("Nobody"), "", "", "V404")
	wantCode(t, err, "not_found")
	_, err = client.OpenView("nonsense", view("x"))
	wantCode(t, err, "invalid_trigger_id")
	_, err = client.OpenView("nonsense", view("a title of more than 24 characters"))
	wantCode(t, err, "invalid_arguments")
	for range 3 {
		settled(t, s, s.CloseModal("U1"))
	}
	if _, open := s.Modal("U1"); open || interactions(b)[len(interactions(b))-1].Type != slack.InteractionTypeViewClosed {
		t.Error("the modal is open, or view_closed is missing")
	}
}

func TestInfoMethods(t *testing.T) {
	s, client := office(t)
	if team := must(client.GetTeamInfo())(t); team.Domain != "acme" || team.EmailDomain != "example.com" {
		t.Errorf("%+v", team)
	}
	if bot := must(client.GetBotInfo(slack.GetBotInfoParameters{Bot: BotID}))(t); bot.UserID != BotUser || bot.AppID != AppID {
		t.Errorf("%+v", bot)
	}
	_, err := client.GetBotInfo(slack.GetBotInfoParameters{Bot: "B404"})
	wantCode(t, err, "bot_not_found")
	if absent, err := client.LeaveConversation("C2"); err != nil || !absent {
		t.Errorf("leave: %v, %v", absent, err)
	}
	if _, err := client.LeaveConversation("C1"); err != nil {
		t.Error(err)
	}
	_, _, err = client.PostMessage("C1", slack.MsgOptionText("x", false))
	wantCode(t, err, "not_in_channel")
	s.AddUserGroup(UserGroup{ID: "S1", Handle: "support", Users: []string{"U1"}})
	b := connect(t, s, client, nil)
	s.ChangeUserGroup("S1", func(g *UserGroup) { g.Users = nil })
	s.ChangeUser("U2", func(u *User) { u.Guest = false })
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	events := b.inner()
	if got := s.Events(AppID); !slices.Equal(got, []string{"member_left_channel", "subteam_updated", "user_change"}) {
		t.Fatalf("%v", got)
	}
	if e := events[2].(*slackevents.UserChangeEvent); e.User.ID != "U2" || e.User.IsRestricted {
		t.Errorf("%+v", e)
	}
}

// A tombstone stands where a root with replies was.
func TestTombstone(t *testing.T) {
	s, client := office(t)
	root := s.Message("C1", "U1", "secret question")
	s.Reply("C1", root, "U2", "reply")
	s.Delete("C1", root)
	replies, _, _, err := client.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: "C1", Timestamp: root})
	if err != nil || len(replies) != 2 || replies[0].SubType != "tombstone" || strings.Contains(replies[0].Text, "secret") {
		t.Errorf("%+v, %v", replies, err)
	}
}

func TestOtherBots(t *testing.T) {
	s, client := office(t)
	s.AddUser(User{ID: "U5", Name: "helper", Bot: true, BotID: "B5"})
	s.JoinChannel("C1", "U5", "")
	b := connect(t, s, client, nil)
	s.Mention("C1", "U5", "and you?")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.inner() {
		if m, ok := e.(*slackevents.AppMentionEvent); ok && m.BotID != "B5" {
			t.Errorf("%+v", m)
		}
	}
	if got := must(client.GetBotInfo(slack.GetBotInfoParameters{Bot: "B5"}))(t); got.UserID != "U5" {
		t.Errorf("%+v", got)
	}
}

// Calls, people and breaking sockets at the same time; nothing is lost.
func TestChaos(t *testing.T) {
	s, client := office(t, slacks, PingEvery(5*time.Millisecond), RetryDelays(0, 0, 0, 0, 0, 0))
	var bots []*bot
	for range 3 {
		bots = append(bots, connect(t, s, clientOf(s, BotToken, AppToken), nil))
	}
	if err := s.WaitSocket(short(t), 3); err != nil {
		t.Fatal(err)
	}
	s.Disturb(Disturbance{Times: 10, Repeat: 1})
	s.Disturb(Disturbance{Times: 5, Drop: true})
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 10 {
				ts := s.Mention("C1", "U1", fmt.Sprint(n, i))
				_, mine, err := client.PostMessage("C1", slack.MsgOptionText("answer", false), slack.MsgOptionTS(ts))
				if err == nil {
					_, _, _, err = client.UpdateMessage("C1", mine, slack.MsgOptionText("better", false))
				}
				if err != nil {
					t.Error(err)
				}
				_ = s.Dump()
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			time.Sleep(5 * time.Millisecond)
			if up := s.OpenSockets(); len(up) > 0 {
				up[0].Drop()
			}
		}
	})
	wg.Wait()
	if err := s.WaitSocket(short(t), 1); err != nil { // retries need one
		t.Fatal(err)
	}
	if err := s.Settle(short(t), 3*time.Second); err != nil {
		t.Fatal(err)
	}
	s.Eventually("40 mentions", func() bool {
		got := map[string]bool{}
		for _, b := range bots {
			for _, e := range b.events(socketmode.EventTypeEventsAPI) {
				if m, ok := e.Data.(slackevents.EventsAPIEvent).InnerEvent.Data.(*slackevents.AppMentionEvent); ok {
					got[m.TimeStamp] = true
				}
			}
		}
		return len(got) == 40
	})
	for _, m := range s.FromApps("C1") {
		if m.Shown != "better" || m.Edits != 1 {
			t.Errorf("%+v", m)
		}
	}
}
