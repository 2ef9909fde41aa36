package slacktest

import (
	"context"
	"errors"
	"io"
	"log"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

// slacks is how long Slack waits for an ack.
var slacks = AckTimeout(3 * time.Second)

// office is a workspace with people of every kind, and a client of the app. It waits
// for acks as long as a busy machine may take, unless the options say otherwise.
func office(t *testing.T, opts ...Option) (*Server, *slack.Client) {
	t.Helper()
	s := New(t, append([]Option{AckTimeout(time.Hour)}, opts...)...)
	s.AddUser(User{ID: "U1", Name: "ann", RealName: "Ann Lee", Email: "ann@example.com"})
	s.AddUser(User{ID: "U2", Name: "bob", Email: "bob@example.com", Guest: true, Locale: "de-DE"})
	s.AddChannel(Channel{ID: "C1", Name: "general", Members: []string{"U1", "U2", BotUser}})
	s.AddChannel(Channel{ID: "C2", Name: "random", Members: []string{"U1"}})
	s.AddChannel(Channel{ID: "C3", Name: "board", Kind: Private, Members: []string{"U1", BotUser}})
	s.AddChannel(Channel{ID: "C4", Name: "hr", Kind: Private, Members: []string{"U1"}})
	return s, clientOf(s, BotToken, AppToken)
}

func clientOf(s *Server, bot, app string) *slack.Client {
	return slack.New(bot, slack.OptionAPIURL(s.URL()), slack.OptionAppLevelToken(app), slack.OptionConfigToken(ConfigToken))
}

// code is Slack's error code of an error, or its text.
func code(err error) string {
	if err == nil {
		return ""
	}
	var e slack.SlackErrorResponse
	if errors.As(err, &e) {
		return e.Err
	}
	return err.Error()
}

func wantCode(t *testing.T, err error, want string) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// bot is a socketmode client that acks and notes what comes.
type bot struct {
	client *socketmode.Client
	mu     sync.Mutex
	seen   []socketmode.Event
	answer func(socketmode.Event) any // the ack's payload
	silent func(socketmode.Event) bool
	stop   func()
}

func connect(t *testing.T, s *Server, client *slack.Client, set func(*bot), opts ...socketmode.Option) *bot {
	t.Helper()
	opts = append(opts, socketmode.OptionLog(log.New(io.Discard, "", 0)))
	b := &bot{client: socketmode.New(client, opts...)}
	if set != nil {
		set(b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = b.client.RunContext(ctx) })
	wg.Go(func() {
		for {
			select {
			case e := <-b.client.Events:
				b.take(e)
			case <-ctx.Done():
				return
			}
		}
	})
	var once sync.Once
	b.stop = func() { once.Do(func() { cancel(); wg.Wait() }) }
	t.Cleanup(b.stop)
	return b
}

func (b *bot) take(e socketmode.Event) {
	b.mu.Lock()
	b.seen = append(b.seen, e)
	b.mu.Unlock()
	if e.Request == nil || e.Request.EnvelopeID == "" || b.silent != nil && b.silent(e) {
		return
	}
	if b.answer != nil {
		if payload := b.answer(e); payload != nil {
			_ = b.client.Ack(*e.Request, payload)
			return
		}
	}
	_ = b.client.Ack(*e.Request)
}

func (b *bot) events(kind socketmode.EventType) []socketmode.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.seen), func(e socketmode.Event) bool { return e.Type != kind })
}

func short(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func settled(t *testing.T, s *Server, id string) Delivery {
	t.Helper()
	d, err := s.WaitDelivery(short(t), id)
	if err != nil {
		t.Fatalf("%v\n%+v", err, d)
	}
	return d
}
