package slacktest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
)

func TestFaults(t *testing.T) {
	s, client := office(t)
	post := func(ctx context.Context) error {
		_, _, err := client.PostMessageContext(ctx, "C1", slack.MsgOptionText("x", false))
		return err
	}
	posted := func() int { return len(s.Messages("C1")) }
	for _, row := range []struct {
		name  string
		fault Fault
		want  string // part of the error
		lands bool
	}{
		{"an error", Fault{Error: "fatal_error"}, "fatal_error", false},
		{"a bad block", Fault{Error: "invalid_blocks", Messages: []string{"x [json-pointer:/blocks/0]"}}, "invalid_blocks", false},
		{"500", Fault{Status: 500, Body: "<html>"}, "500", false},
		{"429", Fault{Status: 429, RetryAfter: 7}, "retry after 7s", false},
		{"429 without a time", Fault{Status: 429}, "429", false},
		{"reset", Fault{Reset: true}, "", false},
		{"reset after it landed", Fault{Reset: true, After: true}, "", true},
		{"500 after it landed", Fault{Status: 500, After: true}, "500", true},
		{"cut JSON", Fault{Body: `{"ok":tr`}, "EOF", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := posted()
			s.Fail("chat.postMessage", row.fault)
			err := post(t.Context())
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
			if landed := posted() > before; landed != row.lands {
				t.Errorf("landed: %v", landed)
			}
			if err := post(t.Context()); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

func TestSlowCalls(t *testing.T) {
	s, client := office(t)
	s.Fail("auth.test", Fault{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := client.AuthTestContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that hangs: %v", err)
	}
	s.Fail("auth.test", Fault{Delay: time.Minute, Skip: 1})
	if _, err := client.AuthTest(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := client.AuthTest(); done <- err }()
	for over := false; !over; {
		s.Clock().Advance(30 * time.Second)
		select {
		case err := <-done:
			over = true
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Millisecond):
		}
	}
	s.Fail("", Fault{Error: "internal_error", Times: -1, When: func(c Call) bool { return c.Params["user"] == "U1" }})
	_, err := client.GetUserInfo("U1")
	wantCode(t, err, "internal_error")
	if _, err = client.GetUserInfo("U2"); err != nil {
		t.Error(err)
	}
	s.Heal()
	if _, err = client.GetUserInfo("U1"); err != nil {
		t.Error(err)
	}
}

// The retry of slack-go gets through what passes by itself.
func TestRetryingClient(t *testing.T) {
	s, _ := office(t)
	client := slack.New(BotToken, slack.OptionAPIURL(s.URL()), slack.OptionRetry(3))
	s.Fail("auth.test", Fault{Status: 429, RetryAfter: 1})
	start := time.Now()
	if _, err := client.AuthTest(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 900*time.Millisecond {
		t.Errorf("it came back after %v", took)
	}
}

func TestProblemsAreReported(t *testing.T) {
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client := slack.New(BotToken, slack.OptionAPIURL(s.URL()))
	_, err = client.GetEmoji()
	wantCode(t, err, "unknown_method")
	s.Message("C404", "U1", "x")
	s.Click("U404", "C404", "1.2", "Like")
	for _, part := range []string{`no method "emoji.list"`, `Say: no channel "C404"`, `Click: no channel "C404"`} {
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

func TestCloseWaitsAndEndsCalls(t *testing.T) {
	s, err := Start(PingEvery(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	s.AddUser(User{ID: "U1"})
	client := clientOf(s, BotToken, AppToken)
	b := connect(t, s, client, nil)
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	s.Fail("auth.test", Fault{Hang: true, Times: -1})
	done := make(chan error, 1)
	go func() { _, err := client.AuthTest(); done <- err }()
	s.DM("U1", "hi")
	s.Close()
	s.Close()
	if err := <-done; err == nil {
		t.Error("the hanging call came back without an error")
	}
	b.stop()
	if err := s.Wait(t.Context(), func() bool { return false }); err == nil {
		t.Error("Wait goes on after Close")
	}
}

func TestTrace(t *testing.T) {
	s, client := office(t)
	connect(t, s, client, nil)
	s.DM("U1", "hi")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	_, _, err := client.PostMessage("C404", slack.MsgOptionText("x", false))
	wantCode(t, err, "channel_not_found")
	trace := s.Trace()
	for _, part := range []string{"call  apps.connections.open : ok", "event message.im Ev", "try 1 on socket 1: acked after", "call  chat.postMessage channel=C404: channel_not_found"} {
		if !strings.Contains(trace, part) {
			t.Errorf("%q lacks %q", trace, part)
		}
	}
}
