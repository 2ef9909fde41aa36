package slacktest

import "github.com/gorilla/websocket"

// Sockets returns the connections of Socket Mode that there were, oldest first,
// those that have ended too.
func (s *Server) Sockets() []*Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Socket(nil), s.sockets...)
}

// OpenSockets returns the connections that are up.
func (s *Server) OpenSockets() []*Socket {
	var out []*Socket
	for _, k := range s.Sockets() {
		if k.Open() {
			out = append(out, k)
		}
	}
	return out
}

// Number counts connections from 1 in the order in which they came up.
func (k *Socket) Number() int { return k.number }

// App is the id of the app that connected.
func (k *Socket) App() string { return k.app }

// Fingerprint is that of the app-level token; see the function of that name.
func (k *Socket) Fingerprint() string { return k.finger }

// Open tells whether the connection is up.
func (k *Socket) Open() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.gone
}

// Muted tells whether the socket is a black hole.
func (k *Socket) Muted() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.mute
}

// Sent is how many envelopes went out on this socket, Acked how many acks came.
func (k *Socket) Sent() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sent
}

// Acked is how many acks came in on this socket.
func (k *Socket) Acked() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.acked
}

// Drop cuts the connection without a closing frame, as a broken network does.
func (k *Socket) Drop() { cut(k.conn.NetConn()) }

// Mute turns the socket into a black hole: it stays connected, sends no ping,
// loses the events that Slack gives to it and hears no ack.
func (k *Socket) Mute(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mute = on
}

// Disconnect sends a disconnect frame; the reasons that Slack gives are
// warning, refresh_requested and link_disabled. The connection stays until the
// app closes it, as Slack leaves it for some seconds.
func (k *Socket) Disconnect(reason string) {
	_ = k.write(object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-slacktest"}})
}

// Close ends the connection with a closing frame.
func (k *Socket) Close(code int, reason string) {
	k.writing.Lock()
	defer k.writing.Unlock()
	_ = k.conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason))
}

// Raw sends a text frame as it is, for instance one that is no JSON.
func (k *Socket) Raw(frame string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	return k.conn.WriteMessage(websocket.TextMessage, []byte(frame))
}

// dropAfter cuts the connection once n envelopes went out.
func (k *Socket) dropAfter(n int) {
	_ = k.server.Wait(k.server.ctx, func() bool { return !k.Open() || k.Sent() >= n })
	k.Drop()
}

// send writes an envelope; a black hole swallows it.
func (k *Socket) send(envelope object) error {
	k.mu.Lock()
	k.sent++
	mute := k.mute
	k.mu.Unlock()
	if mute {
		return nil
	}
	return k.write(envelope)
}
