package model

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Config describes one model behind one endpoint.
type Config struct {
	BaseURL string // up to and with the version, such as https://host/v1
	Name    string // the model's name at the endpoint
	APIKey  string // "" sends no key

	ConnectTimeout time.Duration // default 10 s; ignored if HTTP is given
	FirstTimeout   time.Duration // from request to first byte of the reply, default 120 s
	IdleTimeout    time.Duration // between two reads of a running reply, default 60 s
	Retries        int           // extra attempts before the first chunk, default 2, negative none
	MaxWait        time.Duration // longest wait that Retry-After may ask for, default 10 s
	MaxOutput      int           // tokens per reply; 0 leaves it to the server
	ContextWindow  int           // tokens; 0 means unknown
	// TextTools is set for models that have no native tool calls: calls written
	// into the text are then looked for everywhere in it.
	TextTools bool

	HTTP *http.Client // its Timeout must be 0, or long streams are cut
	Log  *slog.Logger
}

// Client calls one model. It may be used from several goroutines.
type Client struct {
	cfg    Config
	base   *url.URL
	http   *http.Client
	log    *slog.Logger
	quirks atomic.Pointer[quirks]
}

// New checks the configuration and makes a client. It does not connect.
// Errors are of kind config.
func New(cfg Config) (*Client, error) {
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	cfg.Name = strings.TrimSpace(cfg.Name)
	base, err := parseBase(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.Name == "" {
		return nil, core.Errorf(core.KindConfig,
			"model.name is empty: set it to the name of a model that %s serves", base.Redacted())
	}
	cfg.BaseURL = base.String()
	setDefaults(&cfg)
	c := &Client{cfg: cfg, base: base, http: cfg.HTTP, log: cfg.Log}
	if c.http == nil {
		c.http = newHTTP(cfg.ConnectTimeout)
	}
	c.quirks.Store(startQuirks(cfg.Name))
	return c, nil
}

// Name is the model's name at the endpoint.
func (c *Client) Name() string { return c.cfg.Name }

// Window is the context window in tokens; 0 if it was not configured.
func (c *Client) Window() int { return c.cfg.ContextWindow }

// MaxOutput is the configured limit of a reply in tokens; 0 if there is none.
func (c *Client) MaxOutput() int { return c.cfg.MaxOutput }

func parseBase(raw string) (*url.URL, error) {
	trimmed := strings.TrimRight(strings.TrimSpace(raw), "/")
	trimmed = strings.TrimRight(strings.TrimSuffix(trimmed, "/chat/completions"), "/")
	u, err := url.Parse(trimmed)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The text itself is left out: it may hold a password that did not parse.
		return nil, core.Errorf(core.KindConfig,
			"model.base_url is not an http or https address: write it like https://host/v1")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, core.Errorf(core.KindConfig,
			"model.base_url must not have a query or fragment: write it like https://host/v1, the key belongs in model.api_key")
	}
	return u, nil
}

func setDefaults(cfg *Config) {
	orDefault(&cfg.ConnectTimeout, 10*time.Second)
	orDefault(&cfg.IdleTimeout, 60*time.Second)
	orDefault(&cfg.FirstTimeout, 120*time.Second)
	orDefault(&cfg.MaxWait, 10*time.Second)
	switch {
	case cfg.Retries == 0:
		cfg.Retries = 2
	case cfg.Retries < 0:
		cfg.Retries = 0
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
}

func orDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

func newHTTP(connect time.Duration) *http.Client {
	dialer := net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = dialer.DialContext
	t.TLSHandshakeTimeout = connect
	t.MaxIdleConnsPerHost = 8
	return &http.Client{Transport: t}
}

// Stream makes one model call and hands each delta to the function, in order
// and from the calling goroutine. An error of that function ends the call and
// is returned as it is.
//
// Failures before the first chunk are retried where a retry can help. The reply
// returned with an error holds what had arrived. Errors are core.Errors of kind
// unavailable, busy, timeout, auth, config, too_large, invalid or cancelled.
func (c *Client) Stream(ctx context.Context, req Request, each func(Delta) error) (Reply, error) {
	started := time.Now()
	var reply Reply
	for attempt := 1; ; attempt++ {
		r := c.attempt(ctx, req, started, each)
		reply = r.reply
		reply.Attempts = attempt
		if r.err == nil {
			return reply, nil
		}
		if r.callback {
			return reply, r.err
		}
		wait, again := c.again(ctx, r, attempt)
		if !again {
			return reply, c.explain(ctx, r)
		}
		c.log.Warn("model call failed, trying again", "model", c.cfg.Name,
			"attempt", attempt, "status", r.status, "wait_ms", wait.Milliseconds())
		if err := sleep(ctx, wait); err != nil {
			return reply, c.explain(ctx, result{err: err})
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
