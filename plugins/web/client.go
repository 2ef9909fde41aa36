package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// agent is how the crawler names itself; robots.txt may address it by the part
// before the slash.
const (
	agent     = "FootnoteBot"
	userAgent = agent + "/1.0 (+https://github.com/footnote-bot/footnote)"
)

const (
	mostTries    = 3                // of one request
	longestPause = time.Minute      // that is waited for here; the host waits for longer ones
	longestDelay = 30 * time.Second // between requests, whatever robots.txt asks for
	pageTime     = time.Minute      // for one page, from connecting to its last byte
	fileTime     = 10 * time.Minute
	mostHops     = 5 // redirects that are followed in place
)

// client asks hosts, each no faster than allowed.
type client struct {
	http    *http.Client
	rate    float64
	header  string
	value   string
	trusted *url.URL // where the header goes
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	time    time.Duration // for one page

	mu    sync.Mutex
	hosts map[string]*pace
}

// pace is how fast one host is asked.
type pace struct {
	every time.Duration
	due   time.Time
}

// newClient makes one without cookies, which follows no redirect by itself and uses
// no proxy: behind one it could not be seen which addresses are reached.
func (s *Source) newClient(g *guard) *client {
	return &client{
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext: g.dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second,
				ResponseHeaderTimeout: pageTime, MaxResponseHeaderBytes: 256 << 10,
				MaxIdleConns: 20, MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second,
			},
		},
		rate: s.Rate, header: s.Header, value: string(s.Authorization), trusted: s.scope.starts[0],
		now: s.now, sleep: s.sleep, time: pageTime, hosts: map[string]*pace{},
	}
}

func validHeader(name, value string) bool {
	return httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value)
}

func (c *client) pace(host string) *pace {
	p := c.hosts[host]
	if p == nil {
		p = &pace{every: time.Duration(float64(time.Second) / c.rate)}
		c.hosts[host] = p
	}
	return p
}

// slower keeps to the Crawl-delay of a host.
func (c *client) slower(host string, delay time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pace(host); delay > p.every {
		p.every = min(delay, longestDelay)
	}
}

// turn waits until the host may be asked.
func (c *client) turn(ctx context.Context, host string) error {
	c.mu.Lock()
	p, now := c.pace(host), c.now()
	wait := max(0, p.due.Sub(now))
	p.due = now.Add(wait + p.every)
	c.mu.Unlock()
	if wait == 0 {
		return ctx.Err()
	}
	return c.sleep(ctx, wait)
}

// answer is what a host said, with a status below 500 that is not 429.
type answer struct {
	*http.Response
	url *url.URL
}

// get asks for an address, again where that may help. The context that limits the
// time of the exchange ends when the body is closed. An error means that nothing can
// be said of the page.
func (c *client) get(ctx context.Context, u *url.URL, header http.Header, limit time.Duration) (*answer, error) {
	for try := 1; ; try++ {
		if err := c.turn(ctx, u.Host); err != nil {
			return nil, err
		}
		resp, err := c.once(ctx, u, header, limit)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait, err := c.judge(u, resp, err, try)
		if err != nil {
			return nil, err
		}
		if wait < 0 {
			return &answer{resp, u}, nil
		}
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// judge returns how long to wait before the next try, less than 0 where the answer
// stands.
func (c *client) judge(u *url.URL, resp *http.Response, err error, try int) (time.Duration, error) {
	wait := time.Second << (try - 1)
	if err != nil {
		var private *privateError
		var certificate *tls.CertificateVerificationError
		switch {
		case errors.As(err, &private):
			return 0, sdk.Denied(private)
		case errors.As(err, &certificate):
			return 0, fmt.Errorf("%s has a certificate that is not accepted: %w", u.Host, certificate)
		case try == mostTries:
			return 0, fmt.Errorf("%s could not be read: %w", show(u), bare(err))
		}
		return wait, nil
	}
	if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		return -1, nil
	}
	after := sdk.RetryAfter(resp)
	discard(resp)
	err = fmt.Errorf("%s: the server answered %d", show(u), resp.StatusCode)
	switch {
	case after > longestPause, try == mostTries && resp.StatusCode == http.StatusTooManyRequests:
		return 0, sdk.Busy(max(after, longestPause), err)
	case try == mostTries:
		return 0, err
	}
	return max(wait, after), nil
}

func (c *client) once(ctx context.Context, u *url.URL, header http.Header, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the answer took longer than %v", limit))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5")
	for name, values := range header {
		req.Header[name] = values
	}
	if c.value != "" && u.Scheme == c.trusted.Scheme && u.Host == c.trusted.Host {
		req.Header.Set(c.header, c.value)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		cancel()
		if cause := context.Cause(ctx); cause != nil && ctx.Err() == context.DeadlineExceeded {
			err = cause
		}
		return nil, err
	}
	resp.Body = &timed{resp.Body, ctx, cancel}
	return resp, nil
}

// timed is a body that says why it broke off, and that lets go of its context.
type timed struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

func (t *timed) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err != nil && err != io.EOF && t.ctx.Err() == context.DeadlineExceeded {
		err = errors.New(context.Cause(t.ctx).Error()) // not a deadline of the caller's
	}
	return n, err
}

func (t *timed) Close() error {
	t.cancel()
	return t.ReadCloser.Close()
}
