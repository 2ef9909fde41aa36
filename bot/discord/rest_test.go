package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func testAPI(t *testing.T, change func(*App), opts ...discordtest.Option) (*discordtest.Server, api) {
	t.Helper()
	srv := discordtest.New(t, opts...)
	config := App{Name: "acme", Token: discordtest.Token, Transport: srv.Transport()}
	if change != nil {
		change(&config)
	}
	tr, err := newTransport(config)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRest(bearer(config.Token), tr, nothing{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return srv, api{r}
}

func TestLimitsAreWaitedForAndNotHit(t *testing.T) {
	srv, a := testAPI(t, nil, discordtest.WithLimits(discordtest.Limits{Routes: true, Buckets: map[string]discordtest.Rate{
		"POST /channels/{channel}/messages": {Requests: 3, Per: 300 * time.Millisecond}}}))
	channel := srv.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "general"})
	for i := range 8 {
		if _, err := a.post(t.Context(), channel, fmt.Sprint(i), payload{Content: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	limited := 0
	for _, c := range srv.Calls("POST /channels/{channel}/messages") {
		if c.Status == http.StatusTooManyRequests {
			limited++
		}
	}
	if n := len(srv.FromBot(channel)); n != 8 || limited > 0 {
		t.Errorf("%d messages, %d calls too early", n, limited)
	}
}

func TestLimitsEndWithTheContext(t *testing.T) {
	srv, a := testAPI(t, nil)
	channel := srv.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "general"})
	srv.Fail("POST /channels/{channel}/messages", discordtest.Fault{Times: -1, Status: 429, RetryAfter: 4 * time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := a.post(ctx, channel, "n", payload{Content: "x"}); err == nil {
		t.Error("no error")
	}
	if err := a.edit(t.Context(), channel, "1", payload{Content: "x"}, true); errors.Is(err, errDropped) {
		t.Error("another limit counted")
	}
}

func TestGlobalLimitHoldsEverything(t *testing.T) {
	l := newLimits()
	began := time.Now()
	l.hit("a", 80*time.Millisecond, true)
	if err := l.take(t.Context(), "b", false); err != nil || time.Since(began) < 60*time.Millisecond {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	l.hit("a", time.Minute, false)
	if err := l.take(t.Context(), "a", true); !errors.Is(err, errDropped) {
		t.Errorf("got %v", err)
	}
}

// Pain 44: each interaction brings a limit of its own, and none stays.
func TestLimitsAreForgotten(t *testing.T) {
	l := newLimits()
	for i := range 3 * mostBuckets {
		l.note(fmt.Sprint(i), 1, time.Hour)
	}
	if n := l.size(); n > mostBuckets+1 {
		t.Errorf("%d limits are remembered", n)
	}
	l.note("old", 1, -time.Second)
	l.swept = time.Time{}
	l.note("new", 1, time.Second)
	if _, ok := l.buckets["old"]; ok {
		t.Error("a limit that has passed is remembered")
	}
}

// A message whose answer was lost is sent again, and is still one message.
func TestRepeatedPostsAreOneMessage(t *testing.T) {
	for name, f := range map[string]discordtest.Fault{
		"its answer was lost": {After: true, Reset: true}, "502 after it landed": {After: true, Status: 502}, "502": {Status: 502}, "a cut": {Reset: true},
	} {
		t.Run(name, func(t *testing.T) {
			srv, a := testAPI(t, nil)
			channel := srv.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "general"})
			srv.Fail("POST /channels/{channel}/messages", f)
			if _, err := a.post(t.Context(), channel, "n", payload{Content: "x"}); err != nil {
				t.Error(err)
			}
			if n := len(srv.FromBot(channel)); n != 1 {
				t.Errorf("%d messages", n)
			}
		})
	}
}

func TestRefusalsAreNotRepeated(t *testing.T) {
	srv, a := testAPI(t, nil)
	channel := srv.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: "general"})
	_, err := a.post(t.Context(), channel, "n", payload{Content: ""})
	var refused *apiError
	if !errors.As(err, &refused) || refused.status != 400 || len(srv.Calls("POST /channels/{channel}/messages")) != 1 {
		t.Errorf("got %v after %d calls", err, len(srv.Calls("POST /channels/{channel}/messages")))
	}
	if _, err := a.channel(t.Context(), "12345678901234567890"); !gone(err) || strings.Contains(err.Error(), "1234567890") {
		t.Errorf("got %v", err)
	}
}

// broken is a network on which nothing answers.
type broken struct {
	calls  atomic.Int32
	second func() // called with the second one
}

func (b *broken) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.calls.Add(1) == 2 {
		b.second()
	}
	if strings.Contains(r.URL.Path, "html") {
		return &http.Response{StatusCode: 429, Status: "429", Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>")), Request: r}, nil
	}
	return nil, errors.New("no route")
}

func TestErrorsNameNoTokens(t *testing.T) {
	b := &broken{}
	_, a := testAPI(t, func(c *App) { c.Transport = b })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.second = cancel
	_, err := a.editByToken(ctx, "1", "a-very-secret-interaction-token", "@original", payload{}, false)
	if err == nil || strings.Contains(err.Error(), "secret") || b.calls.Load() < 2 {
		t.Errorf("got %v after %d calls", err, b.calls.Load())
	}
	err = a.do(t.Context(), call{method: "GET", path: "html", key: "GET html", attempts: 2}, nil)
	if !isStatus(err, 429) {
		t.Errorf("got %v", err)
	}
}

// Pain 56: the token works with and without "Bot ".
func TestTokensAndAddresses(t *testing.T) {
	for _, token := range []string{discordtest.Token, "Bot " + discordtest.Token, "  " + discordtest.Token + "\n"} {
		srv, _ := testAPI(t, nil)
		id, err := CheckToken(t.Context(), App{Name: "acme", Token: token, Transport: srv.Transport()}, nil)
		if err != nil || id.App != discordtest.AppID || id.User != discordtest.BotUser {
			t.Errorf("%q: %+v, %v", token, id, err)
		}
	}
	srv, _ := testAPI(t, nil)
	id, err := CheckToken(t.Context(), App{Name: "acme", Token: discordtest.Token, APIURL: srv.APIURL(), GatewayURL: srv.GatewayURL()}, nil)
	if err != nil || id.App != discordtest.AppID {
		t.Errorf("%+v, %v", id, err)
	}
	if _, err := CheckToken(t.Context(), App{Name: "acme", Token: "wrong", Transport: srv.Transport()}, nil); core.KindOf(err) != core.KindAuth {
		t.Errorf("a wrong token: %v", err)
	}
	for _, c := range []App{
		{}, {Token: "Bot "}, {Token: "x", APIURL: "http://example.com/api"}, {Token: "x", APIURL: "ftp://127.0.0.1"},
		{Token: "x", GatewayURL: "ws://example.com"}, {Token: "x", GatewayURL: "https://example.com"}, {Token: "x", APIURL: "nonsense"},
	} {
		if _, err := CheckToken(t.Context(), c, nil); core.KindOf(err) != core.KindConfig {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
