package slack

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

// TestMain lets more tests wait at the same time than there are processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// step is one thing that a scripted turn does.
type step struct {
	event core.Event
	wait  string // for the test to let it go on
	pause time.Duration
	err   error
}

// world is a Slack with people, and the bot in it.
type world struct {
	*slacktest.Server
	t    *testing.T
	mem  *memory
	bot  *Bot
	desk *bot.Desk
	log  *bytes.Buffer
	mu   sync.Mutex
	stop func()
}

type locked struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

func says(pieces ...string) []step {
	var out []step
	for _, p := range pieces {
		out = append(out, step{event: core.TextDelta{Delta: p}})
	}
	return out
}

// newWorld has ann (who runs the workspace), bob, gus (a guest) and hal, who helps;
// #general with ann and bob; #guests with gus as well; #shared with outsiders.
func newWorld(t *testing.T, change func(*Options), opts ...slacktest.Option) *world {
	t.Helper()
	t.Parallel()                                                                       // most of a test is waiting
	opts = append([]slacktest.Option{slacktest.AckTimeout(10 * time.Minute)}, opts...) // a busy machine is no lost event
	w := &world{Server: slacktest.New(t, opts...), t: t, log: &bytes.Buffer{}}
	w.AddUser(slacktest.User{ID: "U1", Name: "ann", Email: "ann@example.com", Admin: true})
	w.AddUser(slacktest.User{ID: "U2", Name: "bob", Email: "bob@example.com"})
	w.AddUser(slacktest.User{ID: "U3", Name: "gus", Email: "gus@example.com", Guest: true})
	w.AddUser(slacktest.User{ID: "U4", Name: "hal", Email: "hal@example.com"})
	w.AddUser(slacktest.User{ID: "U9", Name: "robo", Bot: true, BotID: "B9"})
	w.AddUserGroup(slacktest.UserGroup{ID: "S1", Handle: "support", Name: "Support", Users: []string{"U4"}})
	all := []string{"U1", "U2", "U9", slacktest.BotUser}
	w.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Creator: "U1", Members: all})
	w.AddChannel(slacktest.Channel{ID: "C2", Name: "guests", Members: append(slices.Clone(all), "U3")})
	w.AddChannel(slacktest.Channel{ID: "C3", Name: "shared", ExtShared: true, Members: all})
	w.AddChannel(slacktest.Channel{ID: "G1", Name: "secret", Kind: slacktest.Private, Members: all})
	w.AddChannel(slacktest.Channel{ID: "M1", Name: "mpdm-ann-bob", Kind: slacktest.GroupMessage, Members: []string{"U1", "U2", slacktest.BotUser}})
	w.mem = &memory{
		seen: map[string]bool{}, quiet: map[string]bool{}, posted: map[string]core.Posted{}, helps: map[string]core.HelpRequest{},
		settings: map[string]bot.Settings{}, external: map[string]bool{}, persons: map[string]core.Viewer{}, gates: map[string]chan struct{}{},
		script: func(core.Question) []step { return says("Fourteen days.") },
	}
	w.start(change)
	return w
}

// start runs the bot until the test ends, or stop is called.
func (w *world) start(change func(*Options)) {
	w.t.Helper()
	var front *bot.Front
	n := 0
	id := func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		n++
		return fmt.Sprintf("id%d", n)
	}
	w.desk = bot.NewDesk(bot.Options{
		Answerer: w.mem, Turns: w.mem, NewID: id, Documents: w.mem,
		Audience: func(ctx context.Context, p core.Place, v core.Viewer) (core.Audience, error) {
			return front.Audience(ctx, p, v)
		},
	})
	front = bot.NewFront(bot.FrontOptions{Desk: w.desk, Ledger: w.mem, People: w.mem, Places: w.mem, Agents: w.mem, Filters: w.mem})
	o := Options{firstWords: tickEvery, signTime: time.Minute,
		Workspaces: []Workspace{{Name: "team", BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: w.URL(), Home: true}},
		Front:      front, Desk: w.desk, Turns: w.mem, Threads: w.mem, Posts: w.mem, Feedback: w.mem, Admin: w.mem, Bounds: w.mem,
		NewID: id, Log: slog.New(slog.NewTextHandler(locked{&w.mu, w.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	b, err := New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.bot = b
	front.Register(platform, b)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }() //nolint:errcheck // the tests look at what is shown
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			cancel()
			<-done
			closing, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			if err := w.desk.Close(closing); err != nil {
				w.t.Error(err)
			}
		})
	}
	w.t.Cleanup(func() {
		w.stop()
		if w.t.Failed() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.t.Logf("log:\n%s", w.log.String())
		}
	})
	if o.Workspaces[0].AppToken != "" {
		w.Eventually("a socket", func() bool {
			s := b.States()[0]
			return s.Socket.Connected && b.apps[0].roster.fresh()
		})
	}
}

// script has every question answered with these steps.
func (w *world) script(steps ...step) {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	w.mem.script = func(core.Question) []step { return steps }
}

// questions are what was asked so far.
func (w *world) questions() []core.Question {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	return slices.Clone(w.mem.asked)
}

// arrived waits until the bot has taken every event.
func (w *world) arrived() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	if err := w.WaitIdle(ctx); err != nil {
		w.t.Fatalf("deliveries do not end: %v", err)
	}
}

// acked waits until the bot has taken a command.
func (w *world) acked(delivery string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := w.WaitDelivery(ctx, delivery); err != nil {
		w.t.Fatal(err)
	}
}

// stuck is a call that Slack holds.
type stuck struct {
	caught  func() // waits for it
	release func()
}

// stick has Slack hold the next call of a method until it is released, and fail
// then as the fault says, if it says more.
func (w *world) stick(method string, f slacktest.Fault) *stuck {
	var n atomic.Int32
	f.Until = make(chan struct{})
	f.When = func(slacktest.Call) bool { n.Add(1); return true }
	w.Fail(method, f)
	return &stuck{
		caught:  func() { w.t.Helper(); w.Eventually("a call of "+method, func() bool { return n.Load() > 0 }) },
		release: func() { close(f.Until) },
	}
}

// settled waits until nothing is on its way, being handled or being written.
func (w *world) settled() {
	w.t.Helper()
	for quiet := 0; quiet < 3; quiet++ {
		w.arrived()
		w.Eventually("the end of all answers", func() bool {
			a := w.bot.apps[0]
			if a.queue.Open() == 0 && a.running.count() == 0 { // in this order: an event may begin an answer
				return true
			}
			quiet = -1
			return false
		})
	}
}

// let lets scripts go on that wait for the name.
func (w *world) let(name string) { close(w.mem.gate(name)) }
