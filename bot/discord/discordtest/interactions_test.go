package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// stage is a guild with a channel, a person, commands and a connected client.
type stage struct {
	srv     *discordtest.Server
	s       *discordgo.Session
	box     *inbox
	general string
	ann     string
}

func newStage(t *testing.T) stage {
	t.Helper()
	t.Parallel()
	srv := discordtest.New(t)
	st := stage{srv: srv, general: srv.AddChannel(discordtest.Channel{Name: "general"}), ann: srv.Join("ann")}
	st.s, st.box = connect(t, srv, usual)
	if _, err := st.s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", askCommands()); err != nil {
		t.Fatal(err)
	}
	return st
}

func (st stage) interaction(t *testing.T, id string) *discordgo.Interaction {
	t.Helper()
	return await(t, st.box, func(i *discordgo.InteractionCreate) bool { return i.ID == id }).Interaction
}

func (st stage) respond(t *testing.T, i *discordgo.Interaction, kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
	t.Helper()
	if err := st.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: kind, Data: data}); err != nil {
		t.Fatal(err)
	}
}

func TestSlash(t *testing.T) {
	st := newStage(t)
	id := st.srv.Slash(st.general, st.ann, "ask", discordtest.Options{"question": "how many?", "show": true, "whom": st.ann,
		"file": discordtest.File{Name: "a.txt", Data: []byte("abc")}})
	i := st.interaction(t, id)
	data := i.ApplicationCommandData()
	if i.Member == nil || i.Member.User.ID != st.ann || i.Member.Permissions&discordgo.PermissionSendMessages == 0 || i.GuildID != discordtest.Guild {
		t.Errorf("member: %+v", i.Member)
	}
	if i.AppPermissions != int64(st.srv.Permissions(discordtest.BotUser, st.general)) || i.Context != discordgo.InteractionContextGuild {
		t.Errorf("app_permissions %d, context %d", i.AppPermissions, i.Context)
	}
	if data.GetOption("question").StringValue() != "how many?" || !data.GetOption("show").BoolValue() || data.Resolved.Users[st.ann] == nil {
		t.Errorf("data: %+v", data)
	}
	if a := data.Resolved.Attachments[data.GetOption("file").Value.(string)]; a == nil || a.Size != 3 {
		t.Errorf("attachment: %+v", a)
	}
	ephemeral := &discordgo.InteractionResponseData{Flags: discordgo.MessageFlagsEphemeral}
	st.respond(t, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, ephemeral)
	if !strings.Contains(st.srv.Dump(), "footnote (only for ann) (thinking):") {
		t.Errorf("while thinking:\n%s", st.srv.Dump())
	}
	refused(t, st.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: 4, Data: &discordgo.InteractionResponseData{Content: "x"}}), 400, 40060)
	text := "Twenty."
	m, err := st.s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text, AllowedMentions: &discordgo.MessageAllowedMentions{}})
	if err != nil || m.Flags&discordgo.MessageFlagsEphemeral == 0 || m.Flags&discordgo.MessageFlagsLoading != 0 {
		t.Fatalf("%+v %v", m, err)
	}
	if _, err := st.s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "<@" + st.ann + "> more", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
		t.Fatal(err)
	}
	if got := st.srv.Ephemerals(st.ann); len(got) != 2 || got[0].Content != text || got[0].Edits != 0 {
		t.Errorf("ephemerals: %+v", got)
	}
	if len(st.srv.FromBot(st.general)) != 0 || strings.Contains(st.srv.DumpFor(discordtest.Owner), "Twenty") || !strings.Contains(st.srv.DumpFor(st.ann), "Twenty") {
		t.Errorf("who sees what:\n%s", st.srv.Dump())
	}
	if n := st.srv.Notified(); len(n) != 1 || n[0].How != "followup" || n[0].To != st.ann {
		t.Errorf("notified: %+v", n)
	}
	if n := st.box.count("MESSAGE_CREATE"); n != 0 {
		t.Errorf("%d ephemeral messages came over the gateway", n)
	}
	_, err = st.s.ChannelMessageEdit(st.general, m.ID, "x")
	refused(t, err, 404, 10008)
	st.srv.Clock().Advance(16 * time.Minute)
	_, err = st.s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text})
	refused(t, err, 401, 50027)
}

