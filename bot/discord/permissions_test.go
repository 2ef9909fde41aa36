package discord

import (
	"math/rand/v2"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func TestPermissions(t *testing.T) {
	const view, manage, threads = mayView, mayManage, mayThreads
	g := guildInfo{ID: "1", Owner: "9", Roles: []role{
		{ID: "1", Permissions: view | maySend}, {ID: "2", Permissions: 0}, {ID: "3", Permissions: mayEverything},
		{ID: "4", Permissions: threads}, {ID: "5", Permissions: manage},
	}}
	open, shut := channelInfo{ID: "c"}, channelInfo{ID: "c", Overwrites: []overwrite{{ID: "1", Deny: view}}}
	with := func(c channelInfo, more ...overwrite) channelInfo {
		c.Overwrites = append(append([]overwrite{}, c.Overwrites...), more...)
		return c
	}
	for _, c := range []struct {
		name                    string
		h                       holder
		c                       channelInfo
		thread, private, member bool
		views                   bool
	}{
		{name: "everyone, open", c: open, views: true},
		{name: "everyone, shut", c: shut},
		{name: "a member of an open channel", h: holder{User: "7"}, c: open, views: true},
		{name: "a role that is let in", h: holder{User: "7", Roles: []string{"2"}}, c: with(shut, overwrite{ID: "2", Allow: view}), views: true},
		{name: "another role is let in", h: holder{User: "7", Roles: []string{"4"}}, c: with(shut, overwrite{ID: "2", Allow: view})},
		{name: "one role is kept out, another let in", h: holder{User: "7", Roles: []string{"2", "4"}},
			c: with(open, overwrite{ID: "2", Deny: view}, overwrite{ID: "4", Allow: view}), views: true},
		{name: "the order of roles does not matter", h: holder{User: "7", Roles: []string{"4", "2"}},
			c: with(open, overwrite{ID: "4", Allow: view}, overwrite{ID: "2", Deny: view}), views: true},
		{name: "the person is kept out though the role is let in", h: holder{User: "7", Roles: []string{"2"}},
			c: with(shut, overwrite{ID: "2", Allow: view}, overwrite{ID: "7", Kind: 1, Deny: view})},
		{name: "a role with the id of the person is not the person", h: holder{User: "7"}, c: with(open, overwrite{ID: "7", Kind: 0, Deny: view}), views: true},
		{name: "an overwrite of a member is not one of everyone", c: with(open, overwrite{ID: "", Kind: 1, Deny: view}), views: true},
		{name: "administrators see all", h: holder{User: "7", Roles: []string{"3"}}, c: with(shut, overwrite{ID: "7", Kind: 1, Deny: view}), views: true},
		{name: "so does the owner", h: holder{User: "9", Owner: true}, c: shut, views: true},
		{name: "a thread below a shut channel, which discordgo takes for open", h: holder{User: "7"}, c: shut, thread: true},
		{name: "a thread below an open channel", h: holder{User: "7"}, c: open, thread: true, views: true},
		{name: "a private thread, not a member of it", h: holder{User: "7"}, c: open, thread: true, private: true},
		{name: "a private thread, a member of it", h: holder{User: "7"}, c: open, thread: true, private: true, member: true, views: true},
		{name: "a member of a private thread, removed from the channel above", h: holder{User: "7"}, c: shut, thread: true, private: true, member: true},
		{name: "who manages threads sees private ones", h: holder{User: "7", Roles: []string{"4"}}, c: open, thread: true, private: true, views: true},
		{name: "but not below a shut channel", h: holder{User: "7", Roles: []string{"4"}}, c: shut, thread: true, private: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inChannel(g, c.h, c.c)
			if c.thread {
				got = inThread(g, c.h, c.c, c.private, c.member)
			}
			if got.has(mayView) != c.views {
				t.Errorf("views %v", !c.views)
			}
		})
	}
}

