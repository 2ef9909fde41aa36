package discordtest_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	s := newSession(t, srv, usual)
	if u, err := s.User("@me"); err != nil || u.ID != discordtest.BotUser || !u.Bot {
		t.Errorf("me: %v %v", u, err)
	}
	if g, err := s.GatewayBot(); err != nil || !strings.HasPrefix(g.URL, srv.GatewayURL()) || g.SessionStartLimit.MaxConcurrency != 1 {
		t.Errorf("gateway: %+v %v", g, err)
	}
	if a, err := s.Application("@me"); err != nil || a.ID != discordtest.AppID {
		t.Errorf("application: %v %v", a, err)
	}
	if g, err := s.GuildWithCounts(discordtest.Guild); err != nil || len(g.Roles) != 2 || g.OwnerID != discordtest.Owner || g.ApproximateMemberCount != 2 {
		t.Errorf("guild: %+v %v", g, err)
	}
	if m, err := s.GuildMember(discordtest.Guild, discordtest.BotUser); err != nil || len(m.Roles) != 1 {
		t.Errorf("member: %v %v", m, err)
	}
	if gs, err := s.UserGuilds(10, "", "", false); err != nil || len(gs) != 1 {
		t.Errorf("guilds: %v %v", gs, err)
	}
	other := srv.AddGuild(discordtest.GuildInfo{Name: "other", NoBot: true})
	for what, row := range map[string]struct {
		call   func() error
		status int
		code   int
	}{
		"unknown guild":      {func() error { _, err := s.Guild("99"); return err }, 404, 10004},
		"guild without bot":  {func() error { _, err := s.Guild(other); return err }, 403, 50001},
		"unknown member":     {func() error { _, err := s.GuildMember(discordtest.Guild, "99"); return err }, 404, 10007},
		"unknown user":       {func() error { _, err := s.User("99"); return err }, 404, 10013},
		"members, no intent": {func() error { _, err := s.GuildMembers(discordtest.Guild, "", 10); return err }, 403, 50001},
		"unknown channel":    {func() error { _, err := s.Channel("99"); return err }, 404, 10003},
	} {
		t.Run(what, func(t *testing.T) { refused(t, row.call(), row.status, row.code) })
	}
	srv.SetToken("another")
	if _, err := s.User("@me"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with a dead token: %v", err)
	}
	if _, err := s.Client.Get("https://example.com/"); err == nil {
		t.Error("a request for another host got out")
	}
}