func TestFirstAnswer(t *testing.T) {
	st := newStage(t)
	ask := func() *discordgo.Interaction {
		return st.interaction(t, st.srv.Slash(st.general, st.ann, "ask", discordtest.Options{"question": "?"}))
	}
	i := ask()
	text := "x"
	_, err := st.s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text})
	refused(t, err, 404, 10015) // before the first answer
	answer := func(i *discordgo.Interaction, kind discordgo.InteractionResponseType, content string) error {
		return st.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: kind, Data: &discordgo.InteractionResponseData{Content: content}})
	}
	refused(t, answer(i, discordgo.InteractionResponseUpdateMessage, "x"), 400, 50035)
	refused(t, answer(i, discordgo.InteractionApplicationCommandAutocompleteResult, "x"), 400, 50035)
	refused(t, answer(i, discordgo.InteractionResponseChannelMessageWithSource, ""), 400, 50006)
	refused(t, answer(i, discordgo.InteractionResponseChannelMessageWithSource, strings.Repeat("x", 2001)), 400, 50035)
	st.srv.Clock().Advance(3500 * time.Millisecond)
	refused(t, answer(i, discordgo.InteractionResponseChannelMessageWithSource, "late"), 404, 10062)
	if got, _ := st.srv.Interaction(i.ID); !got.Failed || got.Response != 0 {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(st.srv.Dump(), "== only for ann: footnote did not respond to ask") {
		t.Errorf("the dump hides it:\n%s", st.srv.Dump())
	}
	i = ask()
	st.respond(t, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
	m, err := st.s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "in place of thinking"})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := st.srv.Interaction(i.ID)
	if got.Message != m.ID || len(st.srv.FromBot(st.general)) != 1 {
		t.Errorf("the first follow-up is a message of its own: %+v", got)
	}
	await(t, st.box, func(m *discordgo.MessageCreate) bool { return m.WebhookID == discordtest.AppID && m.Interaction != nil })
	if err := st.s.InteractionResponseDelete(i); err != nil {
		t.Error(err)
	}
	_, err = st.s.InteractionResponse(i)
	refused(t, err, 404, 10008)
}

func TestComplete(t *testing.T) {
	st := newStage(t)
	id := st.srv.Autocomplete(st.general, st.ann, "ask", "question", discordtest.Options{"question": "how"})
	i := st.interaction(t, id)
	if o := i.ApplicationCommandData().GetOption("question"); i.Type != discordgo.InteractionApplicationCommandAutocomplete || !o.Focused || o.StringValue() != "how" {
		t.Errorf("%+v", o)
	}
	st.respond(t, i, discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{
		Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "how many?", Value: "how many?"}}})
	if got, _ := st.srv.Interaction(id); len(got.Choices) != 1 || got.Choices[0].Name != "how many?" {
		t.Errorf("%+v", got)
	}
	i = st.interaction(t, st.srv.Autocomplete(st.general, st.ann, "ask", "question", discordtest.Options{"question": ""}))
	var many []*discordgo.ApplicationCommandOptionChoice
	for range 26 {
		many = append(many, &discordgo.ApplicationCommandOptionChoice{Name: "x", Value: "x"})
	}
	refused(t, st.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: 8, Data: &discordgo.InteractionResponseData{Choices: many}}), 400, 50035)
}

