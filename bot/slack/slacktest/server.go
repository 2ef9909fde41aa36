package slacktest

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

// Server is one Slack: its workspaces, its Web API, its sockets, its users.
// All methods may be called at any time and from any goroutine.
//
// One mutex guards the whole state. Unexported methods expect it to be held,
// except those of http.go, socket.go and deliver.go that say otherwise.
type Server struct {
	clock    *Clock
	listener net.Listener
	http     *http.Server
	client   *http.Client
	ctx      context.Context
	stop     context.CancelFunc
	wg       sync.WaitGroup
	tb       TB

	mu       sync.Mutex
	closed   bool
	changed  chan struct{}
	serial   int
	lastTS   int64
	problems []error
	options  options

	workspaces map[string]*Workspace
	users      map[string]*User
	channels   map[string]*Channel
	order      []string // channel ids as they were added
	groups     []*UserGroup
	apps       map[string]*appState
	main       *appState // the first app: whom Mention, DM, Slash and the like mean
	tokens     map[string]*token

	messages   map[string][]*message // by channel, in the order of posting
	ephemerals []*message
	files      map[string]*file
	uploads    map[string]*file
	threads    map[threadKey]*thread
	statuses   []StatusChange
	views      map[string]*view
	modals     map[string][]*view // by user, the open stack
	homes      map[string]*view   // by app and user
	triggers   map[string]*trigger
	responses  map[string]*responseURL
	manifests  map[string]*manifest

	calls      []Call
	faults     []*activeFault
	windows    map[string][]time.Time
	deliveries []*delivery
	byID       map[string]*delivery
	disturbed  []*Disturbance
	sockets    []*Socket
	plans      []SocketPlan
	tickets    map[string]*token
	turn       map[string]int // which socket of an app is next
}

// New starts a server for a test and closes it when the test ends. What the
// test or the bot does wrong in ways that Slack could not report (a method that
// this server lacks, a sender used on a channel that does not exist) fails the
// test. Without other options the server holds the workspace T1 and the app A1
// with the tokens BotToken, AppToken, ConfigToken and SigningSecret.
func New(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := Start(opts...)
	if err != nil {
		tb.Fatalf("slacktest: %v", err)
		return nil
	}
	s.tb = tb
	tb.Cleanup(func() {
		s.Close()
		if err := s.Err(); err != nil {
			tb.Errorf("slacktest: %v", err)
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
	s := &Server{clock: testclock.New(), listener: listener, ctx: ctx, stop: stop, options: o}
	s.client = &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	s.reset()
	if !o.empty {
		s.seed()
	}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		_ = s.http.Serve(listener) // always http.ErrServerClosed, after Close
	}()
	return s, nil
}

func (s *Server) reset() {
	s.changed = make(chan struct{})
	s.workspaces, s.users, s.channels = map[string]*Workspace{}, map[string]*User{}, map[string]*Channel{}
	s.apps, s.tokens = map[string]*appState{}, map[string]*token{}
	s.messages, s.files, s.uploads = map[string][]*message{}, map[string]*file{}, map[string]*file{}
	s.threads, s.views, s.modals = map[threadKey]*thread{}, map[string]*view{}, map[string][]*view{}
	s.homes, s.triggers, s.responses = map[string]*view{}, map[string]*trigger{}, map[string]*responseURL{}
	s.manifests, s.windows, s.byID = map[string]*manifest{}, map[string][]time.Time{}, map[string]*delivery{}
	s.tickets, s.turn = map[string]*token{}, map[string]int{}
}

// URL is what slack.OptionAPIURL takes; it ends with a slash.
func (s *Server) URL() string { return s.base() + "/api/" }

func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

// Clock is the server's time.
func (s *Server) Clock() *Clock { return s.clock }

// Close stops everything, cuts all connections and waits for every goroutine of
// the server. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	sockets := s.sockets
	s.touch()
	s.mu.Unlock()
	s.stop()
	_ = s.http.Close()
	for _, socket := range sockets {
		socket.Drop()
	}
	s.wg.Wait()
	s.client.CloseIdleConnections()
}

// Err joins what went wrong in ways that no answer of the Web API could say.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.problems...)
}

func (s *Server) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

// run starts a goroutine that Close waits for. The mutex is held.
func (s *Server) run(f func()) {
	if s.closed {
		return
	}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// runUnlocked is run for callers that do not hold the mutex.
func (s *Server) runUnlocked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run(f)
}

// touch wakes everyone in Wait: the state has changed.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}
