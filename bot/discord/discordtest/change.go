package discordtest

import (
	"slices"
	"time"
)

// change runs f on a guild and tells the bot what came into its sight by that:
// the threads of channels that it sees now and did not see before.
func (s *Server) change(g *guild, f func()) {
	seen := map[string]bool{}
	for id, c := range s.channels {
		seen[id] = s.may(BotUser, c).Has(ViewChannel)
	}
	f()
	for _, id := range s.order {
		c := s.channels[id]
		if c.Guild != g.info.ID || c.Kind.IsThread() || seen[id] || !s.may(BotUser, c).Has(ViewChannel) {
			continue
		}
		threads, members := s.activeThreads(func(t *Channel) bool { return t.Parent == id })
		if len(threads) > 0 {
			s.dispatchIn(g, "THREAD_LIST_SYNC", Guilds, object{"guild_id": c.Guild, "channel_ids": []string{id}, "threads": threads, "members": members})
		}
	}
}

// ChangeRole changes a role; the id of the guild is @everyone.
func (s *Server) ChangeRole(guild, role string, f func(*Role)) {
	defer s.lock()()
	g := s.guildOf(&guild, "ChangeRole")
	if g == nil || g.role(role) == nil {
		s.problem("ChangeRole: there is no role %q in guild %q", role, guild)
		return
	}
	r := g.role(role)
	s.change(g, func() {
		f(r)
		s.dispatchIn(g, "GUILD_ROLE_UPDATE", Guilds, object{"guild_id": guild, "role": s.roleJSON(r)})
	})
}

// DeleteRole takes a role from a guild and from everyone who has it.
func (s *Server) DeleteRole(guild, role string) {
	defer s.lock()()
	g := s.guildOf(&guild, "DeleteRole")
	if g == nil {
		return
	}
	s.change(g, func() {
		g.roles = slices.DeleteFunc(g.roles, func(r *Role) bool { return r.ID == role && r.ID != guild })
		for _, m := range g.members {
			m.Roles = slices.DeleteFunc(slices.Clone(m.Roles), func(id string) bool { return id == role })
		}
		s.dispatchIn(g, "GUILD_ROLE_DELETE", Guilds, object{"guild_id": guild, "role_id": role})
	})
}

// ChangeMember changes nick, roles and the like. The bot hears of others only
// with the intent GuildMembers, of itself always.
func (s *Server) ChangeMember(guild, user string, f func(*Member)) {
	defer s.lock()()
	g := s.guildOf(&guild, "ChangeMember")
	if g == nil || g.members[user] == nil {
		s.problem("ChangeMember: %q is no member of guild %q", user, guild)
		return
	}
	m := g.members[user]
	s.change(g, func() {
		f(m)
		intent := GuildMembers
		if user == BotUser {
			intent = Guilds
		}
		body := s.memberJSON(m, true)
		body["guild_id"] = guild
		s.dispatchIn(g, "GUILD_MEMBER_UPDATE", intent, body)
	})
}

// GiveRole gives a member of the first guild a role.
func (s *Server) GiveRole(user, role string) {
	s.ChangeMember(Guild, user, func(m *Member) { m.Roles = append(slices.Clone(m.Roles), role) })
}

// TakeRole takes a role from a member of the first guild.
func (s *Server) TakeRole(user, role string) {
	s.ChangeMember(Guild, user, func(m *Member) {
		m.Roles = slices.DeleteFunc(slices.Clone(m.Roles), func(id string) bool { return id == role })
	})
}

// Timeout silences a member of the first guild for d on the server's clock.
func (s *Server) Timeout(user string, d time.Duration) {
	s.ChangeMember(Guild, user, func(m *Member) { m.TimeoutUntil = s.clock.Now().Add(d) })
}

