package discordtest

import (
	"net/http"
	"slices"
	"strconv"
)

func (s *Server) apiUser(c *call) (any, error) {
	id := c.PathValue("user")
	if s.users[id] == nil {
		return nil, unknown(10013, "User")
	}
	return s.userJSON(id), nil
}

func (s *Server) apiMyGuilds(*call) (any, error) {
	out := []object{}
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.bot {
			p := g.roles[0].Permissions
			for _, role := range g.members[BotUser].Roles {
				if r := g.role(role); r != nil {
					p |= r.Permissions
				}
			}
			out = append(out, object{"id": id, "name": g.info.Name, "icon": nil, "owner": false, "permissions": p.text(), "features": []string{}})
		}
	}
	return out, nil
}

func (s *Server) apiLeaveGuild(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	s.leave(g)
	return nil, nil
}

// guildFor is the guild in a path, if the bot is in it.
func (s *Server) guildFor(c *call) (*guild, error) {
	g := s.guilds[c.PathValue("guild")]
	if g == nil {
		return nil, unknown(10004, "Guild")
	}
	if !g.bot {
		return nil, missingAccess()
	}
	if g.unavailable {
		return nil, fail(http.StatusServiceUnavailable, 0, "Service Unavailable")
	}
	return g, nil
}

func (s *Server) apiGuild(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	out := s.guildJSON(g)
	if c.URL.Query().Get("with_counts") == "true" {
		out["approximate_member_count"], out["approximate_presence_count"] = len(g.members), 1
	}
	return out, nil
}

func (s *Server) apiRoles(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	return s.guildJSON(g)["roles"], nil
}

func (s *Server) apiGuildChannels(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	out := []object{}
	for _, id := range s.order {
		if ch := s.channels[id]; ch.Guild == g.info.ID && !ch.Kind.IsThread() {
			out = append(out, s.channelJSON(ch))
		}
	}
	return out, nil
}

func (s *Server) apiMember(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	m := g.members[c.PathValue("user")]
	if m == nil {
		return nil, unknown(10007, "Member")
	}
	return s.memberJSON(m, true), nil
}

// limit reads a number of items from a query.
func (c *call) limit(m *mistakes, usual, most int) int {
	text := c.URL.Query().Get("limit")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		m.add("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and %d.", most)
	}
	return n
}

// apiMembers needs the privileged intent, as the gateway does.
func (s *Server) apiMembers(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	if s.privileged&GuildMembers == 0 {
		return nil, missingAccess()
	}
	var m mistakes
	limit := c.limit(&m, 1, 1000)
	if err := m.err(); err != nil {
		return nil, err
	}
	out := []object{}
	for _, id := range g.memberIDs() {
		if len(out) < limit && before(c.URL.Query().Get("after"), id) {
			out = append(out, s.memberJSON(g.members[id], true))
		}
	}
	return out, nil
}

func (s *Server) apiActiveThreads(c *call) (any, error) {
	g, err := s.guildFor(c)
	if err != nil {
		return nil, err
	}
	threads, members := s.activeThreads(func(t *Channel) bool { return t.Guild == g.info.ID })
	return object{"threads": threads, "members": members, "has_more": false}, nil
}

func (s *Server) apiOpenDM(c *call) (any, error) {
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	user := f.text("recipient_id")
	if err := f.err(); err != nil {
		return nil, err
	}
	if s.users[user] == nil || user == BotUser {
		return nil, fail(http.StatusBadRequest, 50033, "Invalid Recipient(s)")
	}
	return s.channelJSON(s.openDM(user)), nil
}

// shares tells whether a user is in a guild of the bot.
func (s *Server) shares(user string) bool {
	return slices.ContainsFunc(s.guildOrder, func(id string) bool {
		return s.guilds[id].bot && s.guilds[id].members[user] != nil
	})
}
