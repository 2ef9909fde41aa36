package slack

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/core"
)

// timing are the intervals of a connection; tests shorten them.
type timing struct {
	grace time.Duration // silence after which a connection counts as dead
	look  time.Duration // how often the silence is measured
	renew time.Duration // without an event for so long a new session is opened
	first time.Duration // the first wait after a failure; doubles
	most  time.Duration
}

// usual leaves Slack time for its routine reconnects: it pings every few
// seconds and is silent for half a minute at most.
var usual = timing{grace: 45 * time.Second, look: 5 * time.Second, renew: 30 * time.Minute, first: time.Second, most: time.Minute}

// alertAfter is after how many failures in a row the log says error.
const alertAfter = 3

// socket keeps one Socket Mode connection open. It is the only one that
// connects, and the only one that gives up a connection.
type socket struct {
	open  func(context.Context) (address string, err error)
	probe func(context.Context) error // tells a dead token from a dead network
	take  func(envelope) (reply any, ok bool)
	timing
	dialer *websocket.Dialer
	count  Counter
	log    *slog.Logger

	mu    sync.Mutex
	state SocketState
}

// SocketState is how a connection is doing.
type SocketState struct {
	Connected bool
	Since     time.Time // of the connection, or of its loss
	Inbound   time.Time // anything at all arrived, pings included
	Event     time.Time // an event arrived
	Sockets   int       // that share the app token, as Slack told when we connected
	Failures  int       // in a row
	Sessions  int       // so far
}

// run connects again and again until the context ends or Slack says that this
// cannot work. It waits for all that it started.
func (s *socket) run(ctx context.Context) error {
	wait := s.first
	for {
		began := time.Now()
		err := s.session(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if dead(err) || core.KindOf(err) == core.KindConfig {
			return err
		}
		s.ended(err)
		lasted := time.Since(began)
		asked := err == nil && lasted > s.first // Slack wants a new one, and not at once again
		if asked || lasted > s.grace {
			wait = s.first
		}
		if asked {
			continue
		}
		if sleepErr := sleep(ctx, wait/2+rand.N(wait)); sleepErr != nil {
			return sleepErr
		}
		wait = min(2*wait, s.most)
	}
}

// ended keeps the books of a session's end.
func (s *socket) ended(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Connected, s.state.Since = false, time.Now()
	s.count.Add("slack_reconnects_total", "")
	if err == nil {
		s.state.Failures = 0
		return
	}
	s.state.Failures++
	level := slog.LevelWarn
	if s.state.Failures >= alertAfter {
		level = slog.LevelError
	}
	s.log.Log(context.Background(), level, "the connection to Slack was lost", "error", err, "failures", s.state.Failures)
}

// State tells how the connection is doing.
func (s *socket) State() SocketState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// session is one connection from its opening to its end; nil means that Slack
// wants a new one.
func (s *socket) session(ctx context.Context) error {
	address, err := s.open(ctx)
	if err != nil {
		return err
	}
	dialing, cancel := context.WithTimeout(ctx, attemptTime)
	conn, resp, err := s.dialer.DialContext(dialing, address, nil)
	cancel()
	if err != nil {
		if resp != nil {
			resp.Body.Close() //nolint:errcheck // nothing is read from it
		}
		return core.Wrap(core.KindUnavailable, err, "The socket of Slack cannot be reached.")
	}
	ctx, stop := context.WithCancelCause(ctx)
	l := &wire{socket: s, conn: conn, ctx: ctx}
	l.touch()
	defer l.acks.Wait()
	var work sync.WaitGroup
	work.Go(func() { stop(l.receive(ctx)) })
	work.Go(func() { l.watch(ctx, stop) })
	<-ctx.Done()
	conn.Close() //nolint:errcheck // ends the reader
	work.Wait()
	if err := context.Cause(ctx); err != errRenew {
		return err
	}
	return nil
}

// wire is one connection.
type wire struct {
	*socket
	conn *websocket.Conn
	send sync.Mutex // one writer at a time
	ctx  context.Context
	acks sync.WaitGroup // acknowledgements that wait for the ledger
}

var (
	errRenew  = core.Errorf(core.KindUnavailable, "Slack wants a new connection.")
	errSilent = core.Errorf(core.KindTimeout, "Nothing came from Slack any more.")
)

const writeTime = 5 * time.Second

func (s *socket) touch() {
	s.mu.Lock()
	s.state.Inbound = time.Now()
	s.mu.Unlock()
}

// receive reads until the connection ends, and tells why.
func (l *wire) receive(ctx context.Context) error {
	pong := l.conn.PingHandler()
	l.conn.SetPingHandler(func(data string) error {
		l.touch()
		return pong(data)
	})
	l.conn.SetReadLimit(largestAnswer)
	for {
		_, raw, err := l.conn.ReadMessage()
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return core.Wrap(core.KindUnavailable, err, "The connection broke.")
		}
		l.touch()
		if err := l.frame(raw); err != nil {
			return err
		}
	}
}

