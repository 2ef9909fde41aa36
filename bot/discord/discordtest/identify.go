package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
)

// identify starts a new session.
func (c *Connection) identify(data json.RawMessage) {
	s := c.server
	var want struct {
		Token   string `json:"token"`
		Intents *int   `json:"intents"`
		Shard   []int  `json:"shard"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		c.push(frame{close: closeDecode})
		return
	}
	if c.planned() {
		return
	}
	code := 0
	switch {
	case c.session != nil:
		code = closeTwice
	case !s.goodToken(want.Token):
		code = closeBadToken
	case len(want.Shard) == 2 && (want.Shard[0] != 0 || want.Shard[1] != 1):
		code = closeShard
	case want.Intents == nil || *want.Intents&^knownIntents != 0:
		code = closeIntents
	case Intent(*want.Intents)&privilegedIntents&^s.privileged != 0:
		code = closeDisallowed
	}
	if code != 0 {
		c.push(frame{close: code})
		return
	}
	s.identifies++
	t := &session{id: "session" + s.nextID(), intents: Intent(*want.Intents), conn: c}
	s.sessions[t.id] = t
	c.session, c.ready = t, true
	s.welcome(t)
}

// welcome sends READY, with guilds that are not there yet, and then the guilds.
func (s *Server) welcome(t *session) {
	guilds := []object{}
	for _, id := range s.guildOrder {
		if s.guilds[id].bot {
			guilds = append(guilds, object{"id": id, "unavailable": true})
		}
	}
	s.emit(t, "READY", object{"v": 9, "user": s.userJSON(BotUser), "session_id": t.id, "session_type": "normal", "guilds": guilds,
		"resume_gateway_url": s.GatewayURL(), "private_channels": []object{}, "shard": []int{0, 1},
		"application": object{"id": AppID, "flags": s.appJSON()["flags"]}})
	if t.intents&Guilds == 0 {
		return
	}
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.bot && !g.unavailable {
			s.emit(t, "GUILD_CREATE", s.guildCreateJSON(g, t.intents))
		}
	}
}

// planned plays what the plan of this connection says about identify and
// resume, and reports whether that was the answer.
func (c *Connection) planned() bool {
	switch {
	case c.plan.Close != 0:
		c.push(frame{close: c.plan.Close})
	case c.plan.Invalid:
		c.plan.Invalid = false
		c.push(frame{raw: packet(opInvalid, false)})
	default:
		if c.plan.ReadyIn > 0 {
			c.hold = c.server.clock.Now().Add(c.plan.ReadyIn)
		}
		return c.plan.NoReady
	}
	return true
}

// resume goes on with a session: what came after seq is sent again.
func (c *Connection) resume(data json.RawMessage) {
	s := c.server
	var want struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		c.push(frame{close: closeDecode})
		return
	}
	if c.planned() {
		return
	}
	if !s.goodToken(want.Token) {
		c.push(frame{close: closeBadToken})
		return
	}
	t := s.sessions[want.Session]
	if t == nil || want.Seq > t.seq || len(t.log) > 0 && t.log[0].seq > want.Seq+1 {
		delete(s.sessions, want.Session)
		c.push(frame{raw: packet(opInvalid, false)})
		return
	}
	if t.conn != nil && t.conn != c {
		t.conn.session = nil
	}
	t.conn, c.session, c.ready, c.resumed = c, t, true, true
	for _, l := range t.log {
		if l.seq > want.Seq {
			c.push(frame{raw: l.raw})
		}
	}
	s.emit(t, "RESUMED", object{"_trace": []string{"discordtest"}})
}

// members answers a request for members of a guild.
func (c *Connection) members(data json.RawMessage) {
	s := c.server
	var want struct {
		Guild any      `json:"guild_id"`
		Query *string  `json:"query"`
		Limit int      `json:"limit"`
		Users []string `json:"user_ids"`
		Nonce string   `json:"nonce"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		c.push(frame{close: closeDecode})
		return
	}
	id, _ := want.Guild.(string)
	if ids, ok := want.Guild.([]any); ok && len(ids) == 1 {
		id, _ = ids[0].(string)
	}
	g := s.guilds[id]
	all := len(want.Users) == 0 && (want.Query == nil || *want.Query == "") && want.Limit == 0
	if g == nil || !g.bot || all && c.session.intents&GuildMembers == 0 {
		c.push(frame{close: closeDisallowed})
		return
	}
	members := []object{}
	for _, user := range g.memberIDs() {
		fits := len(want.Users) > 0 && slices.Contains(want.Users, user)
		if len(want.Users) == 0 {
			fits = all || want.Query != nil && strings.HasPrefix(s.users[user].Name, *want.Query)
		}
		if fits && (want.Limit == 0 || len(members) < want.Limit) {
			members = append(members, s.memberJSON(g.members[user], true))
		}
	}
	body := object{"guild_id": id, "members": members, "chunk_index": 0, "chunk_count": 1, "not_found": []string{}}
	if want.Nonce != "" {
		body["nonce"] = want.Nonce
	}
	s.emit(c.session, "GUILD_MEMBERS_CHUNK", body)
}
