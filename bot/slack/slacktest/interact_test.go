package slacktest

import (
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

func label(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject("plain_text", s, false, false)
}

func interactions(b *bot) []slack.InteractionCallback {
	var out []slack.InteractionCallback
	for _, e := range b.events(socketmode.EventTypeInteractive) {
		out = append(out, e.Data.(slack.InteractionCallback))
	}
	return out
}

func TestSlash(t *testing.T) {
	s, client := office(t, slacks)
	b := connect(t, s, client, func(b *bot) {
		command := func(e socketmode.Event) string { cmd, _ := e.Data.(slack.SlashCommand); return cmd.Text }
		b.silent = func(e socketmode.Event) bool { return command(e) == "nothing" }
		b.answer = func(e socketmode.Event) any {
			if command(e) == "" {
				return nil
			}
			return map[string]any{"text": "looking"}
		}
	})
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	settled(t, s, s.Slash("C1", "U1", "/ask", s.EscapeNames("who is @ann in #general")))
	cmd := b.events(socketmode.EventTypeSlashCommand)[0].Data.(slack.SlashCommand)
	if cmd.Command != "/ask" || cmd.Text != "who is <@U1|ann> in <#C1|general>" || cmd.UserID != "U1" || cmd.TeamDomain != "acme" {
		t.Errorf("%+v", cmd)
	}
	if got := s.Ephemerals("U1"); len(got) != 1 || got[0].Shown != "looking" {
		t.Errorf("%+v", got)
	}
	post := func(kind string) error {
		_, _, err := client.PostMessage("", slack.MsgOptionText("answer", false), slack.MsgOptionResponseURL(cmd.ResponseURL, kind))
		return err
	}
	for n, kind := range []string{slack.ResponseTypeEphemeral, slack.ResponseTypeInChannel, slack.ResponseTypeEphemeral, "", ""} {
		if err := post(kind); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := post(""); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("the sixth use: %v", err)
	}
	if len(s.Ephemerals("U1")) != 5 || len(s.FromApps("C1")) != 1 {
		t.Error(s.Dump())
	}
	id := s.Slash("C1", "U1", "/ask", "nothing")
	s.Eventually("the command at the bot", func() bool { return len(b.events(socketmode.EventTypeSlashCommand)) == 2 })
	s.Clock().Advance(3 * time.Second)
	if d := settled(t, s, id); !d.Lost || len(d.Attempts) != 1 {
		t.Errorf("%+v", d)
	}
	last := s.Ephemerals("U1")[5]
	if !strings.Contains(last.Shown, "operation_timeout") || last.App != "" {
		t.Errorf("%+v", last)
	}
	late := b.events(socketmode.EventTypeSlashCommand)[1].Data.(slack.SlashCommand)
	s.Clock().Advance(31 * time.Minute)
	if _, _, err := client.PostMessage("", slack.MsgOptionText("x", false), slack.MsgOptionResponseURL(late.ResponseURL, "")); err == nil {
		t.Error("a response_url works after 31 minutes")
	}
	if calls := s.Calls("response_url"); calls[len(calls)-1].Error != "expired_url" {
		t.Errorf("%+v", calls)
	}
}

func TestClick(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	feedback := slack.NewFeedbackButtonsBlockElement("vote", slack.NewFeedbackButton(label("Good"), "up"), slack.NewFeedbackButton(label("Bad"), "down"))
	_, ts, err := client.PostMessage("C1", slack.MsgOptionText("answer", false), slack.MsgOptionBlocks(
		slack.NewMarkdownBlock("", "answer"), slack.NewContextActionsBlock("fb", feedback),
		slack.NewActionBlock("", slack.NewButtonBlockElement("share", "id-7", label("Share")))))
	if err != nil {
		t.Fatal(err)
	}
	settled(t, s, s.Click("U1", "C1", ts, "Bad"))
	settled(t, s, s.Click("U2", "C1", ts, "share"))
	got := interactions(b)
	if a := got[0].ActionCallback.BlockActions[0]; got[0].Type != "block_actions" || got[0].User.ID != "U1" || a.ActionID != "vote" || a.Value != "down" ||
		a.BlockID != "fb" || got[0].Container.MessageTs != ts || got[0].Message.Timestamp != ts || got[0].Channel.ID != "C1" {
		t.Errorf("%+v", got[0])
	}
	if a := got[1].ActionCallback.BlockActions[0]; a.Value != "id-7" || a.BlockID == "" {
		t.Errorf("%+v", got[1])
	}
	if _, _, err := client.PostMessage("", slack.MsgOptionText("replaced", false), slack.MsgOptionReplaceOriginal(got[1].ResponseURL)); err != nil {
		t.Fatal(err)
	}
	if m, _ := s.MessageAt("C1", ts); m.Shown != "replaced" || !m.EverShown("[Good] [Bad]") {
		t.Errorf("%+v", m)
	}
	eph, err := client.PostEphemeral("C1", "U1", slack.MsgOptionBlocks(slack.NewActionBlock("", slack.NewButtonBlockElement("private", "", label("Answer privately")))))
	if err != nil {
		t.Fatal(err)
	}
	settled(t, s, s.Click("U1", "C1", eph, "Answer privately"))
	last := interactions(b)[2]
	if !last.Container.IsEphemeral || last.Message.Timestamp != "" {
		t.Errorf("%+v", last.Container)
	}
	if _, _, err := client.PostMessage("", slack.MsgOptionDeleteOriginal(last.ResponseURL)); err != nil {
		t.Fatal(err)
	}
	if m := s.Ephemerals("U1")[0]; !m.Deleted {
		t.Errorf("%+v", m)
	}
}

func TestShortcutModalAndSubmission(t *testing.T) {
	s, client := office(t, slacks)
	answers := []any{slack.NewErrorsViewSubmissionResponse(map[string]string{"why": "say more"}), nil}
	b := connect(t, s, client, func(b *bot) {
		b.answer = func(e socketmode.Event) any {
			cb, ok := e.Data.(slack.InteractionCallback)
			if !ok || cb.Type != slack.InteractionTypeViewSubmission {
				return nil
			}
			a := answers[0]
			answers = answers[1:]
			return a
		}
	})
	ts := s.Message("C1", "U2", "what is this?")
	settled(t, s, s.MessageShortcut("U1", "ask_message", "C1", ts))
	cb := interactions(b)[0]
	if cb.Type != slack.InteractionTypeMessageAction || cb.CallbackID != "ask_message" || cb.Message.Text != "what is this?" || cb.MessageTs != ts {
		t.Errorf("%+v", cb)
	}
	input := slack.NewInputBlock("why", label("Why"), nil, slack.NewPlainTextInputBlockElement(nil, "reason"))
	view := slack.ModalViewRequest{Type: slack.VTModal, Title: label("Reason"), CallbackID: "reason", PrivateMetadata: "turn-1",
		Blocks: slack.Blocks{BlockSet: []slack.Block{input}}}
	_, err := client.OpenView(cb.TriggerID, view)
	wantCode(t, err, "invalid_arguments") // an input without submit
	view.Submit = label("Send")
	if _, err = client.OpenView(cb.TriggerID, view); err != nil {
		t.Fatal(err)
	}
	_, err = client.OpenView(cb.TriggerID, view)
	wantCode(t, err, "exchanged_trigger_id")
	settled(t, s, s.SubmitModal("U1", map[string]string{"reason": "no"}))
	modal, open := s.Modal("U1")
	if !open || modal.Errors["why"] != "say more" || modal.Text != "Why: [plain_text_input reason]" {
		t.Errorf("%+v", modal)
	}
	settled(t, s, s.SubmitModal("U1", map[string]string{"why": "because"}))
	sub := interactions(b)[2]
	if sub.View.State.Values["why"]["reason"].Value != "because" || sub.View.PrivateMetadata != "turn-1" {
		t.Errorf("%+v", sub.View)
	}
	if _, open = s.Modal("U1"); open {
		t.Error("the modal is still open")
	}
	settled(t, s, s.Shortcut("U1", "anything"))
	late := interactions(b)[3]
	s.Clock().Advance(4 * time.Second)
	_, err = client.OpenView(late.TriggerID, view)
	wantCode(t, err, "expired_trigger_id")
}

func TestHome(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{
		slack.NewHeaderBlock(label("Footnote")), slack.NewActionBlock("", slack.NewButtonBlockElement("sync", "", label("Sync")))}}}
	first, err := client.PublishView("U1", view, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.PublishView("U1", view, first.Hash); err != nil {
		t.Fatal(err)
	}
	_, err = client.PublishView("U1", view, first.Hash)
	wantCode(t, err, "hash_conflict")
	s.OpenHome("U1", "home")
	settled(t, s, s.ClickHome("U1", "Sync"))
	if home, ok := s.Home("U1"); !ok || home.Text != "# Footnote\n[Sync]" {
		t.Errorf("%+v", home)
	}
	if cb := interactions(b)[0]; cb.Container.Type != "view" || cb.View.Type != slack.VTHomeTab {
		t.Errorf("%+v", cb)
	}
}
