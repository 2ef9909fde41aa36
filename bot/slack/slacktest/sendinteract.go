package slacktest

import (
	"encoding/json"
	"strings"
)

// Slash runs a slash command in a channel and gives back the id of its
// delivery. The text is sent as given, or, as with should_escape, with the
// names of users and channels turned into tokens by EscapeNames. What the app
// answers with its ack is shown to the user; without an ack in time the user
// sees Slack's own error.
func (s *Server) Slash(channel, user, command, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.room("Slash", channel), s.users[user]
	in := s.installFor("Slash", s.owner(command), u)
	if ch == nil || in == nil {
		return ""
	}
	name := map[ChannelKind]string{DirectMessage: "directmessage", Private: "privategroup"}[ch.Kind]
	payload := object{"token": "verification", "team_id": in.team, "team_domain": s.domain(in.team), "channel_id": ch.ID,
		"channel_name": or(name, ch.Name), "user_id": user, "user_name": u.Name, "command": command, "text": text,
		"api_app_id": in.app.ID, "is_enterprise_install": "false", "trigger_id": s.newTrigger(user),
		"response_url": s.newResponseURL(in, user, ch.ID, nil)}
	d := &delivery{Delivery: Delivery{ID: s.nextID("cmd"), App: in.app.ID, Type: "slash_commands", Event: command, Payload: rawOf(payload)}, in: in}
	d.then = func(raw json.RawMessage) { s.answerNow(in, ch, user, nil, raw) }
	d.failed = func() {
		s.fromSlackbot(ch, user, command+` failed with the error "operation_timeout"`)
	}
	return s.enqueue(d)
}

// EscapeNames writes @name and #channel as Slack does for a command with
// should_escape: <@U1|name>, <#C1|name>.
func (s *Server) EscapeNames(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := strings.Split(text, " ")
	for i, w := range words {
		for _, id := range sortedKeys(s.users) {
			if w == "@"+s.users[id].Name {
				words[i] = "<@" + id + "|" + s.users[id].Name + ">"
			}
		}
		for _, id := range s.order {
			if w == "#"+s.channels[id].Name {
				words[i] = "<#" + id + "|" + s.channels[id].Name + ">"
			}
		}
	}
	return strings.Join(words, " ")
}

func (s *Server) domain(team string) string {
	if w := s.workspaces[team]; w != nil {
		return w.Domain
	}
	return ""
}

// installFor finds where an app is installed for a user.
func (s *Server) installFor(what string, a *appState, u *User) *install {
	if u == nil || a == nil {
		s.problem("%s: there is no such user, or no app", what)
		return nil
	}
	for _, in := range a.installs {
		if in.team == u.Team {
			return in
		}
	}
	return a.installs[0]
}

// fromSlackbot shows a user a message of Slack itself.
func (s *Server) fromSlackbot(ch *Channel, user, text string) {
	s.ephemerals = append(s.ephemerals, &message{channel: ch.ID, ts: s.nextTS(), user: "USLACKBOT", to: user, text: text})
}

// answerNow is a message that came with an ack, as with a response_url.
func (s *Server) answerNow(in *install, ch *Channel, user string, origin *message, raw json.RawMessage) {
	p := params{}
	if len(raw) == 0 || json.Unmarshal(raw, &p) != nil || !p.has("text") && !p.has("blocks") && !p.has("attachments") {
		return
	}
	u := &responseURL{in: in, user: user, channel: ch.ID, origin: origin, at: s.clock.Now()}
	if _, code := s.respondNow(u, p); code != "" {
		s.fromSlackbot(ch, user, `the app's answer failed with the error "`+code+`"`)
	}
}

