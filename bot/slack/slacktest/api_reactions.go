package slacktest

import (
	"regexp"
	"slices"
)

var emojiName = regexp.MustCompile(`^[a-z0-9_+'-]+(::skin-tone-[2-6])?$`)

func (c *call) reacted() (*Channel, *message, error) {
	ch, err := c.visible(c.str("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.find(ch.ID, c.str("timestamp"))
	switch {
	case m == nil:
		return nil, nil, refuse("message_not_found")
	case !ch.has(c.in.bot):
		return nil, nil, refuse("not_in_channel")
	case ch.Archived:
		return nil, nil, refuse("is_archived")
	case !emojiName.MatchString(c.str("name")):
		return nil, nil, refuse("invalid_name")
	}
	return ch, m, nil
}

func (c *call) reactionsAdd() (object, error) {
	ch, m, err := c.reacted()
	if err != nil {
		return nil, err
	}
	if !c.react(ch, m, c.in.bot, c.str("name")) {
		return nil, refuse("already_reacted")
	}
	return nil, nil
}

func (c *call) reactionsRemove() (object, error) {
	ch, m, err := c.reacted()
	if err != nil {
		return nil, err
	}
	if !c.unreact(ch, m, c.in.bot, c.str("name")) {
		return nil, refuse("no_reaction")
	}
	return nil, nil
}

// react adds a reaction and reports whether it is new.
func (s *Server) react(ch *Channel, m *message, user, name string) bool {
	i := slices.IndexFunc(m.reactions, func(r reaction) bool { return r.name == name })
	if i < 0 {
		m.reactions = append(m.reactions, reaction{name: name})
		i = len(m.reactions) - 1
	}
	if slices.Contains(m.reactions[i].users, user) {
		return false
	}
	m.reactions[i].users = append(m.reactions[i].users, user)
	s.reactionEvent("reaction_added", ch, m, user, name)
	return true
}

func (s *Server) unreact(ch *Channel, m *message, user, name string) bool {
	for i, r := range m.reactions {
		at := slices.Index(r.users, user)
		if r.name != name || at < 0 {
			continue
		}
		m.reactions[i].users = slices.Delete(slices.Clone(r.users), at, at+1)
		if len(m.reactions[i].users) == 0 {
			m.reactions = slices.Delete(m.reactions, i, i+1)
		}
		s.reactionEvent("reaction_removed", ch, m, user, name)
		return true
	}
	return false
}

func (s *Server) reactionEvent(kind string, ch *Channel, m *message, user, name string) {
	s.eachIn(ch, func(in *install) {
		s.emit(in, kind, object{"type": kind, "user": user, "reaction": name, "item_user": m.user, "event_ts": s.nextTS(),
			"item": object{"type": "message", "channel": ch.ID, "ts": m.ts}}, ch)
	})
	s.touch()
}
