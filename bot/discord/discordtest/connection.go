package discordtest

import (
	"net"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

const writeWait = 2 * time.Second

// Connection is one connection to the gateway.
type Connection struct {
	server *Server
	ws     *websocket.Conn
	number int
	plan   ConnectionPlan
	wake   chan struct{}
	done   chan struct{} // closed when the connection has ended

	// Guarded by the server's mutex.
	session  *session
	queue    []frame
	mute     bool
	noAcks   bool
	closing  bool // the server closes it
	gone     bool
	ready    bool
	resumed  bool
	beats    int
	hold     time.Time // on the server's clock; the next frame waits until then
	commands []time.Time
}

// frame is a packet, or a close code.
type frame struct {
	raw   []byte
	close int
}

// push queues a frame; a close is the last one.
func (c *Connection) push(f frame) {
	if c.closing {
		return
	}
	c.closing = f.close != 0
	c.queue = append(c.queue, f)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next takes the next frame from the queue. The mutex is not held.
func (c *Connection) next() (frame, time.Time, bool) {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(c.queue) > 0 {
		f := c.queue[0]
		c.queue = c.queue[1:]
		if !c.mute {
			hold := c.hold
			c.hold = time.Time{}
			return f, hold, true
		}
	}
	return frame{}, time.Time{}, false
}

// write sends what is queued until the connection ends. The mutex is not held.
func (c *Connection) write() {
	for {
		f, hold, ok := c.next()
		if !ok {
			select {
			case <-c.wake:
				continue
			case <-c.done:
				return
			}
		}
		if !hold.IsZero() && !c.server.clock.Until(c.server.ctx, hold) {
			return
		}
		if f.close != 0 {
			// The client closes; the deadline is for one that does not.
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(f.close, ""), time.Now().Add(writeWait))
			_ = c.ws.SetReadDeadline(time.Now().Add(writeWait))
			return
		}
		_ = c.ws.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if c.ws.WriteMessage(websocket.TextMessage, f.raw) != nil {
			_ = c.ws.Close() // the reader draws the conclusions
			return
		}
	}
}

// Connections lists the connections that are open, the oldest first.
func (s *Server) Connections() []*Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.connections), func(c *Connection) bool { return c.gone || c.closing })
}

// Dialed is how many connections there were so far, open or not.
func (s *Server) Dialed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.connections)
}

// Identified is how often a client started a new session.
func (s *Server) Identified() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identifies
}

// ForgetSessions makes every later resume fail with an invalid session.
func (s *Server) ForgetSessions() {
	defer s.lock()()
	clear(s.sessions)
}

// end closes a session and its connection.
func (s *Server) end(t *session, code int) {
	delete(s.sessions, t.id)
	if t.conn != nil {
		t.conn.push(frame{close: code})
	}
}

// Number counts the connections of a server from 1.
func (c *Connection) Number() int { return c.number }

// Ready tells whether the client has identified or resumed.
func (c *Connection) Ready() bool {
	return c.state(func() bool { return c.ready && !c.gone && !c.mute })
}

// Resumed tells whether the client took up an earlier session.
func (c *Connection) Resumed() bool { return c.state(func() bool { return c.resumed }) }

// Intents are what the client identified with.
func (c *Connection) Intents() Intent {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.session == nil {
		return 0
	}
	return c.session.intents
}

// Heartbeats is how many the client has sent.
func (c *Connection) Heartbeats() int {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.beats
}

func (c *Connection) state(f func() bool) bool {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return f()
}

// Reconnect asks the client to reconnect and resume (op 7).
func (c *Connection) Reconnect() {
	c.server.with(func() { c.push(frame{raw: packet(opReconnect, nil)}) })
}

// Invalidate tells the client that its session is invalid (op 9); if it is not
// resumable, a later resume of it fails.
func (c *Connection) Invalidate(resumable bool) {
	c.server.with(func() {
		if c.session != nil {
			c.session.conn = nil
			if !resumable {
				delete(c.server.sessions, c.session.id)
			}
		}
		c.session, c.ready = nil, false
		c.push(frame{raw: packet(opInvalid, resumable)})
	})
}

// Ping asks the client for a heartbeat (op 1).
func (c *Connection) Ping() {
	c.server.with(func() { c.push(frame{raw: packet(opHeartbeat, nil)}) })
}

// Raw sends a packet of any opcode, or text that is no JSON.
func (c *Connection) Raw(text string) {
	c.server.with(func() { c.push(frame{raw: []byte(text)}) })
}

// CloseWith closes the connection with a code such as 4000 or 4009. The session
// can be resumed after all but 4004, 4007, 4009 and those from 4010 on.
func (c *Connection) CloseWith(code int) {
	c.server.with(func() {
		if c.session != nil && (code == closeBadToken || code == 4007 || code >= closeTimedOut) {
			delete(c.server.sessions, c.session.id)
		}
		c.push(frame{close: code})
	})
}

// WithholdAcks sets whether heartbeats stay without ack.
func (c *Connection) WithholdAcks(on bool) { c.server.with(func() { c.noAcks = on }) }

// BlackHole lets the connection die in silence: nothing is sent and nothing that
// comes is taken, and it is not closed either. What was dispatched meanwhile
// comes with a resume.
func (c *Connection) BlackHole() {
	c.server.with(func() {
		c.mute = true
		_ = c.ws.SetReadDeadline(time.Time{})
	})
}

// Drop cuts the connection without a close frame.
func (c *Connection) Drop() {
	if tcp, ok := c.ws.NetConn().(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.ws.Close()
}
