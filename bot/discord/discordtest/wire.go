package discordtest

import (
	"slices"
	"strconv"
	"time"
)

func (p Permission) text() string { return strconv.FormatInt(int64(p), 10) }

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Server) userJSON(id string) object {
	u := s.users[id]
	if u == nil {
		return object{"id": id, "username": "deleted_user", "discriminator": "0", "avatar": nil, "global_name": nil}
	}
	out := object{"id": u.ID, "username": u.Name, "discriminator": "0", "global_name": orNil(u.GlobalName), "avatar": nil, "public_flags": 0}
	if u.Bot {
		out["bot"] = true
	}
	return out
}

func (s *Server) roleJSON(r *Role) object {
	return object{"id": r.ID, "name": r.Name, "permissions": r.Permissions.text(), "position": r.Position, "managed": r.Managed,
		"mentionable": r.Mentionable, "hoist": false, "color": 0, "icon": nil, "unicode_emoji": nil, "flags": 0}
}

func (s *Server) memberJSON(m *Member, withUser bool) object {
	roles := m.Roles
	if roles == nil {
		roles = []string{}
	}
	out := object{"nick": orNil(m.Nick), "roles": slices.Clone(roles), "joined_at": stamp(m.Joined), "premium_since": nil, "deaf": false,
		"mute": false, "flags": 0, "pending": m.Pending, "avatar": nil, "communication_disabled_until": nil}
	if !m.TimeoutUntil.IsZero() {
		out["communication_disabled_until"] = stamp(m.TimeoutUntil)
	}
	if withUser {
		out["user"] = s.userJSON(m.User)
	}
	return out
}

func (s *Server) channelJSON(c *Channel) object {
	if c.Kind.IsThread() {
		return s.threadJSON(c)
	}
	out := object{"id": c.ID, "type": c.Kind, "last_message_id": s.lastMessage(c.ID), "flags": 0}
	if c.Kind == Direct {
		out["recipients"] = []object{s.userJSON(c.Recipient)}
		return out
	}
	overwrites := []object{}
	for _, o := range c.Overwrites {
		kind := 0
		if o.Member {
			kind = 1
		}
		overwrites = append(overwrites, object{"id": o.ID, "type": kind, "allow": o.Allow.text(), "deny": o.Deny.text()})
	}
	out["guild_id"], out["name"], out["topic"], out["parent_id"] = c.Guild, c.Name, orNil(c.Topic), orNil(c.Parent)
	out["position"], out["nsfw"], out["rate_limit_per_user"], out["permission_overwrites"] = slices.Index(s.order, c.ID), false, 0, overwrites
	return out
}

// threadJSON is a thread as the bot gets it: without overwrites of its own, and
// with the bot's membership if there is one.
func (s *Server) threadJSON(c *Channel) object {
	out := object{"id": c.ID, "type": c.Kind, "guild_id": c.Guild, "name": c.Name, "parent_id": c.Parent, "owner_id": c.Owner,
		"last_message_id": s.lastMessage(c.ID), "rate_limit_per_user": 0, "flags": 0, "member_count": min(len(c.Members), 50),
		"message_count": min(len(s.messages[c.ID]), 50)}
	meta := object{"archived": c.Archived, "locked": c.Locked, "auto_archive_duration": c.ArchiveAfter,
		"archive_timestamp": stamp(timeOf(c.ID)), "create_timestamp": stamp(timeOf(c.ID))}
	if c.Kind == PrivateThread {
		meta["invitable"] = c.Invitable
	}
	out["thread_metadata"] = meta
	if len(c.Tags) > 0 {
		out["applied_tags"] = slices.Clone(c.Tags)
	}
	if slices.Contains(c.Members, BotUser) {
		out["member"] = s.threadMemberJSON(c, BotUser)
	}
	return out
}

func (s *Server) threadMemberJSON(c *Channel, user string) object {
	return object{"id": c.ID, "user_id": user, "join_timestamp": stamp(s.clock.Now()), "flags": 1}
}

func (s *Server) lastMessage(channel string) any {
	if list := s.messages[channel]; len(list) > 0 {
		return list[len(list)-1].id
	}
	return nil
}

// guildJSON is a guild as REST gives it.
func (s *Server) guildJSON(g *guild) object {
	roles := []object{}
	for _, r := range g.roles {
		roles = append(roles, s.roleJSON(r))
	}
	return object{"id": g.info.ID, "name": g.info.Name, "owner_id": g.info.Owner, "roles": roles, "emojis": []object{}, "stickers": []object{},
		"features": []string{"COMMUNITY"}, "preferred_locale": or(g.info.Locale, "en-US"), "verification_level": 1,
		"default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0, "nsfw_level": 0, "premium_tier": 0,
		"afk_timeout": 300, "system_channel_id": nil, "rules_channel_id": nil, "icon": nil, "application_id": nil}
}

// guildCreateJSON is a guild as the gateway gives it: with all channels, the
// threads that the bot sees, and everyone if the intent GuildMembers is there.
func (s *Server) guildCreateJSON(g *guild, intents Intent) object {
	out := s.guildJSON(g)
	channels := []object{}
	for _, id := range s.order {
		if c := s.channels[id]; c.Guild == g.info.ID && !c.Kind.IsThread() {
			channels = append(channels, s.channelJSON(c))
		}
	}
	members := []object{}
	for _, id := range g.memberIDs() {
		if id == BotUser || intents&GuildMembers != 0 {
			members = append(members, s.memberJSON(g.members[id], true))
		}
	}
	threads, _ := s.activeThreads(func(c *Channel) bool { return c.Guild == g.info.ID })
	out["channels"], out["members"], out["threads"], out["member_count"] = channels, members, threads, len(g.members)
	out["joined_at"], out["large"], out["unavailable"] = stamp(g.joined()), false, false
	out["presences"], out["voice_states"] = []object{}, []object{}
	return out
}

func (g *guild) joined() time.Time {
	if m := g.members[BotUser]; m != nil {
		return m.Joined
	}
	return time.Time{}
}

func (s *Server) appJSON() object {
	flags := 0
	for _, f := range []struct {
		intent Intent
		bit    int
	}{{GuildPresences, 13}, {GuildMembers, 15}, {MessageContent, 19}} {
		if s.privileged&f.intent != 0 {
			flags |= 1 << f.bit
		}
	}
	return object{"id": AppID, "name": "footnote", "description": "", "icon": nil, "bot_public": false, "bot_require_code_grant": false,
		"verify_key": "00", "flags": flags, "owner": object{"id": Owner, "username": "owner", "discriminator": "0"}, "team": nil,
		"bot": s.userJSON(BotUser)}
}
