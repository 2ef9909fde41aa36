package slack

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

func TestWhatIsTriedAgain(t *testing.T) {
	post, edit, read := call{method: "chat.postMessage", effect: adds}, call{method: "chat.update", effect: sets}, call{method: "users.info"}
	refused := func(code string) error { return slack.SlackErrorResponse{Err: code} }
	rows := []struct {
		name string
		call call
		err  error
		try  int
		want bool
	}{
		{"a limited post", post, &slack.RateLimitedError{RetryAfter: time.Second}, 1, true},
		{"a post limited without a time", post, slack.StatusCodeError{Code: 429}, 1, true},
		{"a post limited too often", post, &slack.RateLimitedError{RetryAfter: time.Second}, mostTries, false},
		{"a post that may have landed", post, slack.StatusCodeError{Code: 500}, 1, false},
		{"a post whose answer was lost", post, errors.New("connection reset"), 1, false},
		{"a post that was never sent", post, &net.OpError{Op: "dial", Err: errors.New("refused")}, 1, true},
		{"a post that never finds the host", post, &net.DNSError{Err: "no such host"}, 2, true},
		{"a post refused", post, refused("invalid_blocks"), 1, false},
		{"a post of which Slack failed", post, refused("internal_error"), 1, false},
		{"an edit whose answer was lost", edit, errors.New("connection reset"), 1, true},
		{"an edit of which Slack failed", edit, refused("fatal_error"), 1, true},
		{"an edit refused", edit, refused("message_not_found"), 1, false},
		{"a read on a bad day", read, slack.StatusCodeError{Code: 503}, 2, true},
		{"a read on a very bad day", read, slack.StatusCodeError{Code: 503}, 3, false},
		{"a read that was cancelled", read, context.Canceled, 1, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, got := again(row.call, asCallError(row.call.method, row.err), row.try); got != row.want {
				t.Errorf("tried again: %v, want %v", got, row.want)
			}
		})
	}
	if wait, _ := again(post, asCallError("x", &slack.RateLimitedError{RetryAfter: 7 * time.Second}), 1); wait != 7*time.Second {
		t.Errorf("waited %s where Slack asked for 7s", wait)
	}
}

// newTestAPI is a wrapper around a server, with what it logs.
func newTestAPI(t *testing.T, srv *slacktest.Server) (*api, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	a, err := newAPI(Workspace{Name: "t", BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: srv.URL()},
		nothing{}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return a, &log
}

func channelServer(t *testing.T, opts ...slacktest.Option) *slacktest.Server {
	t.Helper()
	t.Parallel()
	srv := slacktest.New(t, opts...)
	srv.AddUser(slacktest.User{ID: "U1", Name: "ann"})
	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", slacktest.BotUser}})
	return srv
}

func TestAPostThatMayHaveLandedIsNotRepeated(t *testing.T) {
	srv := channelServer(t)
	a, _ := newTestAPI(t, srv)
	srv.Fail("chat.postMessage", slacktest.Fault{After: true, Reset: true})
	if _, err := a.post(t.Context(), "C1", "", notice("once")); err == nil {
		t.Error("the lost answer is no error")
	}
	if n := len(srv.Messages("C1")); n != 1 {
		t.Errorf("posted %d times", n)
	}
	ts := srv.Messages("C1")[0].TS
	srv.Fail("chat.update", slacktest.Fault{After: true, Reset: true})
	if err := a.update(t.Context(), "C1", ts, notice("changed"), false); err != nil {
		t.Errorf("an edit can be repeated: %v", err)
	}
}

func TestALimitHoldsForItsMethodAndChannelOnly(t *testing.T) {
	srv := channelServer(t)
	srv.AddChannel(slacktest.Channel{ID: "C2", Name: "other", Members: []string{slacktest.BotUser}})
	a, _ := newTestAPI(t, srv)
	var slept []time.Duration
	a.sleep = func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		a.gates = newGates() // time passed
		return nil
	}
	ts, err := a.post(t.Context(), "C1", "", notice("draft"))
	if err != nil {
		t.Fatal(err)
	}
	srv.Fail("chat.update", slacktest.Fault{Status: 429, RetryAfter: 3600})
	if err := a.update(t.Context(), "C1", ts, notice("draft 2"), true); !errors.Is(err, errDropped) {
		t.Errorf("a draft waited for a limit: %v", err)
	}
	if err := a.update(t.Context(), "C1", ts, notice("draft 3"), true); !errors.Is(err, errDropped) {
		t.Errorf("a draft was sent against a limit: %v", err)
	}
	if _, err := a.post(t.Context(), "C2", "", notice("elsewhere")); err != nil || len(slept) > 0 {
		t.Errorf("another method and channel waited: %v, %v", err, slept)
	}
	if err := a.update(t.Context(), "C1", ts, notice("final"), false); err != nil {
		t.Errorf("the final edit: %v", err)
	}
	if len(slept) != 1 || slept[0] < 30*time.Minute || slept[0] > time.Hour {
		t.Errorf("the final edit waited %v, want about an hour", slept)
	}
	if m := srv.Messages("C1")[0]; m.Text != "final" {
		t.Errorf("shown: %q", m.Text)
	}
}

func TestARefusalIsLoggedWithoutText(t *testing.T) {
	srv := channelServer(t)
	a, log := newTestAPI(t, srv)
	srv.Fail("chat.postMessage", slacktest.Fault{Error: "invalid_blocks", Messages: []string{"[ERROR] must be shorter: the-secret [json-pointer:/blocks/0/text/text]"}})
	_, err := a.post(t.Context(), "C1", "", notice("the-secret"))
	var e *callError
	if !errors.As(err, &e) || !slices.Equal(e.pointers, []string{"/blocks/0/text/text"}) || !tooBig(err) {
		t.Errorf("error %#v", err)
	}
	if s := log.String(); !strings.Contains(s, "/blocks/0/text/text") || strings.Contains(s, "secret") {
		t.Errorf("log: %s", s)
	}
}

func TestPlainHTTPIsForThisMachine(t *testing.T) {
	for address, ok := range map[string]bool{
		"": true, "https://slack.example/api/": true, "http://127.0.0.1:80/api": true, "http://localhost/api/": true,
		"http://slack.example/api/": false, "ftp://127.0.0.1/": false, "nonsense": false,
	} {
		_, err := newAPI(Workspace{Name: "w", APIURL: address}, nothing{}, slog.New(slog.DiscardHandler))
		if (err == nil) != ok || err != nil && core.KindOf(err) != core.KindConfig {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestPreviewsAreOff(t *testing.T) {
	srv := channelServer(t)
	a, _ := newTestAPI(t, srv)
	if _, err := a.post(t.Context(), "C1", "", notice("https://a.example/")); err != nil {
		t.Fatal(err)
	}
	p := srv.Calls("chat.postMessage")[0].Params
	if p["unfurl_links"] != "false" || p["unfurl_media"] != "false" || p["text"] == "" || p["blocks"] == "" {
		t.Errorf("sent: %v", p)
	}
}