// TestMessageLife sends, edits, lists and deletes.
func TestMessageLife(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	s := newSession(t, srv, usual)
	ask := srv.Mention(general, discordtest.Owner, "how many?")
	sent, err := s.ChannelMessageSendComplex(general, &discordgo.MessageSend{
		Content: "  Twenty [1] ", Reference: &discordgo.MessageReference{MessageID: ask, ChannelID: general}, Flags: discordgo.MessageFlagsSuppressEmbeds,
		Embeds:          []*discordgo.MessageEmbed{{Title: "Sources", Description: "1. Handbook"}},
		Components:      []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "Helpful", CustomID: "up"}}}},
		Files:           []*discordgo.File{{Name: "all sources.md", ContentType: "text/markdown", Reader: strings.NewReader("# Sources")}},
		AllowedMentions: &discordgo.MessageAllowedMentions{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent.Type != discordgo.MessageTypeReply || sent.ReferencedMessage == nil || sent.Content != "Twenty [1]" || len(sent.Attachments) != 1 || len(sent.Components) != 1 {
		t.Errorf("sent: %+v", sent)
	}
	resp, err := s.Client.Get(sent.Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(data) != "# Sources" || sent.Attachments[0].Filename != "all_sources.md" {
		t.Errorf("attachment %s: %q", sent.Attachments[0].Filename, data)
	}
	srv.Clock().Advance(25 * time.Hour)
	if resp, err = s.Client.Get(sent.Attachments[0].URL); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("an address of yesterday: %v %v", resp.Status, err)
	}
	_, err = s.ChannelMessageEdit(general, sent.ID, "too late")
	var late *discordgo.RateLimitError // as discordgo reads every 429
	if !errors.As(err, &late) || late.RetryAfter != 0 || !strings.Contains(late.Message, "older than 1 hour") {
		t.Errorf("an edit of a message of yesterday: %v", err)
	}

	fresh, err := s.ChannelMessageSend(general, "draft")
	if err != nil {
		t.Fatal(err)
	}
	edit := discordgo.NewMessageEdit(general, fresh.ID).SetContent("final")
	edit.AllowedMentions = &discordgo.MessageAllowedMentions{}
	if m, err := s.ChannelMessageEditComplex(edit); err != nil || m.EditedTimestamp == nil || m.Content != "final" {
		t.Errorf("edited: %v %v", m, err)
	}
	m, _ := srv.MessageByID(fresh.ID)
	if m.Edits != 1 || !m.EverShown("draft") || m.Shown != "final" {
		t.Errorf("looked at: %+v", m)
	}
	for query, want := range map[string]int{"all": 3, "before": 2, "after": 1, "around": 2} {
		list := func() ([]*discordgo.Message, error) {
			switch query {
			case "before":
				return s.ChannelMessages(general, 10, fresh.ID, "", "")
			case "after":
				return s.ChannelMessages(general, 10, "", sent.ID, "")
			case "around":
				return s.ChannelMessages(general, 2, "", "", fresh.ID)
			}
			return s.ChannelMessages(general, 10, "", "", "")
		}
		got, err := list()
		if err != nil || len(got) != want || len(got) > 1 && got[0].ID < got[1].ID {
			t.Errorf("%s: %d messages, want %d, the newest first; %v", query, len(got), want, err)
		}
	}
	if err := s.ChannelMessageDelete(general, fresh.ID); err != nil {
		t.Error(err)
	}
	_, err = s.ChannelMessage(general, fresh.ID)
	refused(t, err, 404, 10008)
	if err := s.ChannelTyping(general); err != nil || srv.Typing(general) != 1 {
		t.Errorf("typing: %v", err)
	}
	if err := s.MessageReactionAdd(general, ask, "👀"); err != nil {
		t.Error(err)
	}
	srv.React(discordtest.Owner, ask, "👀")
	if m, _ := srv.MessageByID(ask); len(m.Reactions["👀"]) != 2 {
		t.Errorf("reactions: %v", m.Reactions)
	}
	if err := s.MessageReactionRemove(general, ask, "👀", "@me"); err != nil {
		t.Error(err)
	}
	refused(t, s.MessageReactionAdd(general, ask, "eyes"), 400, 10014)
}

