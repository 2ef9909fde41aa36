package discordtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot/testclock"
)

// TB is what New needs of a *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

type object = map[string]any

// Server is one Discord with one application: guilds, REST API, gateway and
// users. All methods may be called at any time and from any goroutine.
//
// One mutex guards the whole state. Unexported methods expect it to be held,
// except those that say otherwise.
type Server struct {
	clock    *Clock
	listener net.Listener
	http     *http.Server
	ctx      context.Context
	stop     context.CancelFunc
	wg       sync.WaitGroup
	tb       TB

	mu       sync.Mutex
	closed   bool
	changed  chan struct{}
	lastID   uint64
	problems []error
	options  options

	token      string
	privileged Intent
	users      map[string]*User
	noDMs      map[string]bool
	guilds     map[string]*guild
	guildOrder []string
	channels   map[string]*Channel
	order      []string // channel ids as they were added
	messages   map[string][]*message
	byMessage  map[string]*message
	files      map[string]*attachment
	typing     map[string]int
	posts      []Post

	commands     map[string][]*command // by guild, "" for the global ones
	interactions map[string]*interaction
	asked        []*interaction
	modals       map[string]*modal // by user

	routes  map[string]*route
	calls   []Call
	faults  []*activeFault
	buckets map[string]*bucket
	global  []time.Time

	sessions    map[string]*session
	connections []*Connection
	plans       []ConnectionPlan
	disturbed   []*Disturbance
	sent        []Sent
	identifies  int
}

// New starts a server for a test and closes it when the test ends. What the
// test or the bot does wrong in ways that Discord could not report (a route that
// this server lacks, a sender used on a channel that does not exist) fails the
// test.
func New(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := Start(opts...)
	if err != nil {
		tb.Fatalf("discordtest: %v", err)
		return nil
	}
	s.tb = tb
	tb.Cleanup(func() {
		s.Close()
		if err := s.Err(); err != nil {
			tb.Errorf("discordtest: %v", err)
		}
	})
	return s
}

// Start starts a server outside a test. The caller closes it.
func Start(opts ...Option) (*Server, error) {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port on loopback: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{clock: testclock.New(), listener: listener, ctx: ctx, stop: stop, options: o, token: Token, privileged: o.privileged}
	s.reset()
	s.seed()
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		_ = s.http.Serve(listener) // always http.ErrServerClosed, after Close
	}()
	return s, nil
}

func (s *Server) reset() {
	s.changed = make(chan struct{})
	s.users, s.noDMs, s.guilds, s.channels = map[string]*User{}, map[string]bool{}, map[string]*guild{}, map[string]*Channel{}
	s.messages, s.byMessage, s.files = map[string][]*message{}, map[string]*message{}, map[string]*attachment{}
	s.typing, s.commands = map[string]int{}, map[string][]*command{}
	s.interactions, s.modals = map[string]*interaction{}, map[string]*modal{}
	s.routes, s.buckets = map[string]*route{}, map[string]*bucket{}
	s.sessions = map[string]*session{}
}

// seed builds what is there from the start.
func (s *Server) seed() {
	s.users[BotUser] = &User{ID: BotUser, Name: "footnote", Bot: true}
	if s.options.empty {
		return
	}
	s.users[Owner] = &User{ID: Owner, Name: "owner"}
	s.addGuild(GuildInfo{ID: Guild, Name: "acme", Owner: Owner, Everyone: s.options.everyone, Bot: s.options.bot, BotRole: BotRole})
}

// APIURL is where the REST API is, "http://…/api"; the version follows it.
func (s *Server) APIURL() string { return s.base() + "/api" }

// GatewayURL is what GET /gateway answers, "ws://…/ws".
func (s *Server) GatewayURL() string { return "ws://" + s.listener.Addr().String() + "/ws" }

func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

// Clock is the server's time.
func (s *Server) Clock() *Clock { return s.clock }

// Close stops everything, cuts all connections and waits for every goroutine of
// the server. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	connections := s.connections
	s.touch()
	s.mu.Unlock()
	s.stop()
	_ = s.http.Close()
	for _, c := range connections {
		c.Drop()
	}
	s.wg.Wait()
}

// Err joins what went wrong in ways that no answer of the API could say.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.problems...)
}

func (s *Server) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

// enter counts one more goroutine that Close waits for. The mutex is not held.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.wg.Add(1)
	return true
}

// touch wakes everyone in Wait: the state has changed.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// lock is for methods of the API of tests that change state:
// defer s.lock()() holds the mutex to their end and wakes everyone in Wait.
func (s *Server) lock() func() {
	s.mu.Lock()
	return func() {
		s.touch()
		s.mu.Unlock()
	}
}
