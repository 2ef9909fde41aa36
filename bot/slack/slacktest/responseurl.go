package slacktest

import (
	"net/http"
	"time"
)

// What a response_url allows.
const (
	responseUses = 5
	responseLife = 30 * time.Minute
)

// responseURL answers one interaction, as often and as long as Slack lets it.
type responseURL struct {
	in      *install
	user    string
	channel string
	origin  *message // the message whose button was pressed; nil for commands
	at      time.Time
	used    int
}

func (s *Server) newResponseURL(in *install, user, channel string, origin *message) string {
	id := s.nextID("resp")
	s.responses[id] = &responseURL{in: in, user: user, channel: channel, origin: origin, at: s.clock.Now()}
	return s.base() + "/response/" + id
}

// serveResponseURL takes what an app posts to a response_url. The mutex is not
// held. The faults of the name "response_url" apply.
func (s *Server) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	p, _, err := readParams(r)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, object{"ok": false, "error": "invalid_payload"})
		return
	}
	fault := s.takeFault("response_url", p)
	if fault != nil && !fault.After && s.play(w, r, fault) {
		return
	}
	status, code := s.respond(r.PathValue("id"), p)
	if fault != nil && fault.After && s.play(w, r, fault) {
		return
	}
	o := object{"ok": code == ""}
	if code != "" {
		o["error"] = code
	}
	writeJSON(w, status, o)
}

func (s *Server) respond(id string, p params) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.responses[id]
	status, code := http.StatusNotFound, ""
	switch {
	case u == nil:
		code = "invalid_url"
	case s.clock.Now().Sub(u.at) > responseLife:
		code = "expired_url"
	case u.used >= responseUses:
		code = "used_url"
	default:
		u.used++
		status, code = s.respondNow(u, p)
	}
	s.calls = append(s.calls, Call{Method: "response_url", Params: p.clone(), At: s.clock.Now(), Error: code})
	s.touch()
	return status, code
}

func (s *Server) respondNow(u *responseURL, p params) (int, string) {
	c := &call{Server: s, params: p, method: "response_url", token: u.in.token, in: u.in}
	ch := s.channels[u.channel]
	replace, gone := p.flag("replace_original"), p.flag("delete_original")
	if gone || replace {
		if u.origin == nil || u.origin.deleted {
			return http.StatusNotFound, "message_not_found"
		}
	}
	if gone {
		s.erase(ch, u.origin)
		return http.StatusOK, ""
	}
	m := &message{channel: u.channel, user: u.in.bot, team: u.in.team, in: u.in}
	if err := c.content(m); err != nil {
		return http.StatusBadRequest, err.Error()
	}
	if replace {
		s.replace(ch, u.origin, m)
		return http.StatusOK, ""
	}
	m.ts, m.thread = s.nextTS(), p.str("thread_ts")
	if m.thread == "" && u.origin != nil {
		m.thread = u.origin.thread
	}
	if p.str("response_type") == "in_channel" {
		s.publish(ch, m)
		return http.StatusOK, ""
	}
	m.to = u.user
	s.ephemerals = append(s.ephemerals, m)
	return http.StatusOK, ""
}

func (s *Server) erase(ch *Channel, m *message) {
	if m.to != "" {
		m.keep()
		m.deleted = true
		return
	}
	s.remove(ch, m)
}

func (s *Server) replace(ch *Channel, m, next *message) {
	before := m.object(s)
	m.keep()
	m.text, m.blocks, m.attachments, m.stream = next.text, next.blocks, next.attachments, nil
	m.edits, m.edited = m.edits+1, s.nextTS()
	if m.to == "" {
		s.changedEvent(ch, m, before)
	}
}
