package discordtest

import (
	"maps"
	"slices"
	"time"
)

// User is a person or a bot.
type User struct {
	ID         string // digits; made when empty
	Name       string
	GlobalName string // what is shown; empty for none
	Locale     string // of the person's client; "en-US" when empty
	Bot        bool
}

// GuildInfo says how a guild starts: with the role @everyone, its owner, and
// the bot with a role of its own.
type GuildInfo struct {
	ID, Name, Owner string
	Locale          string     // "en-US" when empty
	Everyone        Permission // 0 stands for EveryoneDefault
	Bot             Permission // of the bot's role; 0 stands for BotDefault
	BotRole         string     // id of that role; made when empty
	NoBot           bool       // the bot is no member
}

// Role is a role of a guild.
type Role struct {
	ID, Guild, Name string
	Permissions     Permission
	Position        int
	Managed         bool
	Mentionable     bool
}

// Member is a user in a guild.
type Member struct {
	Guild, User, Nick string
	Roles             []string // without @everyone
	Pending           bool     // has not accepted the rules yet: sees, but cannot write
	TimeoutUntil      time.Time
	Joined            time.Time
}

// Overwrite changes the permissions of a role or a member in one channel. The
// id of the guild stands for @everyone.
type Overwrite struct {
	ID          string
	Member      bool
	Allow, Deny Permission
}

// Kind is the type of a channel, the same number as discordgo.ChannelType….
type Kind int

// The kinds of channels.
const (
	Text               Kind = 0
	Direct             Kind = 1
	Voice              Kind = 2
	Category           Kind = 4
	Announcement       Kind = 5
	AnnouncementThread Kind = 10
	PublicThread       Kind = 11
	PrivateThread      Kind = 12
	Forum              Kind = 15
)

// IsThread tells whether a channel of this kind lies under another one and
// takes its permissions from there.
func (k Kind) IsThread() bool {
	return k == AnnouncementThread || k == PublicThread || k == PrivateThread
}

// Channel is a channel, a thread or a direct message. Overwrites that are nil
// are copied from the category in Parent, as a new channel does that is in sync
// with it; later changes of the category do not reach the channel.
type Channel struct {
	ID, Guild, Name, Topic string
	Kind                   Kind
	Parent                 string // category, or a thread's channel
	Overwrites             []Overwrite

	// Of threads.
	Owner        string
	Members      []string
	Archived     bool
	Locked       bool
	Invitable    bool
	ArchiveAfter int // minutes: 60, 1440, 4320 or 10080; 1440 when 0
	Tags         []string

	// Of direct messages: the person on the other side.
	Recipient string
}

// guild is a guild with its roles and members.
type guild struct {
	info        GuildInfo
	roles       []*Role // the first is @everyone
	members     map[string]*Member
	bot         bool // the bot is in it
	unavailable bool
}

func (g *guild) role(id string) *Role {
	for _, r := range g.roles {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (g *guild) memberIDs() []string {
	ids := slices.Collect(maps.Keys(g.members))
	slices.SortFunc(ids, func(a, b string) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return ids
}

// addGuild builds a guild; the events are the caller's.
func (s *Server) addGuild(info GuildInfo) *guild {
	if info.Everyone == 0 {
		info.Everyone = EveryoneDefault
	}
	if info.Bot == 0 {
		info.Bot = BotDefault
	}
	g := &guild{info: info, members: map[string]*Member{}, bot: !info.NoBot}
	g.roles = []*Role{{ID: info.ID, Guild: info.ID, Name: "@everyone", Permissions: info.Everyone}}
	if info.Owner != "" {
		g.members[info.Owner] = &Member{Guild: info.ID, User: info.Owner, Joined: s.clock.Now()}
	}
	if g.bot {
		g.info.BotRole = s.idOr(info.BotRole, "AddGuild")
		g.roles = append(g.roles, &Role{ID: g.info.BotRole, Guild: info.ID, Name: "footnote", Permissions: info.Bot, Position: 1, Managed: true})
		g.members[BotUser] = &Member{Guild: info.ID, User: BotUser, Roles: []string{g.info.BotRole}, Joined: s.clock.Now()}
	}
	s.guilds[info.ID] = g
	s.guildOrder = append(s.guildOrder, info.ID)
	return g
}

// facts collects what the permissions of a user in a channel follow from; ok is
// false for who is no member of its guild.
func (s *Server) facts(user string, c *Channel) (f Facts, ok bool) {
	g := s.guilds[c.Guild]
	if g == nil || g.members[user] == nil || user == BotUser && !g.bot {
		return f, false
	}
	m := g.members[user]
	f = Facts{Owner: g.info.Owner == user, Everyone: g.roles[0].Permissions, Roles: map[string]Permission{}, Guild: c.Guild, User: user,
		Overwrites: c.Overwrites, TimedOut: m.TimeoutUntil.After(s.clock.Now())}
	for _, id := range m.Roles {
		if r := g.role(id); r != nil {
			f.Roles[id] = r.Permissions
		}
	}
	if c.Kind.IsThread() {
		f.Thread, f.Private, f.InThread, f.Overwrites = true, c.Kind == PrivateThread, slices.Contains(c.Members, user), nil
		if parent := s.channels[c.Parent]; parent != nil {
			f.Overwrites = parent.Overwrites
		}
	}
	return f, true
}

// inDirect is what both sides may do in a direct message.
const inDirect = ViewChannel | SendMessages | EmbedLinks | AttachFiles | ReadMessageHistory | AddReactions | UseCommands

func (s *Server) may(user string, c *Channel) Permission {
	if c == nil {
		return 0
	}
	if c.Kind == Direct {
		if user == BotUser || user == c.Recipient {
			return inDirect
		}
		return 0
	}
	f, ok := s.facts(user, c)
	if !ok {
		return 0
	}
	p := Effective(f)
	if m := s.guilds[c.Guild].members[user]; m.Pending && !f.Owner {
		p &= quiet
	}
	return p
}

// Permissions is what a user may do in a channel or thread.
func (s *Server) Permissions(user, channel string) Permission {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.may(user, s.channels[channel])
}

// CanView tells whether a user sees a channel or thread.
func (s *Server) CanView(user, channel string) bool {
	return s.Permissions(user, channel).Has(ViewChannel)
}

// Viewers lists who sees a channel, bots too, by id.
func (s *Server) Viewers(channel string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for id := range s.users {
		if s.may(id, s.channels[channel]).Has(ViewChannel) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