// interaction is what all interactive payloads begin with.
func (s *Server) interaction(kind string, in *install, u *User) object {
	return object{"type": kind, "token": "verification", "api_app_id": in.app.ID, "enterprise": nil, "is_enterprise_install": false,
		"team": object{"id": in.team, "domain": s.domain(in.team)}, "action_ts": s.nextTS(), "trigger_id": s.newTrigger(u.ID),
		"user": object{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": u.Team}}
}

func (s *Server) interact(in *install, ch *Channel, user string, origin *message, payload object, then func(json.RawMessage)) string {
	kind := kindOf(payload)
	d := &delivery{Delivery: Delivery{ID: s.nextID("act"), App: in.app.ID, Type: "interactive", Event: kind, Payload: rawOf(payload)}, in: in, then: then}
	d.failed = func() {
		if ch != nil {
			s.fromSlackbot(ch, user, "We had some trouble connecting. Try again?")
		}
	}
	return s.enqueue(d)
}

// Shortcut runs a global shortcut.
func (s *Server) Shortcut(user, callbackID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[user]
	in := s.installFor("Shortcut", s.owner(callbackID), u)
	if in == nil {
		return ""
	}
	payload := s.interaction("shortcut", in, u)
	payload["callback_id"] = callbackID
	return s.interact(in, nil, user, nil, payload, nil)
}

// MessageShortcut runs a shortcut on a message.
func (s *Server) MessageShortcut(user, callbackID, channel, ts string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.sent("MessageShortcut", channel, ts)
	u := s.users[user]
	in := s.installFor("MessageShortcut", s.owner(callbackID), u)
	if m == nil || in == nil {
		return ""
	}
	payload := s.interaction("message_action", in, u)
	payload["callback_id"], payload["message_ts"], payload["message"] = callbackID, m.ts, s.full(m)
	payload["channel"] = object{"id": ch.ID, "name": or(ch.Name, "directmessage")}
	payload["response_url"] = s.newResponseURL(in, user, ch.ID, nil)
	return s.interact(in, ch, user, nil, payload, nil)
}

// Click presses a button, or picks an option, in a message that the user sees:
// of a channel, or an ephemeral one. What names it by label, action_id or value.
// It gives back the id of the delivery.
func (s *Server) Click(user, channel, ts, what string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.room("Click", channel), s.users[user]
	if ch == nil || u == nil {
		s.problem("Click: no user %q", user)
		return ""
	}
	m := s.seen(user, channel, ts)
	if m == nil || m.in == nil {
		s.problem("Click: %s sees no message %s of an app in %s", user, ts, channel)
		return ""
	}
	list := controls(m.allBlocks())
	c, ok := choose(list, what)
	if !ok {
		s.problem("Click: no %q in message %s; there is %s", what, ts, labels(list))
		return ""
	}
	payload := s.interaction("block_actions", m.in, u)
	payload["container"] = object{"type": "message", "message_ts": m.ts, "channel_id": ch.ID, "is_ephemeral": m.to != "", "thread_ts": m.thread}
	payload["channel"] = object{"id": ch.ID, "name": or(ch.Name, "directmessage")}
	payload["state"] = object{"values": object{}}
	payload["response_url"] = s.newResponseURL(m.in, user, ch.ID, m)
	payload["actions"] = []object{c.action(s.nextTS())}
	if m.to == "" {
		payload["message"] = s.full(m)
	}
	return s.interact(m.in, ch, user, m, payload, func(raw json.RawMessage) { s.answerNow(m.in, ch, user, m, raw) })
}

// seen finds a message that a user has on the screen.
func (s *Server) seen(user, channel, ts string) *message {
	for _, m := range s.ephemerals {
		if m.to == user && m.channel == channel && m.ts == ts && !m.deleted {
			return m
		}
	}
	return s.find(channel, ts)
}

// allBlocks are the blocks of a message, of its stream and its attachments.
func (m *message) allBlocks() []any {
	out := append([]any(nil), m.blocks...)
	if m.stream != nil {
		out = append(out, m.stream.blocks...)
	}
	for _, value := range m.attachments {
		a, _ := value.(object)
		if list, ok := a["blocks"].([]any); ok {
			out = append(out, list...)
		}
	}
	return out
}
