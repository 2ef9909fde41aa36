package discordtest

import (
	"net/http"
	"slices"
)

// channelFor is the channel in a path, if the bot sees it.
func (s *Server) channelFor(c *call) (*Channel, Permission, error) {
	ch := s.channels[c.PathValue("channel")]
	if ch == nil {
		return nil, 0, unknownChannel()
	}
	p := s.may(BotUser, ch)
	if !p.Has(ViewChannel) {
		return nil, 0, missingAccess()
	}
	return ch, p, nil
}

func (s *Server) apiChannel(c *call) (any, error) {
	ch, _, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	return s.channelJSON(ch), nil
}

// apiChangeChannel renames, archives and locks threads, which is all that the
// bot's permissions are for.
func (s *Server) apiChangeChannel(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	if !ch.Kind.IsThread() {
		if !p.Has(ManageChannels) {
			return nil, missingPermissions()
		}
	} else if !p.Has(ManageThreads) && (ch.Owner != BotUser || f.has("locked")) {
		return nil, missingPermissions()
	}
	next := *ch
	if f.has("name") {
		next.Name = f.text("name")
		f.mistakes.text("name", next.Name, 1, 100)
	}
	f.read("archived", &next.Archived)
	f.read("locked", &next.Locked)
	if f.has("auto_archive_duration") {
		next.ArchiveAfter = f.number("auto_archive_duration")
		archiveAfter(f.mistakes, next.ArchiveAfter)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	*ch = next
	s.announceChange(ch)
	return s.channelJSON(ch), nil
}

func (s *Server) apiTyping(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	if !p.Has(SendMessages) {
		return nil, missingPermissions()
	}
	s.typing[ch.ID]++
	return nil, nil
}

// messageFor is the message in a path. Ephemeral ones are reached by the token
// of their interaction only.
func (s *Server) messageFor(c *call, ch *Channel) (*message, error) {
	m := s.byMessage[c.PathValue("message")]
	if m == nil || m.deleted || m.channel != ch.ID || m.to != "" {
		return nil, unknownMessage()
	}
	return m, nil
}

func (s *Server) apiMessage(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	if !p.Has(ReadMessageHistory) {
		return nil, missingAccess()
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	return s.rest(m), nil
}

// apiMessages lists messages, the newest first. Without the permission to read
// the history the list is empty.
func (s *Server) apiMessages(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	var wrong mistakes
	limit := c.limit(&wrong, 50, 100)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	out := []object{}
	if !p.Has(ReadMessageHistory) {
		return out, nil
	}
	for _, m := range s.page(c, ch.ID, limit) {
		out = append(out, s.rest(m))
	}
	slices.Reverse(out)
	return out, nil
}

// page cuts the part of a channel that was asked for, the oldest first.
func (s *Server) page(c *call, channel string, limit int) []*message {
	var all []*message
	for _, m := range s.messages[channel] {
		if !m.deleted && m.to == "" {
			all = append(all, m)
		}
	}
	q := c.URL.Query()
	if id := q.Get("around"); id != "" {
		at := slices.IndexFunc(all, func(m *message) bool { return !before(m.id, id) })
		if at < 0 {
			at = len(all)
		}
		from := max(0, at-limit/2)
		return all[from:min(len(all), from+limit)]
	}
	if id := q.Get("after"); id != "" {
		all = slices.DeleteFunc(all, func(m *message) bool { return !before(id, m.id) })
		return all[:min(len(all), limit)]
	}
	if id := q.Get("before"); id != "" {
		all = slices.DeleteFunc(all, func(m *message) bool { return !before(m.id, id) })
	}
	return all[max(0, len(all)-limit):]
}

func (s *Server) apiReact(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	emoji := c.PathValue("emoji")
	there := slices.ContainsFunc(m.reactions, func(r *reaction) bool { return r.emoji == emoji })
	switch {
	case !p.Has(ReadMessageHistory), !there && !p.Has(AddReactions):
		return nil, missingPermissions()
	case !isEmoji(emoji):
		return nil, fail(http.StatusBadRequest, 10014, "Unknown Emoji")
	case ch.Archived:
		return nil, archived()
	}
	s.react(m, BotUser, emoji, true)
	return nil, nil
}

// isEmoji tells whether a text may be a Unicode emoji: short, and no letters.
func isEmoji(text string) bool {
	if text == "" || len([]rune(text)) > 8 {
		return false
	}
	return text[0] >= 0x80 || text[0] >= '0' && text[0] <= '9' || text[0] == '#' || text[0] == '*'
}

func (s *Server) apiUnreact(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	user := c.PathValue("user")
	if user == "@me" {
		user = BotUser
	} else if user != BotUser && !p.Has(ManageMessages) {
		return nil, missingPermissions()
	}
	s.react(m, user, c.PathValue("emoji"), false)
	return nil, nil
}

func (s *Server) apiReactions(c *call) (any, error) {
	ch, _, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	for _, r := range m.reactions {
		if r.emoji == c.PathValue("emoji") {
			return s.usersJSON(r.users), nil
		}
	}
	return []object{}, nil
}

func archived() *refusal { return fail(http.StatusBadRequest, 50083, "Thread is archived") }
