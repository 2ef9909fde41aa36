package discordtest

import (
	"net/http"
	"time"
)

// sendable tells why the bot may not write into a channel; nil if it may.
func (s *Server) sendable(ch *Channel, p Permission, d *draft) error {
	switch {
	case ch.Kind == Category || ch.Kind == Forum:
		return fail(http.StatusBadRequest, 50008, "Cannot send messages in a non-text channel")
	case ch.Kind == Direct && (s.noDMs[ch.Recipient] || !s.shares(ch.Recipient)):
		return fail(http.StatusForbidden, 50007, "Cannot send messages to this user")
	case !p.Has(SendMessages):
		return missingPermissions()
	case ch.Archived && ch.Locked && !p.Has(ManageThreads):
		return archived()
	}
	return mayCarry(p, d)
}

// mayCarry holds the parts of a message against the permissions for them.
func mayCarry(p Permission, d *draft) error {
	if len(d.embeds) > 0 && !p.Has(EmbedLinks) || len(d.files) > 0 && !p.Has(AttachFiles) {
		return missingPermissions()
	}
	return nil
}

func (s *Server) apiSend(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	d, err := readDraft(f, c.files, false)
	if err != nil {
		return nil, err
	}
	if err := s.sendable(ch, p, d); err != nil {
		return nil, err
	}
	if m := s.sameNonce(ch, d); m != nil {
		return s.rest(m), nil
	}
	m, err := s.compose(ch, p, d)
	if err != nil {
		return nil, err
	}
	s.post(m)
	s.record("send", m, d)
	return s.rest(m), nil
}

// compose makes the bot's message out of a draft.
func (s *Server) compose(ch *Channel, p Permission, d *draft) (*message, error) {
	m := &message{channel: ch.ID, author: BotUser}
	if d.flags&flagEphemeral != 0 {
		d.add("flags", "MESSAGE_FLAGS_EPHEMERAL_INVALID", "Only interaction responses can be ephemeral.")
		return nil, d.err()
	}
	if d.ref != "" {
		if !p.Has(ReadMessageHistory) {
			return nil, fail(http.StatusForbidden, 160002, "Cannot reply without permission to read message history")
		}
		r := s.byMessage[d.ref]
		there := r != nil && !r.deleted && r.channel == ch.ID && r.to == ""
		if !there && d.failIfMissing {
			d.add("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
			return nil, d.err()
		}
		if there {
			m.kind, m.ref, m.refChannel = replyMessage, d.ref, ch.ID
		}
	}
	s.fill(m, d)
	if empty(m) {
		return nil, emptyMessage()
	}
	return m, nil
}

// sameNonce is the message that was sent with this nonce in the last minutes,
// if the sender asked for that to be one and the same.
func (s *Server) sameNonce(ch *Channel, d *draft) *message {
	if !d.unique || d.nonce == nil {
		return nil
	}
	for _, m := range s.messages[ch.ID] {
		if m.author == BotUser && m.nonce == d.nonce && s.clock.Now().Sub(timeOf(m.id)) < 5*time.Minute {
			return m
		}
	}
	return nil
}

func (s *Server) apiEdit(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	d, err := readDraft(f, c.files, m.flags&flagV2 != 0)
	if err != nil {
		return nil, err
	}
	switch old := s.options.editWindow; {
	case m.author != BotUser:
		return nil, fail(http.StatusForbidden, 50005, "Cannot edit a message authored by another user")
	case ch.Archived:
		return nil, archived()
	case old > 0 && s.clock.Now().Sub(timeOf(m.id)) >= old:
		return nil, fail(http.StatusTooManyRequests, 30046, "Maximum number of edits to messages older than 1 hour reached. Try again later.")
	}
	if err := mayCarry(p, d); err != nil {
		return nil, err
	}
	if err := s.rewrite(m, d, "edit"); err != nil {
		return nil, err
	}
	return s.rest(m), nil
}

// rewrite changes a message by a draft, or not at all if nothing would be left
// of it.
func (s *Server) rewrite(m *message, d *draft, how string) error {
	trial := *m
	s.overwrite(&trial, d)
	if empty(&trial) {
		return emptyMessage()
	}
	s.amend(m, func() {
		m.content, m.embeds, m.components, m.flags, m.files, m.mentions =
			trial.content, trial.embeds, trial.components, trial.flags, trial.files, trial.mentions
	})
	s.record(how, m, d)
	return nil
}

func (s *Server) apiDelete(c *call) (any, error) {
	ch, p, err := s.channelFor(c)
	if err != nil {
		return nil, err
	}
	m, err := s.messageFor(c, ch)
	if err != nil {
		return nil, err
	}
	if m.author != BotUser && !p.Has(ManageMessages) {
		return nil, missingPermissions()
	}
	if ch.Archived {
		return nil, archived()
	}
	s.remove(m)
	return nil, nil
}