// frame is what travels over the socket.
type frame struct {
	Type     string          `json:"type"`
	Envelope string          `json:"envelope_id"`
	Payload  json.RawMessage `json:"payload"`
	Retry    int             `json:"retry_attempt"`
	Reason   string          `json:"reason"`
	Sockets  int             `json:"num_connections"`
}

// frame handles one message; an error ends the connection.
func (l *wire) frame(raw []byte) error {
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		l.log.Warn("Slack sent a frame that cannot be read", "bytes", len(raw))
		return nil
	}
	switch f.Type {
	case "hello":
		l.hello(f)
	case "disconnect":
		if f.Reason == "link_disabled" {
			return core.Errorf(core.KindConfig, "Socket Mode is switched off for the app; switch it on at api.slack.com/apps, or use signing_secret and events over HTTP.")
		}
		return errRenew
	default:
		if f.Envelope != "" {
			return l.envelope(f)
		}
	}
	return nil
}

func (l *wire) hello(f frame) {
	l.mu.Lock()
	again := !l.state.Since.IsZero() && time.Since(l.state.Since) < time.Minute
	l.state.Connected, l.state.Since, l.state.Sockets = true, time.Now(), f.Sockets
	l.state.Failures = 0
	l.state.Sessions++
	l.mu.Unlock()
	if f.Sockets > 1 && !again { // after a loss Slack may still count the old one
		l.log.Warn("other connections use the same app token: each event goes to one of them only; stop the other process or make an app of its own for it", "sockets", f.Sockets)
	}
}

// envelope hands an event over and acknowledges it, a question when the ledger
// knows of it. What cannot be taken is not
// acknowledged, so that Slack sends it again.
func (l *wire) envelope(f frame) error {
	l.mu.Lock()
	l.state.Event = time.Now()
	l.mu.Unlock()
	reply, ok := l.take(envelope{kind: f.Type, payload: f.Payload, retry: f.Retry})
	if !ok {
		return nil
	}
	if n, is := reply.(noted); is {
		l.acks.Go(func() {
			if n.wait(l.ctx) == nil {
				l.ack(f.Envelope, nil) //nolint:errcheck // a broken connection ends the reader too
			}
		})
		return nil
	}
	return l.ack(f.Envelope, reply)
}

func (l *wire) ack(envelope string, reply any) error {
	ack := struct {
		Envelope string `json:"envelope_id"`
		Payload  any    `json:"payload,omitempty"`
	}{envelope, reply}
	l.send.Lock()
	defer l.send.Unlock()
	l.conn.SetWriteDeadline(time.Now().Add(writeTime)) //nolint:errcheck // the write below tells
	if err := l.conn.WriteJSON(ack); err != nil {
		return core.Wrap(core.KindUnavailable, err, "An acknowledgement could not be sent.")
	}
	return nil
}

// watch ends a connection that gives no sign of life. Slack pings by itself; an
// answer to a ping of ours would prove nothing, as it may come from a proxy.
func (l *wire) watch(ctx context.Context, stop func(error)) {
	tick := time.NewTicker(l.look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		state := l.State()
		switch {
		case time.Since(state.Inbound) > l.grace:
			stop(l.silent(ctx))
			return
		case state.Connected && time.Since(later(state.Event, state.Since)) > l.renew:
			stop(errRenew)
			return
		}
	}
}

// silent finds out whether the token still works, so that the log can say which
// of the two it is.
func (l *wire) silent(ctx context.Context) error {
	l.conn.Close() //nolint:errcheck // it is given up
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	if err := l.probe(ctx); dead(err) {
		return err
	}
	return errSilent
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
