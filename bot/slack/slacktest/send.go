package slacktest

import (
	"encoding/json"
	"slices"
)

// Say is a message that a person, or another bot, posts.
type Say struct {
	Channel, User string
	Text          string // as Slack stores it: mentions as <@U1>, & < > escaped
	Thread        string // ts of the root
	Broadcast     bool   // the reply is shown in the channel too
	Files         []FileData
	Blocks        string // JSON, in place of the rich text that a person types
	Webhook       string // posted by an incoming webhook or workflow of that name: no user, subtype bot_message
	Metadata      string // JSON
}

// Say posts a message, emits its events, and gives back its ts.
func (s *Server) Say(say Say) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.say(say)
}

func (s *Server) say(say Say) string {
	ch, u := s.channels[say.Channel], s.users[say.User]
	switch {
	case ch == nil:
		s.problem("Say: no channel %q", say.Channel)
		return ""
	case u == nil && say.Webhook == "":
		s.problem("Say: no user %q", say.User)
		return ""
	case u != nil && !ch.has(u.ID) && ch.Kind != Public:
		s.problem("Say: %s is not in %s", say.User, say.Channel)
		return ""
	}
	m := &message{channel: ch.ID, ts: s.nextTS(), thread: say.Thread, user: say.User, team: ch.Team, text: say.Text, broadcast: say.Broadcast}
	if u != nil {
		m.team = u.Team
	}
	if say.Webhook != "" {
		m.subtype, m.username, m.user = "bot_message", say.Webhook, ""
	} else if say.Text != "" {
		m.blocks = richBlocks(s.nextID("b"), say.Text)
	}
	s.sayJSON(&m.metadata, "Metadata", say.Metadata)
	if say.Blocks != "" {
		m.blocks = nil
		s.sayJSON(&m.blocks, "Blocks", say.Blocks)
	}
	for _, f := range say.Files {
		file := s.newFile(f, say.User)
		file.channels = []string{ch.ID}
		m.files, m.subtype = append(m.files, file), "file_share"
	}
	s.publish(ch, m)
	for _, f := range m.files {
		s.eachIn(ch, func(in *install) {
			s.emit(in, "file_shared", object{"type": "file_shared", "file_id": f.id, "file": object{"id": f.id}, "user_id": say.User,
				"channel_id": ch.ID, "event_ts": m.ts}, ch)
		})
	}
	return m.ts
}

func (s *Server) sayJSON(into any, name, text string) {
	if text == "" {
		return
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		s.problem("Say: %s is no JSON: %v", name, err)
	}
}

// Message posts a text in a channel.
func (s *Server) Message(channel, user, text string) string {
	return s.Say(Say{Channel: channel, User: user, Text: text})
}

// Reply posts a text in a thread.
func (s *Server) Reply(channel, thread, user, text string) string {
	return s.Say(Say{Channel: channel, User: user, Text: text, Thread: thread})
}

// Mention posts a text that begins with the mention of the first app's bot.
func (s *Server) Mention(channel, user, text string) string {
	return s.MentionIn(channel, "", user, text)
}

// MentionIn is Mention in a thread.
func (s *Server) MentionIn(channel, thread, user, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	team := ""
	if ch := s.channels[channel]; ch != nil {
		team = ch.Team
	}
	return s.say(Say{Channel: channel, User: user, Text: "<@" + s.bot(team) + "> " + text, Thread: thread})
}

// DMChannel is the direct message of a user with the first app's bot, opened if
// there is none.
func (s *Server) DMChannel(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[user]
	if u == nil || s.main == nil {
		s.problem("DMChannel: no user %q, or no app", user)
		return ""
	}
	return s.direct(u.Team, user, s.bot(u.Team)).ID
}

// DM posts a direct message to the first app's bot.
func (s *Server) DM(user, text string) (channel, ts string) {
	channel = s.DMChannel(user)
	return channel, s.Message(channel, user, text)
}

// Edit changes the text of a person's message. An edit that adds the first
// mention of a bot gives app_mention too.
func (s *Server) Edit(channel, ts, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.sent("Edit", channel, ts)
	if m == nil {
		return
	}
	before, old := m.object(s), m.text
	m.keep()
	m.text, m.blocks = text, richBlocks(s.nextID("b"), text)
	m.edits, m.edited = m.edits+1, s.nextTS()
	s.changedEvent(ch, m, before)
	s.eachIn(ch, func(in *install) {
		if names(old, in.bot) {
			return
		}
		base := s.full(m)
		base["channel"], base["event_ts"] = ch.ID, m.edited
		s.mentionEvent(ch, m, in, base, text)
	})
	s.touch()
}

// Delete deletes a message; a root with replies leaves a tombstone.
func (s *Server) Delete(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch, m := s.sent("Delete", channel, ts); m != nil {
		s.remove(ch, m)
	}
}

// React adds a person's reaction, such as "+1".
func (s *Server) React(channel, ts, user, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch, m := s.sent("React", channel, ts); m != nil {
		s.react(ch, m, user, name)
	}
}

// Unreact takes a person's reaction back.
func (s *Server) Unreact(channel, ts, user, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch, m := s.sent("Unreact", channel, ts); m != nil {
		s.unreact(ch, m, user, name)
	}
}

// sent finds a message for a sender, and says so when there is none.
func (s *Server) sent(what, channel, ts string) (*Channel, *message) {
	m := s.find(channel, ts)
	if m == nil {
		s.problem("%s: no message %s in %q", what, ts, channel)
		return nil, nil
	}
	return s.channels[channel], m
}

// Emit sends an event of a test's own making to an app's first installation,
// whatever it subscribed to. The event is a value that becomes a JSON object
// with a type.
func (s *Server) Emit(app string, event any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[app]
	if a == nil {
		s.problem("Emit: no app %q", app)
		return ""
	}
	inner := convert[object](event)
	kind, _ := inner["type"].(string)
	return s.emitTo(a.installs[0], kind, inner, s.channels[convert[string](inner["channel"])])
}

// Events lists what an app was sent, by Delivery.Event, in order.
func (s *Server) Events(app string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, d := range s.deliveries {
		if d.App == app {
			out = append(out, d.Event)
		}
	}
	return slices.Clip(out)
}
