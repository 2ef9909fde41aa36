package discordtest

import "slices"

// AddUser adds a person or a bot and returns the id.
func (s *Server) AddUser(u User) string {
	defer s.lock()()
	u.ID = s.idOr(u.ID, "AddUser "+u.Name)
	s.users[u.ID] = &u
	return u.ID
}

// Join adds a user, and makes them a member of the first guild with these
// roles. It returns the id.
func (s *Server) Join(name string, roles ...string) string {
	id := s.AddUser(User{Name: name})
	s.AddMember(Member{Guild: Guild, User: id, Roles: roles})
	return id
}

// AddGuild adds a guild and returns the id. The bot is in it unless NoBot is
// set, and gets GUILD_CREATE.
func (s *Server) AddGuild(info GuildInfo) string {
	defer s.lock()()
	info.ID = s.idOr(info.ID, "AddGuild "+info.Name)
	if info.Owner != "" && s.users[info.Owner] == nil {
		s.problem("AddGuild: there is no user %q; add the owner before the guild", info.Owner)
	}
	g := s.addGuild(info)
	if g.bot {
		s.dispatchGuild(g)
	}
	return info.ID
}

// AddRole adds a role and returns the id. An empty Guild is the first one.
func (s *Server) AddRole(r Role) string {
	defer s.lock()()
	g := s.guildOf(&r.Guild, "AddRole")
	if g == nil {
		return ""
	}
	r.ID = s.idOr(r.ID, "AddRole "+r.Name)
	if r.Position == 0 {
		r.Position = len(g.roles)
	}
	g.roles = append(g.roles, &r)
	s.dispatchIn(g, "GUILD_ROLE_CREATE", Guilds, object{"guild_id": r.Guild, "role": s.roleJSON(&r)})
	return r.ID
}

// AddMember makes a user a member of a guild. An empty Guild is the first one.
func (s *Server) AddMember(m Member) {
	defer s.lock()()
	g := s.guildOf(&m.Guild, "AddMember")
	if g == nil {
		return
	}
	if s.users[m.User] == nil {
		s.problem("AddMember: there is no user %q", m.User)
		return
	}
	for _, id := range m.Roles {
		if g.role(id) == nil {
			s.problem("AddMember %s: guild %s has no role %q", m.User, m.Guild, id)
		}
	}
	if m.Joined.IsZero() {
		m.Joined = s.clock.Now()
	}
	g.members[m.User] = &m
	if m.User == BotUser {
		g.bot = true
		s.dispatchGuild(g)
		return
	}
	body := s.memberJSON(&m, true)
	body["guild_id"] = m.Guild
	s.dispatchIn(g, "GUILD_MEMBER_ADD", GuildMembers, body)
}

// AddChannel adds a channel or thread and returns the id. An empty Guild is the
// first one.
func (s *Server) AddChannel(c Channel) string {
	defer s.lock()()
	return s.addChannel(c, "")
}

func (s *Server) addChannel(c Channel, id string) string {
	if c.Kind == Direct {
		s.problem("AddChannel: use DM or OpenDM for direct messages")
		return ""
	}
	parent := s.channels[c.Parent]
	if c.Guild == "" && parent != nil {
		c.Guild = parent.Guild
	}
	g := s.guildOf(&c.Guild, "AddChannel")
	if g == nil {
		return ""
	}
	if c.Parent != "" && parent == nil || c.Kind.IsThread() && (parent == nil || parent.Kind.IsThread() || parent.Kind == Category) {
		s.problem("AddChannel %s: %q is no parent for it", c.Name, c.Parent)
		return ""
	}
	if c.ID == "" {
		c.ID = id
	}
	c.ID = s.idOr(c.ID, "AddChannel "+c.Name)
	if c.Overwrites == nil && parent != nil && parent.Kind == Category {
		c.Overwrites = slices.Clone(parent.Overwrites)
	}
	if c.ArchiveAfter == 0 {
		c.ArchiveAfter = 1440
	}
	if c.Kind.IsThread() && c.Owner != "" && !slices.Contains(c.Members, c.Owner) {
		c.Members = append(slices.Clone(c.Members), c.Owner)
	}
	s.channels[c.ID] = &c
	s.order = append(s.order, c.ID)
	s.announceChannel(&c)
	return c.ID
}

// announceChannel tells the bot of a new channel or thread.
func (s *Server) announceChannel(c *Channel) {
	if !c.Kind.IsThread() {
		s.dispatchIn(s.guilds[c.Guild], "CHANNEL_CREATE", Guilds, s.channelJSON(c))
		return
	}
	if !s.may(BotUser, c).Has(ViewChannel) {
		return
	}
	body := s.threadJSON(c)
	body["newly_created"] = true
	s.dispatchIn(s.guilds[c.Guild], "THREAD_CREATE", Guilds, body)
}

// OpenDM opens the direct message between the bot and a user and returns its
// id.
func (s *Server) OpenDM(user string) string {
	defer s.lock()()
	if s.users[user] == nil {
		s.problem("OpenDM: there is no user %q", user)
		return ""
	}
	return s.openDM(user).ID
}

func (s *Server) openDM(user string) *Channel {
	for _, id := range s.order {
		if c := s.channels[id]; c.Kind == Direct && c.Recipient == user {
			return c
		}
	}
	c := &Channel{ID: s.nextID(), Kind: Direct, Recipient: user}
	s.channels[c.ID] = c
	s.order = append(s.order, c.ID)
	return c
}

// RefuseDMs sets whether a user takes direct messages from the bot; if not,
// sending one fails with 50007.
func (s *Server) RefuseDMs(user string, refuse bool) {
	defer s.lock()()
	s.noDMs[user] = refuse
}

// guildOf finds a guild and fills in the first one for an empty id.
func (s *Server) guildOf(id *string, method string) *guild {
	if *id == "" {
		*id = Guild
	}
	g := s.guilds[*id]
	if g == nil {
		s.problem("%s: there is no guild %q", method, *id)
	}
	return g
}
