package slacktest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

func TestBlocksText(t *testing.T) {
	for _, row := range []struct{ blocks, want string }{
		{`[{"type":"section","text":{"type":"mrkdwn","text":"*a* &amp; <https://x|b>"},"accessory":{"type":"button","text":{"type":"plain_text","text":"Open"},"url":"https://x"}}]`,
			"*a* &amp; <https://x|b> [Open -> https://x]"},
		{`[{"type":"section","fields":[{"type":"mrkdwn","text":"one"},{"type":"mrkdwn","text":"two"}]}]`, "one\ntwo"},
		{`[{"type":"image","alt_text":"a map"},{"type":"divider"}]`, "[image a map]\n---"},
		{`[{"type":"actions","elements":[{"type":"static_select","options":[{"text":{"type":"plain_text","text":"a"}},{"text":{"type":"plain_text","text":"b"}}]}]}]`, "[a|b]"},
		{`[{"type":"input","label":{"type":"plain_text","text":"Why"},"element":{"type":"plain_text_input","action_id":"w"}}]`, "Why: [plain_text_input w]"},
		{`[{"type":"rich_text","elements":[
			{"type":"rich_text_section","elements":[{"type":"user","user_id":"U1"},{"type":"text","text":" in "},{"type":"channel","channel_id":"C1"},{"type":"emoji","name":"eyes"}]},
			{"type":"rich_text_list","elements":[{"type":"rich_text_section","elements":[{"type":"link","url":"https://x","text":"y"}]},{"type":"rich_text_section","elements":[{"type":"broadcast","range":"here"}]}]},
			{"type":"rich_text_quote","elements":[{"type":"usergroup","usergroup_id":"S1"}]},
			{"type":"rich_text_preformatted","elements":[{"type":"text","text":"code"}]}]}]`,
			"<@U1> in <#C1>:eyes:\n- <https://x|y>\n- <!here>\n> <!subteam^S1>\n```\ncode\n```"},
		{`[{"type":"table","rows":[[{"type":"raw_text","text":"a"},{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"b"}]}]}]]}]`, "| a | b |"},
		{`[{"type":"card","title":{"type":"mrkdwn","text":"T"}}]`, "[card T]"},
	} {
		var blocks []any
		if err := json.Unmarshal([]byte(row.blocks), &blocks); err != nil {
			t.Fatal(err)
		}
		if got := blocksText(blocks); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// What a person types gives back the same text from its rich text.
func TestRichBlocksRoundTrip(t *testing.T) {
	for _, text := range []string{"plain", "<@U1> and <#C1> and <!here> and <!subteam^S1>", "<https://a.b/?c=d|label> <https://x>", "a < b"} {
		if got := blocksText(richBlocks("b", strings.ReplaceAll(text, " < ", " &lt; "))); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestDumpOfEverything(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	dm, question := s.DM("U1", "hi")
	_, _, err := client.StartStreamContext(t.Context(), dm, slack.MsgOptionTS(question), slack.MsgOptionChunks(
		slack.NewPlanUpdateChunk("Answering"), slack.NewTaskUpdateChunk("a", "Searching"), slack.NewMarkdownTextChunk("so far")))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SetAssistantThreadsStatus(slack.AssistantThreadsSetStatusParameters{ChannelID: dm, ThreadTS: question, Status: "is reading"}); err != nil {
		t.Fatal(err)
	}
	s.Say(Say{Channel: "C3", User: "U1", Text: "see", Files: []FileData{{Name: "a.txt", Data: []byte("hello")}}})
	settled(t, s, s.Shortcut("U1", "start"))
	if _, err := client.OpenView(interactions(b)[0].TriggerID, slack.ModalViewRequest{Type: slack.VTModal, Title: label("Why"),
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewSectionBlock(label("text"), nil, nil)}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.PublishView("U1", slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewHeaderBlock(label("Welcome"))}}}, ""); err != nil {
		t.Fatal(err)
	}
	want := `== #board (private)
t1 ann:
    see
    [file a.txt, 5 bytes]
== direct message of ann, footnote
t2 ann:
    hi
  t3 footnote (streaming):
      [plan Answering]
      [task Searching pending]
      so far
  (status: is reading)
== home of ann
    # Welcome
== modal of ann: Why
    text
`
	if got := s.Dump(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := s.DumpChannels("C3"); !strings.HasPrefix(want, got) || got == "" {
		t.Errorf("%q", got)
	}
}

func TestSubmissionAnswers(t *testing.T) {
	s, client := office(t)
	next := slack.ModalViewRequest{Type: slack.VTModal, Title: label("Two"), Submit: label("Send"), Blocks: slack.Blocks{BlockSet: []slack.Block{
		slack.NewInputBlock("pick", label("Pick"), nil, slack.NewOptionsSelectBlockElement("static_select", nil, "which",
			slack.NewOptionBlockObject("1", label("first"), nil), slack.NewOptionBlockObject("2", label("second"), nil)))}}}
	answers := []any{slack.NewUpdateViewSubmissionResponse(&next), slack.NewPushViewSubmissionResponse(&next), slack.NewClearViewSubmissionResponse()}
	b := connect(t, s, client, func(b *bot) {
		b.answer = func(e socketmode.Event) any {
			if cb, ok := e.Data.(slack.InteractionCallback); !ok || cb.Type != slack.InteractionTypeViewSubmission {
				return nil
			}
			a := answers[0]
			answers = answers[1:]
			return a
		}
	})
	settled(t, s, s.Shortcut("U1", "start"))
	first := slack.ModalViewRequest{Type: slack.VTModal, Title: label("One"), Submit: label("Send"), Blocks: slack.Blocks{BlockSet: []slack.Block{
		slack.NewInputBlock("why", label("Why"), nil, slack.NewPlainTextInputBlockElement(nil, "reason"))}}}
	if _, err := client.OpenView(interactions(b)[0].TriggerID, first); err != nil {
		t.Fatal(err)
	}
	settled(t, s, s.SubmitModal("U1", map[string]string{"why": "x"}))
	if m, _ := s.Modal("U1"); m.Title != "Two" || m.Text != "Pick: [first|second]" {
		t.Errorf("%+v", m)
	}
	settled(t, s, s.SubmitModal("U1", map[string]string{"which": "second"}))
	state := interactions(b)[2].View.State.Values
	if got := state["pick"]["which"].SelectedOption.Value; got != "2" {
		t.Errorf("%+v", state)
	}
	if m, _ := s.Modal("U1"); m.Title != "Two" || len(s.modals["U1"]) != 2 {
		t.Errorf("%+v", m)
	}
	settled(t, s, s.SubmitModal("U1", nil))
	if _, open := s.Modal("U1"); open {
		t.Error("the modals are not cleared")
	}
}

func TestTwoApps(t *testing.T) {
	s := New(t, Empty(), NoOwnMessages())
	s.AddWorkspace(Workspace{ID: Team, Domain: "acme"})
	s.AddApp(App{ID: "A7", Name: "Seven", BotUser: "U7BOT", BotID: "B7", BotToken: "xoxb-7", AppToken: "xapp-7"})
	s.AddApp(App{ID: "A8", Name: "Eight", BotUser: "U8BOT", BotID: "B8", BotToken: "xoxb-8", AppToken: "xapp-8", Commands: []string{"/eight"}})
	s.AddUser(User{ID: "U1", Name: "ann"})
	s.AddChannel(Channel{ID: "C1", Members: []string{"U1", "U7BOT", "U8BOT"}})
	seven, eight := clientOf(s, "xoxb-7", "xapp-7"), clientOf(s, "xoxb-8", "xapp-8")
	b7, b8 := connect(t, s, seven, nil), connect(t, s, eight, nil)
	s.Mention("C1", "U1", "hi")
	settled(t, s, s.Slash("C1", "U1", "/seven", ""))
	settled(t, s, s.Slash("C1", "U1", "/eight", ""))
	if _, _, err := eight.PostMessage("C1", slack.MsgOptionText("from eight", false)); err != nil {
		t.Fatal(err)
	}
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if n, m := len(b7.inner()), len(b8.inner()); n != 3 || m != 1 {
		t.Errorf("seven got %d events, eight %d: %v, %v", n, m, s.Events("A7"), s.Events("A8"))
	}
	if n, m := len(b7.events(socketmode.EventTypeSlashCommand)), len(b8.events(socketmode.EventTypeSlashCommand)); n != 1 || m != 1 {
		t.Errorf("commands: %d and %d", n, m)
	}
	ts := s.FromApps("C1")[0].TS
	_, _, _, err := seven.UpdateMessage("C1", ts, slack.MsgOptionText("x", false))
	wantCode(t, err, "cant_update_message")
}

func TestMutedAndRaw(t *testing.T) {
	s, client := office(t, slacks)
	b := connect(t, s, client, nil)
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	k := s.OpenSockets()[0]
	if k.Number() != 1 || k.App() != AppID {
		t.Errorf("%d %s", k.Number(), k.App())
	}
	if err := k.Raw(`{"type":`); err != nil {
		t.Fatal(err)
	}
	k.Mute(true)
	s.DM("U1", "lost for now")
	s.Eventually("the event in the hole", func() bool { return k.Sent() == 1 })
	k.Mute(false)
	if err := s.Settle(short(t), 3e9); err != nil {
		t.Fatal(err)
	}
	if got := b.events(socketmode.EventTypeEventsAPI); len(got) != 1 || got[0].Request.RetryAttempt != 1 {
		t.Errorf("%+v", got)
	}
}
