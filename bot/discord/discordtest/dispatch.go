package discordtest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// event is something that sessions may hear of.
type event struct {
	name    string
	intent  Intent   // 0 needs none
	channel *Channel // the bot must see it
	guild   *guild   // the bot must be in it
	body    func(*session) object
}

// session is one identified connection and what it can resume.
type session struct {
	id      string
	intents Intent
	seq     int
	log     []logged
	conn    *Connection
}

type logged struct {
	seq int
	raw []byte
}

// Sent is one event that went to a session, whether or not it arrived.
type Sent struct {
	Event   string
	Session string
	Seq     int
	Data    json.RawMessage
	Lost    bool // a Disturbance ate it
}

// Events lists what was dispatched under a name, everything for "".
func (s *Server) Events(name string) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.sent), func(e Sent) bool { return name != "" && e.Event != name })
}

// Emit dispatches an event of any name and shape to every session, such as one
// that no client knows.
func (s *Server) Emit(name string, data any) {
	defer s.lock()()
	raw, err := json.Marshal(data)
	if err != nil {
		s.problem("Emit %s: %v", name, err)
		return
	}
	for _, t := range s.ordered() {
		s.emitRaw(t, name, raw)
	}
}

func (s *Server) ordered() []*session {
	var out []*session
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		out = append(out, s.sessions[id])
	}
	return out
}

// dispatch sends an event to every session that may have it.
func (s *Server) dispatch(e event) {
	if e.channel != nil {
		if e.guild == nil {
			e.guild = s.guilds[e.channel.Guild]
		}
		if !s.may(BotUser, e.channel).Has(ViewChannel) {
			return
		}
	}
	if e.guild != nil && (!e.guild.bot || e.guild.unavailable) {
		return
	}
	for _, t := range s.ordered() {
		if e.intent == 0 || t.intents&e.intent != 0 {
			s.emit(t, e.name, e.body(t))
		}
	}
}

// dispatchIn sends the same body to every session, if the bot is in the guild.
func (s *Server) dispatchIn(g *guild, name string, intent Intent, body object) {
	s.dispatch(event{name: name, intent: intent, guild: g, body: func(*session) object { return body }})
}

// dispatchGuild sends GUILD_CREATE.
func (s *Server) dispatchGuild(g *guild) {
	s.dispatch(event{name: "GUILD_CREATE", intent: Guilds, guild: g, body: func(t *session) object { return s.guildCreateJSON(g, t.intents) }})
}

func (s *Server) emit(t *session, name string, body object) {
	if s.options.future {
		body = maps.Clone(body)
		body["future_field"] = object{"kind": 7, "parts": []any{"a", nil, 1.5}}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		s.problem("%s: %v", name, err)
		return
	}
	s.emitRaw(t, name, raw)
}

func (s *Server) emitRaw(t *session, name string, data json.RawMessage) {
	t.seq++
	raw, err := json.Marshal(object{"op": opDispatch, "t": name, "s": t.seq, "d": data})
	if err != nil {
		s.problem("%s: %v", name, err)
		return
	}
	t.log = append(t.log, logged{t.seq, raw})
	if extra := len(t.log) - s.options.resumeFor; extra > 0 {
		t.log = slices.Clone(t.log[extra:])
	}
	d := s.disturbance(name, data)
	s.sent = append(s.sent, Sent{Event: name, Session: t.id, Seq: t.seq, Data: data, Lost: d != nil && d.Lose})
	if t.conn == nil || d != nil && d.Lose {
		return
	}
	if d != nil && d.Delay > 0 {
		s.later(t.conn, raw, d.Delay)
	} else {
		t.conn.push(frame{raw: raw})
	}
	for n := 0; d != nil && n < d.Repeat; n++ {
		t.conn.push(frame{raw: raw})
	}
}

// later sends a frame after d on the server's clock. A goroutine that Close
// waits for does that.
func (s *Server) later(c *Connection, raw []byte, d time.Duration) {
	if s.closed {
		return
	}
	due := s.clock.Now().Add(d)
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		if !s.clock.Until(s.ctx, due) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		c.push(frame{raw: raw})
	}()
}

// Disturbance is how events go wrong on their way. Events of a session keep
// their numbers, so that a lost one comes again with a resume.
type Disturbance struct {
	Event  string // name; "" is every event
	Times  int    // how many it hits; 0 is one, less than 0 all
	Skip   int    // events that it lets pass before
	When   func(name string, data json.RawMessage) bool
	Lose   bool
	Repeat int           // how often it comes again
	Delay  time.Duration // on the server's clock; later events overtake it
}

// Disturb sets a disturbance for the next events that it fits.
func (s *Server) Disturb(d Disturbance) {
	defer s.lock()()
	if d.Times == 0 {
		d.Times = 1
	}
	s.disturbed = append(s.disturbed, &d)
}

func (s *Server) disturbance(name string, data json.RawMessage) *Disturbance {
	for _, d := range s.disturbed {
		if d.Times == 0 || d.Event != "" && d.Event != name || d.When != nil && !d.When(name, data) {
			continue
		}
		if d.Skip > 0 {
			d.Skip--
			continue
		}
		d.Times--
		return d
	}
	return nil
}