func TestContextMenuAndModal(t *testing.T) {
	st := newStage(t)
	target := st.srv.Say(st.general, discordtest.Owner, "We have twenty days.")
	i := st.interaction(t, st.srv.ContextMenu(st.general, st.ann, "Ask about this", target))
	data := i.ApplicationCommandData()
	if data.TargetID != target || data.Resolved.Messages[target].Content != "We have twenty days." {
		t.Errorf("%+v", data)
	}
	st.respond(t, i, discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "ask:1", Title: "Ask", Components: []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{CustomID: "q", Label: "Question", Style: discordgo.TextInputShort, Required: true}}}}})
	title, custom, fields, open := st.srv.Modal(st.ann)
	if title != "Ask" || custom != "ask:1" || fields["q"] != "Question" || !open {
		t.Errorf("modal: %q %q %v %v", title, custom, fields, open)
	}
	if !strings.Contains(st.srv.DumpFor(st.ann), "== modal of ann: Ask") || strings.Contains(st.srv.DumpFor(discordtest.Owner), "modal") {
		t.Error("the modal is ann's alone")
	}
	i = st.interaction(t, st.srv.SubmitModal(st.ann, map[string]string{"q": "why?"}))
	row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
	if in := row.Components[0].(*discordgo.TextInput); in.CustomID != "q" || in.Value != "why?" {
		t.Errorf("%+v", in)
	}
	refused(t, st.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal}), 400, 50035)
	st.respond(t, i, discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "Because."})
	if _, _, _, open := st.srv.Modal(st.ann); open {
		t.Error("the modal is still open")
	}
	kinds := ""
	for _, i := range st.srv.Interactions() {
		kinds += i.Kind + " " + i.Name + "; "
	}
	if kinds != "menu Ask about this; modal ask:1; " {
		t.Errorf("interactions: %s", kinds)
	}
}

func TestComponents(t *testing.T) {
	st := newStage(t)
	m, err := st.s.ChannelMessageSendComplex(st.general, &discordgo.MessageSend{Content: "Twenty.", Components: []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Helpful", CustomID: "up:1"}, discordgo.Button{Label: "Web", Style: discordgo.LinkButton, URL: "https://a.example"}}},
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "src", Placeholder: "Sources",
			Options: []discordgo.SelectMenuOption{{Label: "Handbook", Value: "1"}}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	i := st.interaction(t, st.srv.Click(st.ann, m.ID, "Helpful"))
	if i.MessageComponentData().CustomID != "up:1" || i.Message.ID != m.ID || i.Message.Content != "Twenty." {
		t.Errorf("%+v", i.Message)
	}
	st.respond(t, i, discordgo.InteractionResponseDeferredMessageUpdate, nil)
	if _, err := st.s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "Thanks", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
		t.Fatal(err)
	}
	i = st.interaction(t, st.srv.Select(st.ann, m.ID, "src", "Handbook"))
	if v := i.MessageComponentData().Values; len(v) != 1 || v[0] != "1" {
		t.Errorf("values %v", v)
	}
	st.respond(t, i, discordgo.InteractionResponseUpdateMessage, &discordgo.InteractionResponseData{Content: "Handbook: twenty."})
	got, _ := st.srv.MessageByID(m.ID)
	if got.Content != "Handbook: twenty." || got.Edits != 1 || len(got.Buttons) != 0 {
		t.Errorf("%+v", got)
	}
	if e := st.srv.Ephemerals(st.ann); len(e) != 1 || e[0].Content != "Thanks" {
		t.Errorf("%+v", e)
	}
}

// TestWhoMayUseCommands follows contexts and permissions.
func TestWhoMayUseCommands(t *testing.T) {
	st := newStage(t)
	i := st.interaction(t, st.srv.Slash(st.srv.OpenDM(st.ann), st.ann, "ask", discordtest.Options{"question": "?"}))
	if i.Member != nil || i.User == nil || i.User.ID != st.ann || i.GuildID != "" || i.Context != discordgo.InteractionContextBotDM {
		t.Errorf("in a direct message: %+v", i)
	}
	i = st.interaction(t, st.srv.Slash(st.general, discordtest.Owner, "footnote config", discordtest.Options{"mode": "all"}))
	sub := i.ApplicationCommandData().Options[0]
	if sub.Name != "config" || sub.Options[0].StringValue() != "all" {
		t.Errorf("%+v", sub)
	}
	other, err := discordtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	s := newSession(t, other, usual)
	if _, err := s.ApplicationCommandBulkOverwrite(discordtest.AppID, "", askCommands()); err != nil {
		t.Fatal(err)
	}
	general, ann := other.AddChannel(discordtest.Channel{Name: "general"}), other.Join("ann")
	other.Slash(general, ann, "footnote config", discordtest.Options{"mode": "all"})
	other.Slash(general, discordtest.Owner, "footnote config", discordtest.Options{"mode": "none"})
	other.Slash(general, ann, "ask", nil)
	private(t, other, general, ann)
	for _, want := range []string{"owner cannot see message", "ann cannot see that command", "none of the choices", `"question" is required`} {
		if err := other.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Err lacks %q: %v", want, err)
		}
	}
}

