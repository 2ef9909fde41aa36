package discordtest_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

const (
	sendRoute = "POST /channels/{channel}/messages"
	editRoute = "PATCH /channels/{channel}/messages/{message}"
)

// raw calls the API without discordgo, to see status and headers.
func raw(t *testing.T, srv *discordtest.Server, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://discord.com/api/v10"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+discordtest.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: srv.Transport()}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestRouteLimit(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithLimits(discordtest.DiscordLimits()))
	srv.Clock().Freeze()
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	other := srv.AddChannel(discordtest.Channel{Name: "other"})
	send := func(channel string) *http.Response {
		return raw(t, srv, "POST", "/channels/"+channel+"/messages", `{"content":"x"}`)
	}
	for i := range 5 {
		r := send(general)
		if r.StatusCode != 200 || r.Header.Get("X-RateLimit-Remaining") != []string{"4", "3", "2", "1", "0"}[i] || r.Header.Get("X-RateLimit-Reset-After") != "5.000" {
			t.Errorf("send %d: %s %v", i, r.Status, r.Header)
		}
	}
	r := send(general)
	if r.StatusCode != 429 || r.Header.Get("Retry-After") != "5" || r.Header.Get("X-RateLimit-Scope") != "user" || r.Header.Get("X-RateLimit-Global") != "" {
		t.Errorf("the sixth: %s %v", r.Status, r.Header)
	}
	if r := send(other); r.StatusCode != 200 {
		t.Errorf("another channel: %s", r.Status)
	}
	srv.Clock().Advance(5 * time.Second)
	if r := send(general); r.StatusCode != 200 {
		t.Errorf("after five seconds: %s", r.Status)
	}
	s := newSession(t, srv, usual)
	_, err := s.Client.Get("https://discord.com/api/v9/gateway")
	if err != nil {
		t.Fatal(err)
	}
	srv.SetLimits(discordtest.Limits{Buckets: map[string]discordtest.Rate{sendRoute: {Requests: 1, Per: 2500 * time.Millisecond}}})
	send(general)
	_, err = s.ChannelMessageSend(general, "x")
	var limit *discordgo.RateLimitError
	if !errors.As(err, &limit) || limit.RetryAfter != 2500*time.Millisecond {
		t.Errorf("the client got %v, want 2.5 s", err)
	}
}

func TestGlobalLimit(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithLimits(discordtest.Limits{Global: 50}))
	srv.Clock().Freeze()
	var wg sync.WaitGroup
	codes := make([]int, 52)
	for i := range codes {
		wg.Go(func() { codes[i] = raw(t, srv, "GET", "/users/@me", "").StatusCode })
	}
	wg.Wait()
	limited := 0
	for _, c := range codes {
		if c == 429 {
			limited++
		}
	}
	if limited != 2 {
		t.Errorf("%d of 52 were limited, want 2", limited)
	}
	if r := raw(t, srv, "GET", "/users/@me", ""); r.Header.Get("X-RateLimit-Global") != "true" || r.Header.Get("X-RateLimit-Scope") != "global" {
		t.Errorf("headers: %v", r.Header)
	}
	srv.Clock().Advance(time.Second)
	if r := raw(t, srv, "GET", "/users/@me", ""); r.StatusCode != 200 {
		t.Errorf("a second later: %s", r.Status)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	s := newSession(t, srv, usual)
	send := func() error { _, err := s.ChannelMessageSend(general, "x"); return err }
	srv.Fail(sendRoute, discordtest.Fault{Skip: 1, Status: 500, Body: "oops"})
	if err := send(); err != nil {
		t.Error(err)
	}
	if err := send(); err == nil || !strings.Contains(err.Error(), "HTTP 500") {
		t.Errorf("status 500: %v", err)
	}
	srv.Fail(sendRoute, discordtest.Fault{Code: 50001, Status: 403, Message: "Missing Access"})
	refused(t, send(), 403, 50001)
	srv.Fail(sendRoute, discordtest.Fault{Body: `{"id": "1`})
	if err := send(); err == nil || !strings.Contains(err.Error(), "unmarshal") {
		t.Errorf("bad JSON: %v", err)
	}
	srv.Fail(sendRoute, discordtest.Fault{Reset: true})
	if err := send(); err == nil {
		t.Error("a reset went through")
	}
	srv.Fail(sendRoute, discordtest.Fault{Reset: true, After: true})
	before := len(srv.FromBot(general))
	if err := send(); err == nil || len(srv.FromBot(general)) != before+1 {
		t.Errorf("a lost answer: %v, %d messages", err, len(srv.FromBot(general)))
	}
	srv.Fail(sendRoute, discordtest.Fault{Status: 429, RetryAfter: 1500 * time.Millisecond, Scope: "shared"})
	var limit *discordgo.RateLimitError
	if err := send(); !errors.As(err, &limit) || limit.RetryAfter != 1500*time.Millisecond {
		t.Errorf("shared 429: %v", err)
	}
	s = newSession(t, srv, usual) // without the wait that the 429 set
	srv.Clock().Freeze()
	srv.Fail(sendRoute, discordtest.Fault{Delay: time.Minute})
	before = len(srv.Calls(sendRoute))
	done := make(chan error, 1)
	go func() { done <- send() }()
	srv.Eventually("the slow call", func() bool { return len(srv.Calls(sendRoute)) > before })
	select {
	case err := <-done:
		t.Errorf("the slow call ended at once: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	srv.Clock().Advance(time.Minute)
	if err := <-done; err != nil {
		t.Errorf("the slow call: %v", err)
	}
	srv.Fail("", discordtest.Fault{Times: -1, Status: 502})
	srv.Heal()
	if err := send(); err != nil {
		t.Errorf("after Heal: %v", err)
	}
	calls := srv.Calls(sendRoute)
	if last := calls[len(calls)-1]; last.Status != 200 || !strings.Contains(string(last.Body), `"content":"x"`) {
		t.Errorf("last call: %+v", last)
	}
}

// TestMistakesOfTests is about Err: what no answer of Discord could say.
func TestMistakesOfTests(t *testing.T) {
	t.Parallel()
	srv, err := discordtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	stranger := srv.AddUser(discordtest.User{Name: "stranger"})
	srv.Say(general, stranger, "let me in")
	srv.Say("12", discordtest.Owner, "x")
	srv.Slash(general, discordtest.Owner, "ask", nil)
	srv.Fail("GET /nothing", discordtest.Fault{})
	srv.SubmitModal(discordtest.Owner, nil)
	srv.AddChannel(discordtest.Channel{ID: "abc", Name: "x"})
	resp := raw(t, srv, "GET", "/voice/regions", "")
	if resp.StatusCode != 404 {
		t.Errorf("unknown route: %s", resp.Status)
	}
	got := srv.Err().Error()
	for _, want := range []string{"stranger may not write", `no channel "12"`, "no such command", "GET /nothing", "no modal open", `"abc" is no snowflake`, "/voice/regions"} {
		if !strings.Contains(got, want) {
			t.Errorf("Err lacks %q:\n%s", want, got)
		}
	}
}
