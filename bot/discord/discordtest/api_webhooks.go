package discordtest

import "net/http"

// hook is the interaction whose token is in a path. Its webhook exists once the
// interaction was answered, and ends with the token.
func (s *Server) hook(c *call) (*interaction, error) {
	for _, i := range s.asked {
		if i.token != c.PathValue("token") {
			continue
		}
		switch {
		case c.PathValue("app") != AppID, !i.acked:
			return nil, unknown(10015, "Webhook")
		case s.clock.Now().Sub(i.at) > tokenLife:
			return nil, fail(http.StatusUnauthorized, 50027, "Invalid Webhook Token")
		}
		return i, nil
	}
	return nil, unknown(10015, "Webhook")
}

// hookMessage is a message of an interaction: @original or a follow-up.
func (s *Server) hookMessage(c *call) (*interaction, *message, error) {
	i, err := s.hook(c)
	if err != nil {
		return nil, nil, err
	}
	m := i.original
	if id := c.PathValue("message"); id != "@original" {
		m = s.byMessage[id]
		if m != nil && m.by != i && m != i.original {
			m = nil
		}
	}
	if m == nil || m.deleted {
		return nil, nil, unknownMessage()
	}
	return i, m, nil
}

func (s *Server) apiHookMessage(c *call) (any, error) {
	_, m, err := s.hookMessage(c)
	if err != nil {
		return nil, err
	}
	return s.messageJSON(m), nil
}

func (s *Server) apiHookEdit(c *call) (any, error) {
	_, m, err := s.hookMessage(c)
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
	if err := s.rewrite(m, d, "edit"); err != nil {
		return nil, err
	}
	return s.messageJSON(m), nil
}

func (s *Server) apiHookDelete(c *call) (any, error) {
	_, m, err := s.hookMessage(c)
	if err != nil {
		return nil, err
	}
	s.remove(m)
	return nil, nil
}

// apiFollowUp adds a message to an interaction. The first one after a deferred
// answer takes the place of "thinking", and whoever reads that reads it.
func (s *Server) apiFollowUp(c *call) (any, error) {
	i, err := s.hook(c)
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
	if m := i.original; m != nil && m.flags&flagLoading != 0 && !m.deleted {
		if err := s.rewrite(m, d, "followup"); err != nil {
			return nil, err
		}
		return s.messageJSON(m), nil
	}
	m := s.answerTo(i, d)
	if i.original != nil {
		m.kind, m.ref, m.refChannel = replyMessage, i.original.id, i.channel
	}
	if s.fill(m, d); empty(m) {
		return nil, emptyMessage()
	}
	s.post(m)
	s.record("followup", m, d)
	return s.messageJSON(m), nil
}
