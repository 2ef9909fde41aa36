package discord

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// session is one connection to the gateway, which may be opened again after it was
// lost and then goes on where it was. Open and Close may hang for ever; the
// gateway takes that into account.
type session interface {
	Open() error
	Close() error
	// Acked is when the last heartbeat was answered. It must not be called while
	// Open or Close is running.
	Acked() time.Time
	// Drop cuts the connection below the session. It never waits.
	Drop()
}

// hooks is what a session tells. Both are called from its own goroutines and
// return at once.
type hooks struct {
	event func(name string, data json.RawMessage)
	lost  func()
}

// library is a session of discordgo. It never reconnects by itself, keeps no state
// and gives events as they are; its own reading of them fails on what is new.
type library struct {
	of   *discordgo.Session // named: embedded, its 270 methods would come twice more
	wire *wire
}

// Open implements session.
func (l library) Open() error { return l.of.Open() }

// Close implements session.
func (l library) Close() error { return l.of.Close() }

// wire is the network connection of a session.
type wire struct {
	mu   sync.Mutex
	conn net.Conn
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conn = conn
	return conn, err
}

// Drop implements session.
func (l library) Drop() {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	if l.wire.conn != nil {
		l.wire.conn.Close() //nolint:errcheck // it is given up
	}
}

func newLibrary(token string, intents discordgo.Intent, t http.RoundTripper, h hooks) (session, error) {
	s, err := discordgo.New(token)
	if err != nil {
		return nil, err
	}
	s.Client = &http.Client{Transport: t, Timeout: attemptTime}
	w := &wire{}
	s.Dialer = &websocket.Dialer{NetDialContext: w.dial, Proxy: http.ProxyFromEnvironment, HandshakeTimeout: attemptTime}
	s.ShouldReconnectOnError, s.ShouldReconnectVoiceOnSessionError = false, false
	s.ShouldRetryOnRateLimit, s.MaxRestRetries = false, 0
	s.StateEnabled = false
	s.SyncEvents = true // the order matters, and the hooks are quick
	s.LogLevel = -1     // it prints on the process's own stderr
	s.Identify.Intents = intents
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) {
		if e != nil && e.Operation == 0 && e.Type != "" {
			h.event(e.Type, e.RawData)
		}
	})
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { h.lost() })
	return library{s, w}, nil
}

// Acked implements session.
func (l library) Acked() time.Time {
	l.of.RLock()
	defer l.of.RUnlock()
	return l.of.LastHeartbeatAck
}
