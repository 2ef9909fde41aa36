package discordtest

import (
	"strings"
)

// File is a file that a person attaches.
type File struct {
	Name, Type string
	Data       []byte
}

// Extra is what a person may add to a message.
type Extra func(*Server, *message)

// WithFiles attaches files.
func WithFiles(files ...File) Extra {
	return func(s *Server, m *message) {
		for _, f := range files {
			m.files = append(m.files, s.keepFile(m.channel, f.Name, f.Type, f.Data, false))
		}
	}
}

// WithEmbed adds a preview card of a link, as Discord makes it.
func WithEmbed(title, description, url string) Extra {
	return func(_ *Server, m *message) {
		m.embeds = append(m.embeds, object{"type": "article", "title": title, "description": description, "url": url})
	}
}

// AsReply makes the message a reply to another one; its author is notified.
func AsReply(id string) Extra {
	return func(s *Server, m *message) {
		r := s.byMessage[id]
		if r == nil || r.channel != m.channel {
			s.problem("AsReply: there is no message %q in channel %s", id, m.channel)
			return
		}
		m.kind, m.ref, m.refChannel = replyMessage, id, m.channel
	}
}

// OfType makes the message one of Discord's own, such as 7 for "joined" or 6 for
// "pinned a message"; the numbers are those of discordgo.MessageType….
func OfType(kind int) Extra { return func(_ *Server, m *message) { m.kind = kind } }

// SayWebhook posts a message as a webhook of this name, mentions and all, and
// returns its id.
func (s *Server) SayWebhook(channel, name, text string, more ...Extra) string {
	defer s.lock()()
	c := s.channels[channel]
	if c == nil || c.Guild == "" {
		s.problem("SayWebhook: there is no channel %q in a guild", channel)
		return ""
	}
	more = append(more, func(_ *Server, m *message) { m.hook = name })
	return s.say(c, s.nextID(), text, more...).id
}

// Say posts a message as a user and returns its id. A user who may not write
// there is a mistake of the test.
func (s *Server) Say(channel, user, text string, more ...Extra) string {
	defer s.lock()()
	c := s.channels[channel]
	if c == nil || s.users[user] == nil {
		s.problem("Say: there is no channel %q or no user %q", channel, user)
		return ""
	}
	if !s.may(user, c).Has(SendMessages) {
		s.problem("Say: %s may not write in channel %s", s.users[user].Name, channel)
		return ""
	}
	return s.say(c, user, text, more...).id
}

func (s *Server) say(c *Channel, user, text string, more ...Extra) *message {
	m := &message{channel: c.ID, author: user, content: text}
	for _, x := range more {
		x(s, m)
	}
	s.mention(m, &draft{form: form{mistakes: &mistakes{}}})
	return s.post(m)
}

// Mention says something to the bot: with its mention before the text.
func (s *Server) Mention(channel, user, text string, more ...Extra) string {
	return s.Say(channel, user, "<@"+BotUser+"> "+text, more...)
}

// Reply answers a message as a user, with a notification to its author.
func (s *Server) Reply(channel, user, message, text string, more ...Extra) string {
	return s.Say(channel, user, text, append(more, AsReply(message))...)
}

// DM writes to the bot directly and returns the id of the message. OpenDM gives
// that of the channel.
func (s *Server) DM(user, text string, more ...Extra) string {
	return s.Say(s.OpenDM(user), user, text, more...)
}

// find is a message that still stands.
func (s *Server) find(method, id string) *message {
	m := s.byMessage[id]
	if m == nil || m.deleted {
		s.problem("%s: there is no message %q", method, id)
		return nil
	}
	return m
}

// Edit changes the text of a message as its author.
func (s *Server) Edit(id, text string) {
	defer s.lock()()
	if m := s.find("Edit", id); m != nil {
		s.amend(m, func() {
			m.content = text
			s.mention(m, &draft{form: form{mistakes: &mistakes{}}})
		})
	}
}

// Unfurl adds a preview card to a message, as Discord does a moment after a
// link was posted: a MESSAGE_UPDATE that is no edit.
func (s *Server) Unfurl(id, title, url string) {
	defer s.lock()()
	if m := s.find("Unfurl", id); m != nil {
		m.embeds = append(m.embeds, object{"type": "article", "title": title, "url": url})
		s.dispatchMessage("MESSAGE_UPDATE", m)
	}
}

// Delete deletes a message, whoever wrote it.
func (s *Server) Delete(id string) {
	defer s.lock()()
	if m := s.find("Delete", id); m != nil {
		s.remove(m)
	}
}

// Purge deletes several messages of one channel at once, as moderators do.
func (s *Server) Purge(channel string, ids ...string) {
	defer s.lock()()
	for _, id := range ids {
		if m := s.find("Purge", id); m == nil || m.channel != channel {
			s.problem("Purge: message %q is not in channel %q", id, channel)
			return
		}
	}
	for _, id := range ids {
		s.byMessage[id].deleted = true
	}
	if s.channels[channel] != nil {
		s.dispatchDeleted("MESSAGE_DELETE_BULK", channel, object{"ids": ids})
	}
}

// React adds a reaction as a user.
func (s *Server) React(user, id, emoji string) {
	defer s.lock()()
	if m := s.find("React", id); m != nil {
		s.react(m, user, emoji, true)
	}
}

// Unreact takes a reaction back.
func (s *Server) Unreact(user, id, emoji string) {
	defer s.lock()()
	if m := s.find("Unreact", id); m != nil {
		s.react(m, user, emoji, false)
	}
}

// StartThread starts a thread at a message as a user; the thread has the
// message's id, which is returned.
func (s *Server) StartThread(user, id, name string) string {
	defer s.lock()()
	m := s.find("StartThread", id)
	if m == nil {
		return ""
	}
	c := s.channels[m.channel]
	if m.thread != "" || !s.may(user, c).Has(CreatePublicThreads) || c.Kind != Text && c.Kind != Announcement {
		s.problem("StartThread: %s cannot start a thread at message %s in %s", user, id, c.Name)
		return ""
	}
	return s.threadAt(m, c, Channel{Name: name, Owner: user}).ID
}

// Post opens a post in a forum as a user. The post and its first message have
// the id that is returned.
func (s *Server) Post(forum, user, title, text string, more ...Extra) string {
	defer s.lock()()
	c := s.channels[forum]
	if c == nil || c.Kind != Forum || !s.may(user, c).Has(SendMessages) {
		s.problem("Post: %q is no forum in which %s may post", forum, user)
		return ""
	}
	id := s.addChannel(Channel{Kind: PublicThread, Parent: forum, Name: title, Owner: user}, "")
	m := &message{id: id, channel: id, author: user, content: strings.TrimSpace(text)}
	for _, x := range more {
		x(s, m)
	}
	s.mention(m, &draft{form: form{mistakes: &mistakes{}}})
	s.post(m)
	return id
}
