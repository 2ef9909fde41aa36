package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// TestMain lets more tests wait at the same time than there are processors.
func TestMain(m *testing.M) {
	if addresses := os.Getenv(soakKey); addresses != "" {
		soakBot(addresses)
		return
	}
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// world is a Discord with people, and the bot in it.
type world struct {
	*discordtest.Server
	t    *testing.T
	mem  *memory
	bot  *Bot
	desk *bot.Desk
	log  *bytes.Buffer
	mu   sync.Mutex
	ids  int
	stop func()
	late atomic.Int64 // how much later it is for the tokens of interactions

	mark, marked atomic.Int64 // see settled: the last one sent, and the last one taken

	ann, bob, hal            string // hal has the role support
	general, secret, support string // a channel for everybody, one for a role, that role
	staff                    string // the role that sees secret; ann has it
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

func say(pieces ...string) []step {
	var out []step
	for _, p := range pieces {
		out = append(out, step{event: core.TextDelta{Delta: p}})
	}
	return out
}

// quick are intervals for tests; the server's clock has its own time. What has to
// come in time has long enough for a machine that stands still for a while.
var quick = timing{
	open: time.Minute, word: 10 * time.Minute, ack: time.Hour, event: time.Hour, watch: 20 * time.Millisecond,
	first: 10 * time.Millisecond, most: 100 * time.Millisecond, edit: 50 * time.Millisecond, slow: 200 * time.Millisecond,
	token: 14 * time.Minute, typing: time.Second, facts: time.Minute,
}

func newWorld(t *testing.T, change func(*Options), opts ...discordtest.Option) *world {
	t.Helper()
	w := stillWorld(t, opts...)
	w.start(change)
	return w
}

// stillWorld is one in which the bot does not run yet.
func stillWorld(t *testing.T, opts ...discordtest.Option) *world {
	t.Helper()
	t.Parallel() // most of a test is waiting
	opts = append([]discordtest.Option{discordtest.AnswerWithin(10 * time.Minute)}, opts...)
	w := &world{Server: discordtest.New(t, opts...), t: t, log: &bytes.Buffer{}, mem: newMemory()}
	w.staff = w.AddRole(discordtest.Role{Guild: discordtest.Guild, Name: "staff"})
	w.support = w.AddRole(discordtest.Role{Guild: discordtest.Guild, Name: "support"})
	w.ann, w.bob, w.hal = w.Join("ann", w.staff), w.Join("bob"), w.Join("hal", w.support)
	w.general = w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "general"})
	w.secret = w.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "secret", Overwrites: []discordtest.Overwrite{
		{ID: discordtest.Guild, Deny: discordtest.ViewChannel},
		{ID: w.staff, Allow: discordtest.ViewChannel},
		{ID: discordtest.BotUser, Member: true, Allow: discordtest.ViewChannel},
	}})
	return w
}

// linked makes somebody a person.
func (w *world) linked(user, email string, more ...core.Principal) {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	key := core.Account{Platform: platform, Team: discordtest.Guild, ID: user}.Key()
	w.mem.persons[key] = core.Viewer{Email: email, Principals: append([]core.Principal{core.Workspace, core.User(email)}, more...)}
}

func (w *world) id() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("id%d", w.ids)
}