// RemoveMember takes a user out of a guild, and out of its threads. For the bot
// that is a GUILD_DELETE.
func (s *Server) RemoveMember(guild, user string) {
	defer s.lock()()
	g := s.guildOf(&guild, "RemoveMember")
	if g == nil || g.members[user] == nil {
		s.problem("RemoveMember: %q is no member of guild %q", user, guild)
		return
	}
	if user == BotUser {
		s.leave(g)
		return
	}
	delete(g.members, user)
	for _, c := range s.channels {
		if c.Guild == guild {
			c.Members = slices.DeleteFunc(slices.Clone(c.Members), func(id string) bool { return id == user })
		}
	}
	s.dispatchIn(g, "GUILD_MEMBER_REMOVE", GuildMembers, object{"guild_id": guild, "user": s.userJSON(user)})
}

func (s *Server) leave(g *guild) {
	s.dispatchIn(g, "GUILD_DELETE", Guilds, object{"id": g.info.ID})
	g.bot = false
	delete(g.members, BotUser)
}

// Outage makes a guild unavailable, or available again.
func (s *Server) Outage(guild string, on bool) {
	defer s.lock()()
	g := s.guildOf(&guild, "Outage")
	if g == nil {
		return
	}
	if on {
		s.dispatchIn(g, "GUILD_DELETE", Guilds, object{"id": guild, "unavailable": true})
		g.unavailable = true
		return
	}
	g.unavailable = false
	s.dispatchGuild(g)
}

// ChangeChannel changes a channel or thread: name, kind, parent, overwrites,
// archived, locked. Who is in a thread is changed by AddToThread and
// RemoveFromThread.
func (s *Server) ChangeChannel(id string, f func(*Channel)) {
	defer s.lock()()
	c := s.channels[id]
	if c == nil || c.Kind == Direct {
		s.problem("ChangeChannel: there is no channel %q in a guild", id)
		return
	}
	s.change(s.guilds[c.Guild], func() {
		f(c)
		s.announceChange(c)
	})
}

func (s *Server) announceChange(c *Channel) {
	g := s.guilds[c.Guild]
	if !c.Kind.IsThread() {
		s.dispatchIn(g, "CHANNEL_UPDATE", Guilds, s.channelJSON(c))
	} else if s.may(BotUser, c).Has(ViewChannel) {
		s.dispatchIn(g, "THREAD_UPDATE", Guilds, s.threadJSON(c))
	}
}

// SetOverwrite sets the overwrite of a role or member in a channel.
func (s *Server) SetOverwrite(channel string, o Overwrite) {
	s.ChangeChannel(channel, func(c *Channel) {
		kept := slices.DeleteFunc(slices.Clone(c.Overwrites), func(x Overwrite) bool { return x.ID == o.ID })
		c.Overwrites = append(kept, o)
	})
}

// RemoveOverwrite takes the overwrite of a role or member from a channel.
func (s *Server) RemoveOverwrite(channel, id string) {
	s.ChangeChannel(channel, func(c *Channel) {
		c.Overwrites = slices.DeleteFunc(slices.Clone(c.Overwrites), func(x Overwrite) bool { return x.ID == id })
	})
}

// DeleteChannel deletes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(id string) {
	defer s.lock()()
	if c := s.channels[id]; c == nil || c.Kind == Direct {
		s.problem("DeleteChannel: there is no channel %q in a guild", id)
		return
	}
	s.deleteChannel(id)
}

func (s *Server) deleteChannel(id string) {
	c := s.channels[id]
	if !c.Kind.IsThread() {
		for _, t := range slices.Clone(s.order) {
			if th := s.channels[t]; th.Kind.IsThread() && th.Parent == id {
				s.deleteChannel(t)
			}
		}
		s.dispatchIn(s.guilds[c.Guild], "CHANNEL_DELETE", Guilds, s.channelJSON(c))
	} else if s.may(BotUser, c).Has(ViewChannel) {
		s.dispatchIn(s.guilds[c.Guild], "THREAD_DELETE", Guilds, object{"id": c.ID, "guild_id": c.Guild, "parent_id": c.Parent, "type": c.Kind})
	}
	for _, m := range s.messages[id] {
		m.deleted = true
	}
	delete(s.channels, id)
	s.order = slices.DeleteFunc(s.order, func(x string) bool { return x == id })
}
