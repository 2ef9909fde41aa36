package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// Options are the parts and limits of a Server. Desk, Turns, Searcher, Tokens,
// Agents and NewID are required; other zero values mean the defaults.
type Options struct {
	Desk     *bot.Desk
	Turns    Turns
	Searcher Searcher
	Tokens   Tokens
	Agents   Agents
	NewID    func() string // makes thread and request ids

	// Audit is told of every search, as the desk's is of every turn; nil keeps
	// nothing.
	Audit func(ctx context.Context, e core.AuditEntry)

	// Pushes takes documents over POST /documents; nil leaves that address out.
	Pushes Pushes

	// Mount adds what other platforms take over HTTP, such as /slack/events. Each
	// handler checks for itself who is calling.
	Mount map[string]http.Handler

	// Ready tells what keeps Footnote from answering; nil means nothing does.
	Ready func(context.Context) error

	PerSecond float64       // requests of one token, default 10
	Burst     int           // requests of one token at once, default 120
	Patience  time.Duration // for a request to arrive whole, default 30 s
	Stall     time.Duration // a reader of a stream that takes nothing for so long is dropped, default 2 min
	Recheck   time.Duration // how often a stream looks whether its token still holds, default 5 s
	// Connections bounds the open connections, default 2,048; a quarter of them
	// may come from one address that is not this machine's own.
	Connections int
	Log         *slog.Logger // nil discards
}

const (
	maxBody         = 256 << 10
	headerPatience  = 10 * time.Second
	idlePatience    = 2 * time.Minute
	answerPatience  = 30 * time.Second // for writing an answer that is no stream
	maxHeaders      = 32 << 10
	hostPerSecond   = 50 // requests from one address, with or without a token
	hostBurst       = 500
	secondsIfCrowd  = 5 // what Retry-After says where too many turns are open
	defaultRate     = 10
	defaultBurst    = 120
	defaultPatience = 30 * time.Second
	defaultStalling = 2 * time.Minute
	defaultRecheck  = 5 * time.Second
	// Beside its connections the process needs files for the ledger and the index.
	defaultConnections = 2048
)

// Server is the HTTP interface.
type Server struct {
	opts    Options
	mux     *http.ServeMux
	tokens  *limits
	hosts   *limits
	closing atomic.Bool
	pushing chan struct{} // held by each push that is in memory
}

// New makes a server. It panics if a required option is missing.
func New(o Options) *Server {
	if o.Desk == nil || o.Turns == nil || o.Searcher == nil || o.Tokens == nil || o.Agents == nil || o.NewID == nil {
		panic("httpapi: Desk, Turns, Searcher, Tokens, Agents and NewID are required")
	}
	if o.PerSecond <= 0 {
		o.PerSecond = defaultRate
	}
	if o.Burst <= 0 {
		o.Burst = defaultBurst
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.Stall <= 0 {
		o.Stall = defaultStalling
	}
	if o.Recheck <= 0 {
		o.Recheck = defaultRecheck
	}
	if o.Connections <= 0 {
		o.Connections = defaultConnections
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		opts: o, mux: http.NewServeMux(),
		pushing: make(chan struct{}, pushesAtOnce),
		tokens:  newLimits(o.PerSecond, o.Burst), hosts: newLimits(hostPerSecond, hostBurst),
	}
	s.routes()
	return s
}

func (s *Server) routes() {
	open := func(pattern, method string, h handler) { s.mux.Handle(pattern, s.route(method, h)) }
	own := func(pattern, method string, h held) { open(pattern, method, s.withToken(h)) }
	open("/healthz", http.MethodGet, s.healthy)
	open("/readyz", http.MethodGet, s.ready)
	own("/chat/send-chat-message", http.MethodPost, s.send)
	own("/chat/turns/{id}/stop", http.MethodPost, s.stop)
	own("/chat/turns/{id}/regenerate", http.MethodPost, s.regenerate)
	own("/chat/turns/{id}/events", http.MethodGet, s.events)
	own("/search", http.MethodPost, s.search)
	if s.opts.Pushes != nil {
		open("/documents", http.MethodPost, s.withPusher(s.push))
	}
	for path, h := range s.opts.Mount {
		s.mux.Handle(path, h)
	}
	s.mux.Handle("/", s.route("", func(w http.ResponseWriter, r *http.Request) error {
		return errNoRoute
	}))
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve answers on the listener until ctx ends, then takes no more requests and
// waits for the running ones, at most for grace. It closes the listener. Streams
// end with their turns: whoever owns the desk closes it at the same time.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(newCrowd(l, s.opts.Connections, s.opts.Log)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.closing.Store(true)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		s.opts.Log.Warn("some HTTP requests did not end in time and were cut")
		err = server.Close()
	}
	<-failed
	return err
}
