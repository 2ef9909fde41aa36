package discordtest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// TestOthersInThreads is what the intent GuildMembers adds.
func TestOthersInThreads(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.GuildMembers))
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann := srv.Join("ann")
	thread := srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PublicThread, Parent: general, Members: []string{discordtest.BotUser}})
	with, box := connect(t, srv, usual|discordgo.IntentGuildMembers)
	_, without := connect(t, srv, usual)
	bob := srv.Join("bob")
	await(t, box, func(e *discordgo.GuildMemberAdd) bool { return e.User.ID == bob })
	srv.AddToThread(thread, ann)
	await(t, box, func(e *discordgo.ThreadMembersUpdate) bool {
		return len(e.AddedMembers) == 1 && e.AddedMembers[0].UserID == ann && e.MemberCount == 2
	})
	if list, err := with.ThreadMembers(thread, 10, true, ""); err != nil || len(list) != 2 || list[1].Member == nil {
		t.Errorf("members: %v %v", list, err)
	}
	srv.RemoveMember(discordtest.Guild, ann)
	last := srv.Say(general, bob, "x")
	await(t, without, func(m *discordgo.MessageCreate) bool { return m.ID == last })
	if n := without.count("GUILD_MEMBER_ADD") + without.count("THREAD_MEMBERS_UPDATE") + without.count("GUILD_MEMBER_REMOVE"); n != 0 {
		t.Errorf("%d events came without the intent", n)
	}
	if c, _ := srv.Channel(thread); slices.Contains(c.Members, ann) {
		t.Error("who left the guild is still in its thread")
	}
}

// TestIntentsFilter dispatches only what was asked for.
func TestIntentsFilter(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	hidden := srv.AddChannel(discordtest.Channel{Name: "hidden", Overwrites: []discordtest.Overwrite{{ID: discordtest.BotUser, Member: true, Deny: discordtest.ViewChannel}}})
	ann := srv.Join("ann")
	_, box := connect(t, srv, discordgo.IntentGuilds|discordgo.IntentDirectMessages)
	srv.Say(general, ann, "in the guild")
	srv.Say(hidden, ann, "where the bot does not see")
	id := srv.DM(ann, "directly")
	m := await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == id })
	if m.GuildID != "" || m.Member != nil || m.Content != "directly" || box.count("MESSAGE_CREATE") != 1 {
		t.Errorf("%+v and %d messages in all", m.Message, box.count("MESSAGE_CREATE"))
	}
	if n := len(srv.Events("MESSAGE_CREATE")); n != 1 {
		t.Errorf("%d were dispatched, want 1", n)
	}
}

// TestAddresses is for programs that take addresses in place of a transport.
func TestAddresses(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	resp, err := http.Get(srv.APIURL() + "/v9/gateway")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var got struct {
		URL string `json:"url"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.URL != srv.GatewayURL() {
		t.Errorf("%q %v, want %q", got.URL, err, srv.GatewayURL())
	}
}

// TestEditLimit is five edits in five seconds, beside the sends.
func TestEditLimit(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithLimits(discordtest.DiscordLimits()))
	srv.Clock().Freeze()
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	raw(t, srv, "POST", "/channels/"+general+"/messages", `{"content":"x"}`)
	id := srv.FromBot(general)[0].ID
	for i := range 6 {
		r := raw(t, srv, "PATCH", "/channels/"+general+"/messages/"+id, `{"content":"y"}`)
		if (r.StatusCode == 429) != (i == 5) {
			t.Errorf("edit %d: %s", i, r.Status)
		}
	}
	calls := srv.Calls(editRoute)
	if m, _ := srv.MessageByID(id); m.Edits != 5 || calls[5].Status != 429 {
		t.Errorf("%d edits, last call %+v", m.Edits, calls[5])
	}
	srv.Clock().Advance(5 * time.Second)
	if r := raw(t, srv, "PATCH", "/channels/"+general+"/messages/"+id, `{"content":"z"}`); r.StatusCode != 200 {
		t.Errorf("five seconds later: %s", r.Status)
	}
}

// TestPendingMember sees, but does not write.
func TestPendingMember(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann := srv.AddUser(discordtest.User{Name: "ann"})
	srv.AddMember(discordtest.Member{User: ann, Pending: true})
	if p := srv.Permissions(ann, general); !p.Has(discordtest.ViewChannel) || p.Has(discordtest.SendMessages) {
		t.Errorf("pending: %v", p)
	}
	srv.ChangeMember(discordtest.Guild, ann, func(m *discordtest.Member) { m.Pending = false })
	if !srv.Permissions(ann, general).Has(discordtest.SendMessages) {
		t.Error("not pending any more, and still silent")
	}
}