// The computation agrees with that of the test server, on random guilds.
func TestPermissionsAgreeWithTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	bit := func() discordtest.Permission {
		p := discordtest.Permission(0)
		for _, one := range []discordtest.Permission{discordtest.ViewChannel, discordtest.SendMessages, discordtest.ManageThreads, discordtest.SendMessagesInThreads, discordtest.ManageGuild} {
			if r.IntN(3) == 0 {
				p |= one
			}
		}
		if r.IntN(12) == 0 {
			p |= discordtest.Administrator
		}
		return p
	}
	for range 3000 {
		f := discordtest.Facts{Owner: r.IntN(15) == 0, Everyone: bit(), Roles: map[string]discordtest.Permission{}, Guild: "1", User: "7"}
		g := guildInfo{ID: "1", Roles: []role{{ID: "1", Permissions: bits(f.Everyone)}}}
		h := holder{User: "7", Owner: f.Owner}
		for _, id := range []string{"2", "3", "4"} {
			p := bit()
			g.Roles = append(g.Roles, role{ID: id, Permissions: bits(p)})
			if r.IntN(2) == 0 {
				f.Roles[id] = p
				h.Roles = append(h.Roles, id)
			}
		}
		var c channelInfo
		for _, id := range []string{"1", "2", "3", "4", "7", "8"} {
			if r.IntN(2) == 0 {
				continue
			}
			o := discordtest.Overwrite{ID: id, Member: id > "6", Allow: bit() &^ discordtest.Administrator, Deny: bit() &^ discordtest.Administrator}
			f.Overwrites = append(f.Overwrites, o)
			kind := 0
			if o.Member {
				kind = 1
			}
			c.Overwrites = append(c.Overwrites, overwrite{ID: id, Kind: kind, Allow: bits(o.Allow), Deny: bits(o.Deny)})
		}
		got := inChannel(g, h, c)
		if r.IntN(2) == 0 {
			f.Thread, f.Private, f.InThread = true, r.IntN(2) == 0, r.IntN(2) == 0
			got = inThread(g, h, c, f.Private, f.InThread)
		}
		want := discordtest.Effective(f)
		for _, p := range []discordtest.Permission{discordtest.ViewChannel, discordtest.SendMessages, discordtest.ManageThreads} {
			if got.has(bits(p)) != want.Has(p) {
				t.Fatalf("%s: got %v, want %v of %+v", p, got.has(bits(p)), want.Has(p), f)
			}
		}
	}
}

// What discordgo answers for a thread is why it is not asked.
func TestWhyDiscordgoIsNotAsked(t *testing.T) {
	s := discordgo.NewState()
	guild := &discordgo.Guild{ID: "1", Roles: []*discordgo.Role{{ID: "1", Permissions: discordgo.PermissionViewChannel}},
		Members: []*discordgo.Member{{GuildID: "1", User: &discordgo.User{ID: "7"}}}}
	if err := s.GuildAdd(guild); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*discordgo.Channel{
		{ID: "10", GuildID: "1", PermissionOverwrites: []*discordgo.PermissionOverwrite{{ID: "1", Deny: discordgo.PermissionViewChannel}}},
		{ID: "11", GuildID: "1", ParentID: "10", Type: discordgo.ChannelTypeGuildPublicThread},
	} {
		if err := s.ChannelAdd(c); err != nil {
			t.Fatal(err)
		}
	}
	p, err := s.UserChannelPermissions("7", "11")
	if err != nil || p&discordgo.PermissionViewChannel == 0 {
		t.Skip("discordgo has learned what threads are; its function may do now")
	}
}

func TestKindsOfPlaces(t *testing.T) {
	w := newWorld(t, nil)
	thread := w.StartThread(w.ann, w.Say(w.secret, w.ann, "a message"), "under secret")
	private := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "private", Kind: discordtest.PrivateThread, Parent: w.general, Owner: w.ann, Members: []string{w.ann, discordtest.BotUser}})
	public := w.StartThread(w.ann, w.Say(w.general, w.ann, "a message"), "under general")
	forum := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "forum", Kind: discordtest.Forum})
	post := w.Post(forum, w.ann, "a post", "its text")
	category := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "shut", Kind: discordtest.Category, Overwrites: []discordtest.Overwrite{{ID: discordtest.Guild, Deny: discordtest.ViewChannel}}})
	opened := w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "opened", Parent: category, Overwrites: []discordtest.Overwrite{}})
	a := w.bot.apps[0]
	for _, c := range []struct {
		name, guild, channel string
		kind, parent         core.PlaceKind
	}{
		{"a channel that @everyone sees", discordtest.Guild, w.general, core.PlaceEveryone, ""},
		{"a channel for a role", discordtest.Guild, w.secret, core.PlaceHidden, ""},
		{"a thread under the one", discordtest.Guild, public, core.PlaceEveryone, ""},
		{"a thread under the other", discordtest.Guild, thread, core.PlaceHidden, ""},
		{"a forum post", discordtest.Guild, post, core.PlaceEveryone, ""},
		{"a private thread", discordtest.Guild, private, core.PlacePrivateThread, core.PlaceEveryone},
		{"a category does not count", discordtest.Guild, opened, core.PlaceEveryone, ""},
		{"a direct message", "", w.OpenDM(w.ann), core.PlaceDirect, ""},
		{"a channel that is not there", discordtest.Guild, "77", core.PlaceUnknown, ""},
		{"a channel of another server", "66", w.general, core.PlaceUnknown, ""},
		{"a channel taken for a direct message", "", w.general, core.PlaceUnknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := a.place(t.Context(), c.guild, c.channel)
			if p.Kind != c.kind || p.Parent != c.parent {
				t.Errorf("got %s under %q, want %s under %q", p.Kind, p.Parent, c.kind, c.parent)
			}
			if again := w.bot.Place(t.Context(), p); again.Kind != c.kind && c.guild != "66" {
				t.Errorf("looked up again it is %s", again.Kind)
			}
		})
	}
}
