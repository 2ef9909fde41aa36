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

	"golang.org/x/sync/semaphore"

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
	// Profile names what kind of server it is; "" is found out from the address.
	Profile     string
	Concurrency int // calls at the same time, default 8, negative without limit
	Dimensions  int // length of the vectors that Embed returns; 0 takes what comes
	// Section is where messages say that a setting stands, default model.
	Section string

	HTTP *http.Client // its Timeout must be 0, or long streams are cut
	Log  *slog.Logger
}

// Client calls one model. It may be used from several goroutines.
type Client struct {
	cfg     Config
	base    *url.URL
	profile Profile
	http    *http.Client
	log     *slog.Logger
	quirks  atomic.Pointer[quirks]
	places  *semaphore.Weighted // nil without limit; first come, first served
	tokens  *Counter
	batch   atomic.Int64 // texts in one embedding request
}

// New checks the configuration and makes a client. It does not connect.
// Errors are of kind config.
func New(cfg Config) (*Client, error) {
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	cfg.Name = strings.TrimSpace(cfg.Name)
	setDefaults(&cfg)
	base, err := parseBase(cfg.Section, cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	profile, err := ProfileFor(cfg.Profile, base)
	if err != nil {
		return nil, core.Errorf(core.KindConfig, "%s.profile: %w", cfg.Section, err)
	}
	if err := checkQuery(cfg.Section, base, profile); err != nil {
		return nil, err
	}
	if cfg.Name == "" {
		return nil, core.Errorf(core.KindConfig,
			"%s.name is empty: set it to the name of a model that %s serves", cfg.Section, base.Redacted())
	}
	c := &Client{cfg: cfg, base: base, profile: profile, http: cfg.HTTP, log: cfg.Log, tokens: NewCounter()}
	if c.http == nil {
		c.http = newHTTP(cfg.ConnectTimeout)
	}
	if cfg.Concurrency > 0 {
		c.places = semaphore.NewWeighted(int64(cfg.Concurrency))
	}
	c.batch.Store(maxBatch)
	c.quirks.Store(startQuirks(cfg.Name, profile))
	return c, nil
}

// Name is the model's name at the endpoint.
func (c *Client) Name() string { return c.cfg.Name }

// Window is the context window in tokens: the configured one, or what every
// model of the profile takes in; 0 if neither is known.
func (c *Client) Window() int {
	if c.cfg.ContextWindow > 0 {
		return c.cfg.ContextWindow
	}
	return c.profile.Window
}

// MaxOutput is the configured limit of a reply in tokens; 0 if there is none.
func (c *Client) MaxOutput() int { return c.cfg.MaxOutput }

// Profile is what the client knew of its server before the first call.
func (c *Client) Profile() Profile { return c.profile }

// Counter counts tokens as this model does. It learns from the usage that the
// server reports.
func (c *Client) Counter() *Counter { return c.tokens }

func parseBase(section, raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The text itself is left out: it may hold a password that did not parse.
		return nil, core.Errorf(core.KindConfig,
			"%s.base_url is not an http or https address: write it like https://host/v1", section)
	}
	path := strings.TrimRight(u.Path, "/")
	u.Path, u.RawPath = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/"), ""
	return u, nil
}

// checkQuery allows nothing behind the path but the version that Azure asks for.
func checkQuery(section string, base *url.URL, p Profile) error {
	query := base.Query()
	if p.VersionQuery {
		query.Del("api-version")
	}
	if len(query) > 0 || base.Fragment != "" {
		return core.Errorf(core.KindConfig,
			"%s.base_url must not have a query or fragment: write it like https://host/v1, the key belongs in %s.api_key", section, section)
	}
	return nil
}

func setDefaults(cfg *Config) {
	orDefault(&cfg.ConnectTimeout, 10*time.Second)
	orDefault(&cfg.IdleTimeout, 60*time.Second)
	orDefault(&cfg.FirstTimeout, 120*time.Second)
	orDefault(&cfg.MaxWait, 10*time.Second)
	if cfg.Section == "" {
		cfg.Section = "model"
	}
	if cfg.Concurrency == 0 {
		cfg.Concurrency = 8
	}
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
	return &http.Client{Transport: t, CheckRedirect: stay}
}

// stay does not follow the redirect of a POST: it would arrive as a GET, and
// the refusal of that would hide what is wrong. Nor does it follow one to another
// host or to plain http: the key, in whatever header it stands, is for the
// configured server only.
func stay(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	if via[0].Method == http.MethodPost || len(via) >= 3 || req.URL.Host != from.Host || req.URL.Scheme != from.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Stream makes one model call and hands each delta to the function, in order
// and from the calling goroutine. An error of that function ends the call and
// is returned as it is. Calls over Config.Concurrency wait in line.
//
// Failures before the first chunk are retried where a retry can help. The reply
// returned with an error holds what had arrived. Errors are core.Errors of kind
// unavailable, busy, timeout, auth, config, too_large, invalid or cancelled.
func (c *Client) Stream(ctx context.Context, req Request, each func(Delta) error) (Reply, error) {
	r, err := c.call(ctx, req, each)
	return r.reply, err
}

// call is Stream with all that is known of the last attempt.
func (c *Client) call(ctx context.Context, req Request, each func(Delta) error) (result, error) {
	queued, release, err := c.enter(ctx)
	if err != nil {
		r := result{err: err, reply: Reply{Model: c.cfg.Name, Queued: queued}}
		return r, c.explain(ctx, r)
	}
	defer release()
	started := time.Now()
	for attempt := 1; ; attempt++ {
		r := c.attempt(ctx, req, started, each)
		r.reply.Model, r.reply.Attempts, r.reply.Queued = c.cfg.Name, attempt, queued
		if r.err == nil {
			c.tokens.learn(req, r.reply.Usage.PromptTokens)
			return r, nil
		}
		if r.callback {
			return r, r.err
		}
		wait, again := c.again(ctx, r, attempt)
		if !again {
			return r, c.explain(ctx, r)
		}
		c.log.Warn("model call failed, trying again", "model", c.cfg.Name,
			"attempt", attempt, "status", r.status, "wait_ms", wait.Milliseconds())
		if err := sleep(ctx, wait); err != nil {
			r.err, r.status = err, 0
			return r, c.explain(ctx, r)
		}
	}
}

// enter waits for a place among the running calls.
func (c *Client) enter(ctx context.Context) (time.Duration, func(), error) {
	if c.places == nil {
		return 0, func() {}, ctx.Err()
	}
	if ctx.Err() == nil && c.places.TryAcquire(1) {
		return 0, func() { c.places.Release(1) }, nil
	}
	start := time.Now()
	if err := c.places.Acquire(ctx, 1); err != nil {
		return time.Since(start), nil, err
	}
	return time.Since(start), func() { c.places.Release(1) }, nil
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
