package discordtest

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// Opcodes of the gateway.
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opPresence  = 3
	opVoice     = 4
	opResume    = 6
	opReconnect = 7
	opMembers   = 8
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// Codes with which the gateway closes a connection.
const (
	closeUnknownOp  = 4001
	closeDecode     = 4002
	closeNoAuth     = 4003
	closeBadToken   = 4004
	closeTwice      = 4005
	closeTooFast    = 4008
	closeTimedOut   = 4009
	closeShard      = 4010
	closeVersion    = 4012
	closeIntents    = 4013
	closeDisallowed = 4014

	commandsPerMinute = 120
)

// ConnectionPlan says how a coming connection behaves.
type ConnectionPlan struct {
	Refuse    int           // HTTP status instead of a connection
	Silent    bool          // accepts and says nothing, not even hello
	Reconnect bool          // op 7 as the first packet after hello
	Invalid   bool          // op 9 as answer to identify or resume, once
	NoReady   bool          // identify and resume are never answered
	ReadyIn   time.Duration // READY or RESUMED comes later, on the server's clock
	Close     int           // close code as answer to identify or resume
	NoAcks    bool          // heartbeats are not acked
}

// Plan sets how the next connections behave, one plan each.
func (s *Server) Plan(plans ...ConnectionPlan) {
	defer s.lock()()
	s.plans = append(s.plans, plans...)
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// serveGateway is one connection from its handshake to its end. The mutex is
// not held.
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	plan := s.nextPlan()
	if plan.Refuse != 0 {
		w.WriteHeader(plan.Refuse)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	c := s.connect(ws, plan)
	if c == nil {
		_ = ws.Close()
		return
	}
	q := r.URL.Query()
	if v := q.Get("v"); v != "" && v != "9" && v != "10" || q.Get("encoding") != "" && q.Get("encoding") != "json" {
		s.with(func() { c.push(frame{close: closeVersion}) })
	}
	c.read()
	s.disconnect(c)
}

func (s *Server) nextPlan() ConnectionPlan {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.plans) == 0 {
		return ConnectionPlan{}
	}
	plan := s.plans[0]
	s.plans = s.plans[1:]
	return plan
}

// with runs f while the mutex is held.
func (s *Server) with(f func()) {
	defer s.lock()()
	f()
}

// connect registers a connection and says hello. It returns nil once the
// server is closing. The mutex is not held.
func (s *Server) connect(ws *websocket.Conn, plan ConnectionPlan) *Connection {
	defer s.lock()()
	if s.closed {
		return nil
	}
	c := &Connection{server: s, ws: ws, number: len(s.connections) + 1, plan: plan, mute: plan.Silent, noAcks: plan.NoAcks,
		wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.connections = append(s.connections, c)
	c.push(frame{raw: packet(opHello, object{"heartbeat_interval": max(1, s.options.heartbeat.Milliseconds())})})
	if plan.Reconnect {
		c.push(frame{raw: packet(opReconnect, nil)})
	}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		c.write()
	}()
	return c
}

func packet(op int, data any) []byte {
	raw, err := json.Marshal(object{"op": op, "d": data, "s": nil, "t": nil})
	if err != nil {
		return nil
	}
	return raw
}

// disconnect forgets a connection; its session stays for a resume. The mutex is
// not held.
func (s *Server) disconnect(c *Connection) {
	defer s.lock()()
	c.gone = true
	close(c.done)
	_ = c.ws.Close()
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
}

// read takes packets until the connection ends. The mutex is not held.
func (c *Connection) read() {
	s := c.server
	patience := 2*s.options.heartbeat + 500*time.Millisecond
	for {
		s.with(func() {
			if !c.mute && !c.closing {
				_ = c.ws.SetReadDeadline(time.Now().Add(patience))
			}
		})
		_, raw, err := c.ws.ReadMessage()
		if err != nil {
			c.ended(err)
			return
		}
		s.with(func() { c.take(raw) })
	}
}

// ended draws the conclusions from how a connection ended: a normal close and a
// long silence end the session too. The mutex is not held.
func (c *Connection) ended(err error) {
	var closed *websocket.CloseError
	var slow net.Error
	timedOut := errors.As(err, &slow) && slow.Timeout()
	normal := errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway)
	c.server.with(func() {
		if c.mute || c.closing || !timedOut && !normal {
			return
		}
		if timedOut {
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(closeTimedOut, "Session timed out."), time.Now().Add(writeWait))
		}
		if c.session != nil {
			delete(c.server.sessions, c.session.id)
		}
	})
}

// take works on one packet of the client.
func (c *Connection) take(raw []byte) {
	if c.mute || c.closing {
		return
	}
	var p struct {
		Op   int             `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		c.push(frame{close: closeDecode})
		return
	}
	if c.tooFast() {
		c.push(frame{close: closeTooFast})
		return
	}
	switch {
	case p.Op == opHeartbeat:
		c.beats++
		if !c.noAcks {
			c.push(frame{raw: packet(opAck, nil)})
		}
	case p.Op == opIdentify:
		c.identify(p.Data)
	case p.Op == opResume:
		c.resume(p.Data)
	case c.session == nil:
		c.push(frame{close: closeNoAuth})
	case p.Op == opMembers:
		c.members(p.Data)
	case p.Op == opPresence, p.Op == opVoice:
	default:
		c.push(frame{close: closeUnknownOp})
	}
}

// tooFast counts what the client sends.
func (c *Connection) tooFast() bool {
	now := time.Now()
	for len(c.commands) > 0 && now.Sub(c.commands[0]) > time.Minute {
		c.commands = c.commands[1:]
	}
	c.commands = append(c.commands, now)
	return len(c.commands) > commandsPerMinute && c.server.options.heartbeat >= time.Second
}

// goodToken accepts the token with and without the word before it.
func (s *Server) goodToken(token string) bool { return strings.TrimPrefix(token, "Bot ") == s.token }
