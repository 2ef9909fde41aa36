package discordtest_test

import (
	"errors"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

const usual = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages

var closing sync.WaitGroup

func TestMain(m *testing.M) {
	code := m.Run()
	closing.Wait()
	os.Exit(code)
}

// newSession is the real client against a server, not connected yet.
func newSession(t *testing.T, srv *discordtest.Server, intents discordgo.Intent) *discordgo.Session {
	t.Helper()
	s, err := discordgo.New("Bot " + discordtest.Token)
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Transport: srv.Transport(), Timeout: 2 * time.Minute}
	s.Identify.Intents = intents
	s.LogLevel = -1 // errors of the client are expected here
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	return s
}

// inbox collects every event that the client decodes.
type inbox struct {
	mu      sync.Mutex
	events  []*discordgo.Event
	changed chan struct{}
}

func (b *inbox) take(_ *discordgo.Session, e *discordgo.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *inbox) list() ([]*discordgo.Event, chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*discordgo.Event(nil), b.events...), b.changed
}

// count is how many events of a name have come.
func (b *inbox) count(name string) int {
	events, _ := b.list()
	n := 0
	for _, e := range events {
		if e.Type == name {
			n++
		}
	}
	return n
}

// await waits for an event of type T that fits.
func await[T any](t *testing.T, b *inbox, fits func(T) bool) T {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		events, changed := b.list()
		for _, e := range events {
			if v, ok := e.Struct.(T); ok && fits(v) {
				return v
			}
		}
		select {
		case <-changed:
		case <-deadline:
			var zero T
			t.Fatalf("no %T came", zero)
		}
	}
}

// connect is the real client, connected.
func connect(t *testing.T, srv *discordtest.Server, intents discordgo.Intent) (*discordgo.Session, *inbox) {
	t.Helper()
	s, box := newSession(t, srv, intents), &inbox{changed: make(chan struct{})}
	s.SyncEvents = true
	s.AddHandler(box.take)
	if err := s.Open(); err != nil {
		t.Fatalf("open: %v", err)
	}
	// Close sleeps for a second: all of them sleep together, TestMain waits.
	t.Cleanup(func() { closing.Go(func() { _ = s.Close() }) })
	if intents&discordgo.IntentGuilds != 0 {
		await(t, box, func(e *discordgo.GuildCreate) bool { return e.ID == discordtest.Guild && !e.Unavailable })
	}
	return s, box
}

// refused checks Discord's code and the HTTP status of an error.
func refused(t *testing.T, err error, status, code int) *discordgo.RESTError {
	t.Helper()
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) {
		t.Fatalf("error %v, want code %d", err, code)
	}
	if rest.Message == nil || rest.Message.Code != code || rest.Response.StatusCode != status {
		t.Fatalf("got %s %s, want %d and code %d", rest.Response.Status, rest.ResponseBody, status, code)
	}
	return rest
}