// TestRefusedMessages holds the limits and permissions of sends.
func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	deny := func(p discordtest.Permission) []discordtest.Overwrite {
		return []discordtest.Overwrite{{ID: discordtest.BotRole, Deny: p}}
	}
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	mute := srv.AddChannel(discordtest.Channel{Name: "mute", Overwrites: deny(discordtest.SendMessages)})
	dark := srv.AddChannel(discordtest.Channel{Name: "dark", Overwrites: deny(discordtest.ViewChannel)})
	bare := srv.AddChannel(discordtest.Channel{Name: "bare", Overwrites: deny(discordtest.EmbedLinks | discordtest.AttachFiles | discordtest.ReadMessageHistory)})
	forum := srv.AddChannel(discordtest.Channel{Name: "forum", Kind: discordtest.Forum})
	done := srv.AddChannel(discordtest.Channel{Name: "done", Kind: discordtest.PublicThread, Parent: general, Archived: true, Locked: true})
	others := srv.Say(general, discordtest.Owner, "mine")
	inBare := srv.Say(bare, discordtest.Owner, "mine")
	srv.RefuseDMs(discordtest.Owner, true)
	dm := srv.OpenDM(discordtest.Owner)
	rows := func(n int) []discordgo.MessageComponent {
		var out []discordgo.MessageComponent
		for i := range n {
			out = append(out, discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "x", CustomID: strings.Repeat("x", i+1)}}})
		}
		return out
	}
	button := func(b discordgo.Button) []discordgo.MessageComponent {
		return []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{b}}}
	}
	var many []discordgo.SelectMenuOption
	for i := range 26 {
		many = append(many, discordgo.SelectMenuOption{Label: "x", Value: strings.Repeat("v", i+1)})
	}
	file := []*discordgo.File{{Name: "a.txt", Reader: bytes.NewReader([]byte("a"))}}
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, row := range []struct {
		name    string
		channel string
		send    discordgo.MessageSend
		status  int
		code    int
		tree    string // in the body
	}{
		{"2,000 code points", general, discordgo.MessageSend{Content: strings.Repeat("😀", 2000)}, 0, 0, ""},
		{"2,001 code points", general, discordgo.MessageSend{Content: long(2001)}, 400, 50035, `"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH"`},
		{"empty", general, discordgo.MessageSend{}, 400, 50006, ""},
		{"white space", general, discordgo.MessageSend{Content: " \n "}, 400, 50006, ""},
		{"may not send", mute, discordgo.MessageSend{Content: "x"}, 403, 50013, ""},
		{"does not see", dark, discordgo.MessageSend{Content: "x"}, 403, 50001, ""},
		{"unknown", "99", discordgo.MessageSend{Content: "x"}, 404, 10003, ""},
		{"into a forum", forum, discordgo.MessageSend{Content: "x"}, 400, 50008, ""},
		{"locked", done, discordgo.MessageSend{Content: "x"}, 400, 50083, ""},
		{"closed direct messages", dm, discordgo.MessageSend{Content: "x"}, 403, 50007, ""},
		{"embed not allowed", bare, discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{{Title: "x"}}}, 403, 50013, ""},
		{"file not allowed", bare, discordgo.MessageSend{Files: file}, 403, 50013, ""},
		{"reply without history", bare, discordgo.MessageSend{Content: "x", Reference: &discordgo.MessageReference{MessageID: inBare}}, 403, 160002, ""},
		{"reply to nothing", general, discordgo.MessageSend{Content: "x", Reference: &discordgo.MessageReference{MessageID: "99"}}, 400, 50035, "REPLIES_UNKNOWN_MESSAGE"},
		{"ephemeral", general, discordgo.MessageSend{Content: "x", Flags: discordgo.MessageFlagsEphemeral}, 400, 50035, "EPHEMERAL"},
		{"long embed", general, discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{{Description: long(4097)}}}, 400, 50035, `"description":{"_errors"`},
		{"embeds of 6,001", general, discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{{Description: long(4000)}, {Description: long(2001)}}}, 400, 50035, "MAX_EMBED_SIZE_EXCEEDED"},
		{"11 embeds", general, discordgo.MessageSend{Embeds: make([]*discordgo.MessageEmbed, 0, 11)}, 400, 50006, ""},
		{"5 rows", general, discordgo.MessageSend{Content: "x", Components: rows(5)}, 0, 0, ""},
		{"6 rows", general, discordgo.MessageSend{Content: "x", Components: rows(6)}, 400, 50035, `"components":{"_errors"`},
		{"custom_id of 101", general, discordgo.MessageSend{Content: "x", Components: button(discordgo.Button{Label: "x", CustomID: long(101)})}, 400, 50035, `"custom_id":{"_errors"`},
		{"no custom_id", general, discordgo.MessageSend{Content: "x", Components: button(discordgo.Button{Label: "x"})}, 400, 50035, "custom_id"},
		{"custom_id twice", general, discordgo.MessageSend{Content: "x", Components: append(rows(1), rows(1)...)}, 400, 50035, "CUSTOM_ID_DUPLICATED"},
		{"no label", general, discordgo.MessageSend{Content: "x", Components: button(discordgo.Button{CustomID: "x"})}, 400, 50035, "MISSING_LABEL"},
		{"link with custom_id", general, discordgo.MessageSend{Content: "x", Components: button(discordgo.Button{Label: "x", Style: discordgo.LinkButton, URL: "https://a.example", CustomID: "x"})}, 400, 50035, "CUSTOM_ID_AND_URL"},
		{"select of 26", general, discordgo.MessageSend{Content: "x", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "s", Options: many}}}}}, 400, 50035, `"options":{"_errors"`},
		{"text display without the flag", general, discordgo.MessageSend{Content: "x", Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "x"}}}, 400, 50035, "UNION_TYPE_CHOICES"},
		{"text display with content", general, discordgo.MessageSend{Content: "x", Flags: discordgo.MessageFlagsIsComponentsV2,
			Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "x"}}}, 400, 50035, "LEGACY_FIELDS"},
		{"text display", general, discordgo.MessageSend{Flags: discordgo.MessageFlagsIsComponentsV2, Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "x"}}}, 0, 0, ""},
		{"both ways to allow", general, discordgo.MessageSend{Content: "x", AllowedMentions: &discordgo.MessageAllowedMentions{
			Parse: []discordgo.AllowedMentionType{discordgo.AllowedMentionTypeUsers}, Users: []string{"1"}}}, 400, 50035, "PARSE_EXCLUSIVE"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSession(t, srv, usual)
			_, err := s.ChannelMessageSendComplex(row.channel, &row.send)
			if row.code == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if rest := refused(t, err, row.status, row.code); !strings.Contains(string(rest.ResponseBody), row.tree) {
				t.Errorf("body %s, want %s in it", rest.ResponseBody, row.tree)
			}
		})
	}
	s := newSession(t, srv, usual)
	_, err := s.ChannelMessageEdit(general, others, "stolen")
	refused(t, err, 403, 50005)
	refused(t, s.ChannelMessageDelete(general, others), 403, 50013)
	if got, err := s.ChannelMessages(bare, 10, "", "", ""); err != nil || len(got) != 0 {
		t.Errorf("without history: %d messages, %v", len(got), err)
	}
	srv.Timeout(discordtest.BotUser, time.Hour)
	_, err = s.ChannelMessageSend(general, "x")
	refused(t, err, 403, 50013)
}

