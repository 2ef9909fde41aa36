package discordtest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

func TestThreads(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	news := srv.AddChannel(discordtest.Channel{Name: "news", Kind: discordtest.Announcement})
	ann := srv.Join("ann")
	s, box := connect(t, srv, usual)
	ask := srv.Mention(general, ann, "how many?")
	start := &discordgo.ThreadStart{Name: "how many?", AutoArchiveDuration: 1440}
	th, err := s.MessageThreadStartComplex(general, ask, start)
	if err != nil || th.ID != ask || th.ParentID != general || th.OwnerID != discordtest.BotUser || th.ThreadMetadata == nil {
		t.Fatalf("thread: %+v %v", th, err)
	}
	await(t, box, func(e *discordgo.ThreadCreate) bool { return e.ID == ask && e.NewlyCreated })
	_, err = s.MessageThreadStartComplex(general, ask, start)
	refused(t, err, 400, 160004)
	start.Name = strings.Repeat("x", 101)
	_, err = s.MessageThreadStartComplex(general, srv.Say(general, ann, "x"), start)
	refused(t, err, 400, 50035)
	if _, err := s.ChannelMessageSend(ask, "twenty"); err != nil {
		t.Fatal(err)
	}
	srv.Say(ask, ann, "thanks")
	if c, _ := srv.Channel(ask); !slices.Contains(c.Members, ann) || !slices.Contains(c.Members, discordtest.BotUser) {
		t.Errorf("members: %v", c.Members)
	}
	if c, err := s.State.Channel(ask); err != nil || len(c.PermissionOverwrites) != 0 {
		t.Errorf("a thread has no overwrites of its own: %v %v", c, err)
	}
	active, err := s.GuildThreadsActive(discordtest.Guild)
	if err != nil || len(active.Threads) != 1 || len(active.Members) != 1 {
		t.Errorf("active: %+v %v", active, err)
	}
	if th, err = s.ThreadStart(news, "talk", discordgo.ChannelTypeGuildNewsThread, 60); err != nil || th.Type != discordgo.ChannelTypeGuildNewsThread {
		t.Errorf("thread of an announcement channel: %+v %v", th, err)
	}
	_, err = s.ThreadStart(general, "private", discordgo.ChannelTypeGuildPrivateThread, 60)
	if err != nil {
		t.Fatal(err) // @everyone may by default
	}
	closed := true
	if _, err := s.ChannelEditComplex(ask, &discordgo.ChannelEdit{Archived: &closed}); err != nil {
		t.Fatal(err)
	}
	await(t, box, func(e *discordgo.ThreadUpdate) bool { return e.ID == ask && e.ThreadMetadata.Archived })
	if list, err := s.ThreadsArchived(general, nil, 10); err != nil || len(list.Threads) != 1 {
		t.Errorf("archived: %+v %v", list, err)
	}
	srv.Say(ask, ann, "one more") // unarchives
	await(t, box, func(e *discordgo.ThreadUpdate) bool { return e.ID == ask && !e.ThreadMetadata.Archived })
	srv.DeleteChannel(general)
	await(t, box, func(e *discordgo.ThreadDelete) bool { return e.ID == ask })
	await(t, box, func(e *discordgo.ChannelDelete) bool { return e.ID == general })
	_, err = s.ChannelMessageSend(ask, "gone")
	refused(t, err, 404, 10003)
}

func TestPrivateThreads(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann, bob := srv.Join("ann"), srv.Join("bob")
	secret := srv.AddChannel(discordtest.Channel{Name: "secret", Kind: discordtest.PrivateThread, Parent: general, Owner: ann})
	s, box := connect(t, srv, usual)
	_, err := s.Channel(secret)
	refused(t, err, 403, 50001)
	unseen := srv.Say(secret, ann, "unseen")
	srv.AddToThread(secret, discordtest.BotUser)
	await(t, box, func(e *discordgo.ThreadCreate) bool { return e.ID == secret })
	await(t, box, func(e *discordgo.ThreadMemberUpdate) bool { return e.ID == secret })
	seen := srv.Mention(secret, ann, "seen")
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == seen })
	if n := len(slices.DeleteFunc(srv.Events("MESSAGE_CREATE"), func(e discordtest.Sent) bool { return !strings.Contains(string(e.Data), unseen) })); n != 0 {
		t.Error("a message of a thread without the bot was dispatched")
	}
	if _, err := s.ThreadMember(secret, ann, false); err != nil {
		t.Error(err)
	}
	_, err = s.ThreadMember(secret, bob, false)
	refused(t, err, 404, 10007)
	_, err = s.ThreadMembers(secret, 10, false, "")
	refused(t, err, 403, 50001)
	refused(t, s.ThreadMemberAdd(secret, bob), 403, 50013) // not invitable, and not the bot's
	refused(t, s.ThreadMemberRemove(secret, ann), 403, 50013)
	srv.RemoveFromThread(secret, discordtest.BotUser)
	await(t, box, func(e *discordgo.ThreadMembersUpdate) bool {
		return slices.Contains(e.RemovedMembers, discordtest.BotUser)
	})
	_, err = s.ChannelMessageSend(secret, "x")
	refused(t, err, 403, 50001)
}