// start runs the bot until the test ends, or stop is called.
func (w *world) start(change func(*Options)) {
	w.t.Helper()
	var front *bot.Front
	w.desk = bot.NewDesk(bot.Options{
		Answerer: w.mem, Turns: w.mem, NewID: w.id, Documents: shelf{},
		Audience: func(ctx context.Context, p core.Place, v core.Viewer) (core.Audience, error) {
			return front.Audience(ctx, p, v)
		},
	})
	front = bot.NewFront(bot.FrontOptions{Desk: w.desk, Ledger: w.mem, People: w.mem, Places: w.mem, Agents: w.mem, Filters: shelf{}})
	o := Options{
		Apps:  []App{{Name: "acme", Token: discordtest.Token, Transport: w.Transport(), Home: true, Guilds: []string{discordtest.Guild}}},
		Front: front, Desk: w.desk, Turns: w.mem, Threads: w.mem, Posts: w.mem, Notes: w.mem, Feedback: w.mem, Admin: w.mem, Bounds: w.mem,
		Choices: w.mem, NewID: w.id, timing: quick,
		now: func() time.Time { return time.Now().Add(time.Duration(w.late.Load())) },
		Log: slog.New(slog.NewTextHandler(locked{&w.mu, w.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	b, err := New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.bot = b
	for _, a := range b.apps {
		take := a.gateway.take
		a.gateway.take = func(name string, data json.RawMessage) {
			take(name, data)
			if n, err := strconv.ParseInt(string(data), 10, 64); name == mark && err == nil {
				w.marked.Store(max(n, w.marked.Load()))
			}
		}
	}
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
		for _, p := range w.Notified() {
			w.t.Errorf("a post notified somebody: %+v", p)
		}
		if w.t.Failed() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.t.Logf("log:\n%s", w.log.String())
		}
	})
	w.Eventually("the bot to be ready", func() bool {
		s := b.States()[0]
		return s.Gateway.Connected && (len(w.Commands("")) > 0 || len(w.Commands(discordtest.Guild)) > 0)
	})
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// script has every question answered with these steps.
func (w *world) script(steps ...step) {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	w.mem.script = func(core.Question) []step { return steps }
}

// set changes the settings of a channel.
func (w *world) set(channel string, s bot.Settings) {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	w.mem.settings[placeID(discordtest.Guild, channel)] = s
}

// questions are what was asked so far.
func (w *world) questions() []core.Question {
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	return slices.Clone(w.mem.asked)
}

// question waits for the nth question.
func (w *world) question(n int) core.Question {
	w.t.Helper()
	w.until("a question", func() bool { return len(w.questions()) >= n })
	return w.questions()[n-1]
}

// expired has the tokens of all interactions so far end.
func (w *world) expired() { w.late.Add(int64(quick.token + time.Second)) }

// stick has Discord hold the next call of a route, tell when it is there, and go on
// with it when it is released, as the fault says.
func (w *world) stick(route string, f discordtest.Fault) (caught, release func()) {
	var n atomic.Int32
	skip := int32(f.Skip)
	f.Until, f.Skip = make(chan struct{}), 0
	f.When = func(discordtest.Call) bool { return n.Add(1) > skip }
	w.Fail(route, f)
	caught = func() { w.t.Helper(); w.until("a call of "+route, func() bool { return n.Load() > skip }) }
	return caught, func() { close(f.Until) }
}

// until waits for something that is no change of Discord's.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for began := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			w.t.Fatalf("waited for %s\n%s", what, w.Dump())
		}
	}
}

// mark is an event that means nothing; what was sent before it has come by then.
const mark = "FOOTNOTE_MARK"

// settled waits until nothing is on its way, being handled or being written.
func (w *world) settled() {
	w.t.Helper()
	for quiet := 0; quiet < 3; quiet++ {
		number, n := w.mark.Add(1), 0
		w.until("the events so far", func() bool {
			if n++; n%100 == 1 { // again in half a second: it may be lost with its connection
				w.Emit(mark, number)
			}
			return w.marked.Load() >= number
		})
		w.until("the end of all answers", func() bool {
			a := w.bot.apps[0]
			if a.queue.Open() == 0 && a.busy() == 0 && a.running.count() == 0 { // in this order: an event may begin an answer
				return true
			}
			quiet = -1
			return false
		})
	}
}

// let lets scripts go on that wait for the name.
func (w *world) let(name string) { close(w.mem.gate(name)) }

// answers are the texts that the bot shows in a channel. A thread that it started
// begins with a message of its own without text.
func (w *world) answers(channel string) []string {
	var out []string
	for _, m := range w.FromBot(channel) {
		if m.Content != "" {
			out = append(out, m.Content)
		}
	}
	return out
}

// whispers are the texts that only a user is shown.
func (w *world) whispers(user string) []string {
	var out []string
	for _, m := range w.Ephemerals(user) {
		if !m.Deleted {
			out = append(out, m.Content)
		}
	}
	return out
}

func one(t *testing.T, texts []string, part string) {
	t.Helper()
	if len(texts) != 1 || !strings.Contains(texts[0], part) {
		t.Errorf("got %q, want one text with %q", texts, part)
	}
}

func none(t *testing.T, texts []string, part string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, part) {
			t.Errorf("%q stands in %q", part, text)
		}
	}
}

func readableBy(f func(core.Viewer, core.Turn) []core.Citation) Readable {
	return func(_ context.Context, v core.Viewer, t core.Turn) ([]core.Citation, error) { return f(v, t), nil }
}