// TestMentions holds who would be notified.
func TestMentions(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.BotMay(discordtest.BotDefault|discordtest.MentionEveryone))
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann := srv.Join("ann")
	ask := srv.Say(general, ann, "?")
	s := newSession(t, srv, usual)
	text := "<@" + ann + "> @everyone <@&" + discordtest.BotRole + ">"
	reply := &discordgo.MessageReference{MessageID: ask}
	type am = discordgo.MessageAllowedMentions
	for _, row := range []struct {
		name     string
		send     discordgo.MessageSend
		users    int
		roles    int
		everyone bool
	}{
		{"not sent: everything", discordgo.MessageSend{Content: text}, 1, 1, true},
		{"empty: nothing", discordgo.MessageSend{Content: text, AllowedMentions: &am{}}, 0, 0, false},
		{"users only", discordgo.MessageSend{Content: text, AllowedMentions: &am{Parse: []discordgo.AllowedMentionType{"users"}}}, 1, 0, false},
		{"another user", discordgo.MessageSend{Content: text, AllowedMentions: &am{Users: []string{discordtest.Owner}}}, 0, 0, false},
		{"reply, not sent", discordgo.MessageSend{Content: "x", Reference: reply}, 1, 0, false},
		{"reply, empty", discordgo.MessageSend{Content: "x", Reference: reply, AllowedMentions: &am{}}, 0, 0, false},
		{"reply, allowed", discordgo.MessageSend{Content: "x", Reference: reply, AllowedMentions: &am{RepliedUser: true}}, 1, 0, false},
		{"broken by a joiner", discordgo.MessageSend{Content: "@\u2060everyone <@\u2060" + ann + ">"}, 0, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := s.ChannelMessageSendComplex(general, &row.send); err != nil {
				t.Fatal(err)
			}
			posts := srv.Posts()
			p := posts[len(posts)-1]
			if len(p.Users) != row.users || len(p.Roles) != row.roles || p.Everyone != row.everyone || (p.Allowed == nil) != (row.send.AllowedMentions == nil) {
				t.Errorf("%+v", p)
			}
		})
	}
	if n := len(srv.Notified()); n != 4 {
		t.Errorf("%d posts notify, want 4", n)
	}
	m, err := s.ChannelMessageSendComplex(general, &discordgo.MessageSend{Content: "x", AllowedMentions: &am{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ChannelMessageEdit(general, m.ID, "<@"+ann+">"); err != nil {
		t.Fatal(err)
	}
	if n := srv.Notified(); len(n) != 5 || n[4].How != "edit" {
		t.Errorf("an edit without allowed_mentions: %+v", n)
	}
}