// private lets the owner press a button that only ann sees.
func private(t *testing.T, srv *discordtest.Server, channel, ann string) {
	t.Helper()
	s, box := connect(t, srv, usual)
	id := srv.Slash(channel, ann, "ask", discordtest.Options{"question": "?"})
	i := await(t, box, func(i *discordgo.InteractionCreate) bool { return i.ID == id })
	if err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: "for ann", Flags: discordgo.MessageFlagsEphemeral, Components: []discordgo.MessageComponent{
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Share", CustomID: "share"}}}}}}); err != nil {
		t.Fatal(err)
	}
	mine := srv.Ephemerals(ann)[0].ID
	if srv.Click(discordtest.Owner, mine, "Share") != "" || srv.Click(ann, mine, "Share") == "" {
		t.Error("the button is ann's alone")
	}
	srv.Dismiss(ann, mine)
	if strings.Contains(srv.DumpFor(ann), "    for ann\n") {
		t.Errorf("dismissed, and still there:\n%s", srv.DumpFor(ann))
	}
}

// TestDump is the whole picture of a small guild.
func TestDump(t *testing.T) {
	st := newStage(t)
	ask := st.srv.Mention(st.general, st.ann, "how many?")
	th, err := st.s.MessageThreadStart(st.general, ask, "how many?", 1440)
	if err != nil {
		t.Fatal(err)
	}
	m, err := st.s.ChannelMessageSendComplex(th.ID, &discordgo.MessageSend{Content: "Twen", AllowedMentions: &discordgo.MessageAllowedMentions{}})
	if err != nil {
		t.Fatal(err)
	}
	edit := discordgo.NewMessageEdit(th.ID, m.ID).SetContent("Twenty [1].\n[1] Handbook")
	edit.AllowedMentions = &discordgo.MessageAllowedMentions{}
	edit.Components = &[]discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Helpful", CustomID: "up"}}}}
	if _, err := st.s.ChannelMessageEditComplex(edit); err != nil {
		t.Fatal(err)
	}
	await(t, st.box, func(e *discordgo.MessageUpdate) bool { return e.ID == m.ID })
	gone := st.srv.Reply(th.ID, st.ann, m.ID, "oops")
	st.srv.Delete(gone)
	await(t, st.box, func(e *discordgo.MessageDelete) bool { return e.ID == gone })
	st.srv.React(st.ann, m.ID, "👍")
	want := `== #general
m1 ann:
    <@2002> how many?
== #general > how many?
m2 footnote (edited 1):
    Twenty [1].
    [1] Handbook
    [Helpful]
    👍 ann
m3 ann (to m2) (deleted):
`
	if got := st.srv.Dump(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if n := st.srv.Notified(); len(n) != 0 {
		t.Errorf("notified: %+v", n)
	}
}
