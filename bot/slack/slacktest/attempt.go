package slacktest

import (
	"context"
	"time"
)

// try delivers once, over a socket or over HTTP, and reports whether the app
// may have it. The mutex is not held.
func (s *Server) try(d *delivery, attempt int, reason string) (string, bool) {
	s.mu.Lock()
	address, secret := d.address(), d.to.SigningSecret
	s.mu.Unlock()
	if address != "" {
		return s.post(d, address, secret, attempt, reason)
	}
	for range maxSockets {
		socket := s.pick(d)
		if socket == nil {
			break
		}
		if s.send(d, socket, attempt, reason) {
			return reason, true
		}
	}
	s.note(d, Attempt{Reason: reason, Sent: s.clock.Now(), Error: "no socket is open"})
	return "no_connection", false
}

// send writes the delivery to a socket and reports whether that worked; a
// socket that breaks at this moment uses up no retry. The mutex is not held.
func (s *Server) send(d *delivery, socket *Socket, attempt int, reason string) bool {
	s.mu.Lock()
	id := s.nextID("env")
	d.sent[id] = time.Now()
	s.mu.Unlock()
	s.note(d, Attempt{Envelope: id, Socket: socket.number, Reason: reason, Sent: s.clock.Now()})
	if d.rule != nil && d.rule.Drop && attempt == 0 {
		return true
	}
	envelope := object{"envelope_id": id, "type": d.Type, "payload": d.Payload, "accepts_response_payload": d.Type != "events_api"}
	if d.Type == "events_api" {
		envelope["retry_attempt"], envelope["retry_reason"] = attempt, reason
	}
	err := socket.send(envelope)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch()
	if err != nil {
		d.Attempts[len(d.Attempts)-1].Error = err.Error()
	}
	return err == nil
}

func (s *Server) note(d *delivery, a Attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.Attempts = append(d.Attempts, a)
	s.touch()
}

// address is where the delivery goes over HTTP, empty in Socket Mode.
func (d *delivery) address() string {
	a := d.to.App
	switch d.Type {
	case "slash_commands":
		return or(a.CommandsURL, a.EventsURL)
	case "interactive":
		return or(a.ActionsURL, a.EventsURL)
	}
	return a.EventsURL
}

// pick chooses the socket: the open ones take turns. With none open it waits for
// one as long as for an ack. The mutex is not held.
func (s *Server) pick(d *delivery) *Socket {
	if socket := s.nextSocket(d.App); socket != nil {
		return socket
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	timeout := s.clock.After(ctx, s.runUnlocked, s.clock.Now().Add(s.options.ackTimeout))
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if socket := s.nextSocket(d.App); socket != nil {
			return socket
		}
		select {
		case <-changed:
		case <-timeout:
			return nil
		case <-s.ctx.Done():
			return nil
		}
	}
}

func (s *Server) nextSocket(app string) *Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	var up []*Socket
	for _, k := range s.sockets {
		if k.app == app && k.Open() {
			up = append(up, k)
		}
	}
	if len(up) == 0 {
		return nil
	}
	s.turn[app]++
	return up[(s.turn[app]-1)%len(up)]
}