// TestSightIsGained sends THREAD_LIST_SYNC when the bot comes to see a channel.
func TestSightIsGained(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	hidden := []discordtest.Overwrite{{ID: discordtest.BotRole, Deny: discordtest.ViewChannel}}
	room := srv.AddChannel(discordtest.Channel{Name: "room", Overwrites: hidden})
	thread := srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PublicThread, Parent: room})
	s, box := connect(t, srv, usual)
	if _, err := s.State.Channel(thread); err == nil {
		t.Error("the thread of a hidden channel was told")
	}
	srv.RemoveOverwrite(room, discordtest.BotRole)
	await(t, box, func(e *discordgo.ThreadListSync) bool { return len(e.Threads) == 1 && e.Threads[0].ID == thread })
	srv.ChangeRole(discordtest.Guild, discordtest.Guild, func(r *discordtest.Role) { r.Permissions &^= discordtest.ViewChannel })
	await(t, box, func(e *discordgo.GuildRoleUpdate) bool {
		return e.Role.ID == discordtest.Guild && e.Role.Permissions&discordgo.PermissionViewChannel == 0
	})
	if !srv.CanView(discordtest.BotUser, room) || srv.CanView(discordtest.BotUser, "1") {
		t.Error("the bot's own role lets it see the room, and nothing that is not there")
	}
	srv.ChangeMember(discordtest.Guild, discordtest.BotUser, func(m *discordtest.Member) { m.Nick = "Foot" })
	await(t, box, func(e *discordgo.GuildMemberUpdate) bool { return e.Nick == "Foot" }) // its own without the intent
	srv.ChangeChannel(room, func(c *discordtest.Channel) { c.Name = "hall" })
	await(t, box, func(e *discordgo.ChannelUpdate) bool { return e.Name == "hall" })
	srv.Outage(discordtest.Guild, true)
	await(t, box, func(e *discordgo.GuildDelete) bool { return e.Unavailable })
	srv.Outage(discordtest.Guild, false)
	srv.RemoveMember(discordtest.Guild, discordtest.BotUser)
	await(t, box, func(e *discordgo.GuildDelete) bool { return !e.Unavailable })
	_, err := s.Channel(room)
	refused(t, err, 403, 50001)
}

func TestForum(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	forum := srv.AddChannel(discordtest.Channel{Name: "help", Kind: discordtest.Forum})
	ann := srv.Join("ann")
	s, box := connect(t, srv, usual)
	post := srv.Post(forum, ann, "Leave", "<@"+discordtest.BotUser+"> how many?")
	await(t, box, func(e *discordgo.ThreadCreate) bool { return e.ID == post && e.ParentID == forum })
	m := await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == post })
	if m.ChannelID != post {
		t.Errorf("the first message is in %s, want %s", m.ChannelID, post)
	}
	if _, err := s.ChannelMessageSend(post, "twenty"); err != nil {
		t.Error(err)
	}
	own, err := s.ForumThreadStartComplex(forum, &discordgo.ThreadStart{Name: "Report", AutoArchiveDuration: 1440}, &discordgo.MessageSend{Content: "weekly",
		Files: []*discordgo.File{{Name: "r.md", Reader: strings.NewReader("x")}}})
	if err != nil || own.ParentID != forum {
		t.Fatalf("own post: %+v %v", own, err)
	}
	if got := srv.Messages(own.ID); len(got) != 1 || got[0].ID != own.ID || len(got[0].Files) != 1 {
		t.Errorf("own post: %+v", got)
	}
}
