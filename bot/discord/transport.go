package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/core"
)

// transport carries all requests: it sends those for Discord's API to where the
// configuration says, tells the limits what the answers say, and keeps that from
// discordgo, whose own limiter cannot be interrupted.
type transport struct {
	next    http.RoundTripper
	api     *url.URL // nil is Discord's own
	gateway string   // "" is what the API names

	mu     sync.Mutex
	theirs time.Time // Discord's clock, as an answer told it
	at     time.Time // and ours then
}

// clock is Discord's time and ours at the same moment; zero if it is not known.
func (t *transport) clock() (theirs, ours time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.theirs, t.at
}

func (t *transport) noteClock(date string) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.theirs, t.at = theirs, time.Now()
}

func newTransport(a App) (*transport, error) {
	t := &transport{next: a.Transport, gateway: a.GatewayURL}
	if t.next == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.ResponseHeaderTimeout = attemptTime
		t.next = own
	}
	if a.APIURL != "" {
		u, err := local(a.Name, "api_url", a.APIURL, "https", "http")
		if err != nil {
			return nil, err
		}
		t.api = u
	}
	if a.GatewayURL != "" {
		if _, err := local(a.Name, "gateway_url", a.GatewayURL, "wss", "ws"); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// local reads an address; without encryption it has to be of this machine.
func local(app, key, address, safe, plain string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || u.Host == "" || u.Scheme != safe && u.Scheme != plain {
		return nil, core.Errorf(core.KindConfig, "discord %s: %s is no address; it begins with %s://", app, key, safe)
	}
	if u.Scheme == plain {
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return nil, core.Errorf(core.KindConfig, "discord %s: %s is not encrypted, so it may only be on this machine; use %s://", app, key, safe)
		}
	}
	return u, nil
}

// seen is what a request's answer said beside its body.
type seen struct {
	key    string
	limits *limits
	status int
	retry  time.Duration
}

type seenKey struct{}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	rest, ours := strings.CutPrefix(r.URL.String(), discordgo.EndpointAPI)
	if !ours {
		return t.next.RoundTrip(r)
	}
	if t.gateway != "" && rest == "gateway" {
		return t.named(r)
	}
	if t.api != nil {
		to, err := url.Parse(t.api.String() + "/v" + discordgo.APIVersion + "/" + rest)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.URL, r.Host = to, ""
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if s, ok := r.Context().Value(seenKey{}).(*seen); ok {
		s.note(resp)
	}
	t.noteClock(resp.Header.Get("Date"))
	for name := range resp.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			resp.Header.Del(name)
		}
	}
	return resp, nil
}

// named answers where the gateway is, from the configuration.
func (t *transport) named(r *http.Request) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"url": t.gateway})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
}

// note reads the limits from an answer.
func (s *seen) note(resp *http.Response) {
	s.status = resp.StatusCode
	h := resp.Header
	s.retry = seconds(h.Get("Retry-After"))
	if s.status == http.StatusTooManyRequests {
		s.limits.hit(s.key, max(s.retry, 100*time.Millisecond), h.Get("X-Ratelimit-Global") != "")
		return
	}
	if left, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining")); err == nil {
		s.limits.note(s.key, left, seconds(h.Get("X-Ratelimit-Reset-After")))
	}
}

// seconds reads a number of seconds; what is none, is negative or is longer than
// a quarter of an hour counts as that.
func seconds(text string) time.Duration {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0) {
		return 0
	}
	return time.Duration(min(f, 900) * float64(time.Second))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
