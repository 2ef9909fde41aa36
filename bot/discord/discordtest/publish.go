package discordtest

import (
	"slices"
)

// post puts a message into its channel and tells the gateway.
func (s *Server) post(m *message) *message {
	if m.id == "" {
		m.id = s.nextID()
	}
	c := s.channels[m.channel]
	m.guild = c.Guild
	s.byMessage[m.id] = m
	s.messages[m.channel] = append(s.messages[m.channel], m)
	if m.to != "" {
		return m // nobody but its reader hears of it
	}
	if c.Kind.IsThread() {
		if m.kind != threadStarter && m.by == nil && m.hook == "" {
			s.joinThread(c, m.author)
		}
		if c.Archived && !c.Locked {
			c.Archived = false
			s.announceChange(c)
		}
	}
	s.dispatchMessage("MESSAGE_CREATE", m)
	return m
}

// dispatchMessage sends a message to every session that may have it.
func (s *Server) dispatchMessage(name string, m *message) {
	if m.to != "" {
		return
	}
	c := s.channels[m.channel]
	intent := GuildMessages
	if c.Kind == Direct {
		intent = DirectMessages
	}
	s.dispatch(event{name: name, intent: intent, channel: c, body: func(t *session) object {
		out := s.withheld(m, t.intents)
		if c.Guild == "" {
			return out
		}
		out["guild_id"] = c.Guild
		if member := s.guilds[c.Guild].members[m.author]; member != nil && m.by == nil {
			out["member"] = s.memberJSON(member, false)
		}
		return out
	}})
}

// amend notes a change of a message that f makes, and tells the gateway.
func (s *Server) amend(m *message, f func()) {
	before := m.shown()
	thinking := m.flags&flagLoading != 0
	f()
	m.flags &^= flagLoading
	if !thinking {
		m.edits++
		m.edited = s.clock.Now()
		m.versions = append(m.versions, before)
	}
	s.dispatchMessage("MESSAGE_UPDATE", m)
}

// remove deletes a message.
func (s *Server) remove(m *message) {
	m.deleted = true
	if m.to == "" {
		s.dispatchDeleted("MESSAGE_DELETE", m.channel, object{"id": m.id})
	}
}

func (s *Server) dispatchDeleted(name, channel string, body object) {
	c := s.channels[channel]
	intent := GuildMessages
	if c.Kind == Direct {
		intent = DirectMessages
	}
	body["channel_id"] = channel
	if c.Guild != "" {
		body["guild_id"] = c.Guild
	}
	s.dispatch(event{name: name, intent: intent, channel: c, body: func(*session) object { return body }})
}

// react adds or takes a reaction.
func (s *Server) react(m *message, user, emoji string, add bool) {
	i := slices.IndexFunc(m.reactions, func(r *reaction) bool { return r.emoji == emoji })
	name := "MESSAGE_REACTION_ADD"
	switch {
	case add && i < 0:
		m.reactions = append(m.reactions, &reaction{emoji, []string{user}})
	case add && !slices.Contains(m.reactions[i].users, user):
		m.reactions[i].users = append(m.reactions[i].users, user)
	case !add && i >= 0 && slices.Contains(m.reactions[i].users, user):
		name = "MESSAGE_REACTION_REMOVE"
		r := m.reactions[i]
		r.users = slices.DeleteFunc(r.users, func(u string) bool { return u == user })
		if len(r.users) == 0 {
			m.reactions = slices.Delete(m.reactions, i, i+1)
		}
	default:
		return
	}
	c := s.channels[m.channel]
	intent := GuildMessageReactions
	if c.Kind == Direct {
		intent = DirectMessageReactions
	}
	s.dispatch(event{name: name, intent: intent, channel: c, body: func(*session) object {
		out := object{"user_id": user, "channel_id": m.channel, "message_id": m.id, "emoji": object{"id": nil, "name": emoji}, "type": 0}
		if c.Guild != "" {
			out["guild_id"] = c.Guild
		}
		return out
	}})
}

// record notes what the bot sent and whom it would notify.
func (s *Server) record(how string, m *message, d *draft) {
	p := Post{How: how, Channel: m.channel, Message: m.id, To: m.to, Content: m.content, Allowed: slices.Clone(d.rawAllowed),
		Users: slices.Clone(m.mentions.users), Roles: m.mentions.roles, Everyone: m.mentions.everyone}
	p.Users = slices.DeleteFunc(p.Users, func(id string) bool { return id == BotUser })
	s.posts = append(s.posts, p)
}
