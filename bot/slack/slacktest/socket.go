package slacktest

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	maxSockets  = 10        // of one app
	maxResponse = 20 * 1024 // bytes of an ack; a longer one is dropped without a word
	writeWait   = 30 * time.Second
)

// Socket is one connection of an app in Socket Mode.
type Socket struct {
	server *Server
	number int
	app    string
	finger string
	conn   *websocket.Conn

	writing sync.Mutex
	mu      sync.Mutex
	mute    bool
	gone    bool
	sent    int
	acked   int
	done    chan struct{}
}

// SocketPlan says how the next connections of Socket Mode behave.
type SocketPlan struct {
	Refuse     int           // HTTP status instead of a connection
	Mute       bool          // accepts and says nothing: no hello, no ping, no events
	HelloAfter time.Duration // on the server's clock
	DropAfter  int           // cut when this many envelopes were sent
	LinkOff    bool          // the first frame is a disconnect with link_disabled
}

// PlanSockets sets how the next connections behave, one plan each.
func (s *Server) PlanSockets(plans ...SocketPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, plans...)
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// serveSocket is one connection from its handshake to its end. The mutex is not
// held.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	t, plan := s.redeem(r.URL.Query().Get("ticket"))
	if t == nil || plan.Refuse != 0 {
		status := plan.Refuse
		if status == 0 {
			status = http.StatusForbidden
		}
		w.WriteHeader(status)
		return
	}
	greet := s.clock.Now().Add(plan.HelloAfter)
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	socket := &Socket{server: s, app: t.app.ID, finger: Fingerprint(t.value), conn: conn, mute: plan.Mute, done: make(chan struct{})}
	if plan.LinkOff {
		socket.Disconnect("link_disabled")
	}
	if !plan.Mute && !s.hello(socket, greet) {
		_ = conn.Close()
		return
	}
	if plan.Mute {
		s.attach(socket)
	}
	s.runUnlocked(func() { socket.ping(s.options.ping) })
	if plan.DropAfter > 0 {
		s.runUnlocked(func() { socket.dropAfter(plan.DropAfter) })
	}
	socket.read()
	s.detach(socket)
}

// redeem uses up a ticket and the next plan. The mutex is not held.
func (s *Server) redeem(ticket string) (*token, SocketPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tickets[ticket]
	delete(s.tickets, ticket)
	var plan SocketPlan
	if t != nil && len(s.plans) > 0 {
		plan, s.plans = s.plans[0], s.plans[1:]
	}
	return t, plan
}

// hello sends the first frame at a time, and only then may the socket get
// events. The mutex is not held.
func (s *Server) hello(socket *Socket, at time.Time) bool {
	if !s.clock.Until(s.ctx, at) {
		return false
	}
	s.mu.Lock()
	n := s.open(socket.app) + 1
	s.mu.Unlock()
	err := socket.write(object{"type": "hello", "num_connections": n, "connection_info": object{"app_id": socket.app},
		"debug_info": object{"host": "applink-slacktest", "build_number": 1, "approximate_connection_time": 18060}})
	if err != nil {
		return false
	}
	s.attach(socket)
	return true
}

func (s *Server) attach(socket *Socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	socket.number = len(s.sockets) + 1
	s.sockets = append(s.sockets, socket)
	if s.closed {
		cut(socket.conn.NetConn())
	}
	s.touch()
}

func (s *Server) detach(socket *Socket) {
	socket.mu.Lock()
	socket.gone = true
	close(socket.done)
	socket.mu.Unlock()
	_ = socket.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch()
}

// open counts the sockets of an app. The mutex is held.
func (s *Server) open(app string) int {
	n := 0
	for _, k := range s.sockets {
		if k.app == app && k.Open() {
			n++
		}
	}
	return n
}

func (k *Socket) write(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	_ = k.conn.SetWriteDeadline(time.Now().Add(writeWait))
	return k.conn.WriteMessage(websocket.TextMessage, raw)
}

// read takes acks until the connection ends.
func (k *Socket) read() {
	for {
		_, raw, err := k.conn.ReadMessage()
		if err != nil {
			return
		}
		if k.Muted() || len(raw) > maxResponse {
			continue
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(raw, &ack) != nil || ack.EnvelopeID == "" {
			continue
		}
		k.mu.Lock()
		k.acked++
		k.mu.Unlock()
		k.server.acked(ack.EnvelopeID, ack.Payload)
	}
}

func (k *Socket) ping(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if !k.Muted() {
			_ = k.conn.WriteControl(websocket.PingMessage, []byte("Ping from slacktest"), time.Now().Add(writeWait))
		}
		select {
		case <-k.done:
			return
		case <-ticker.C:
		}
	}
}
