package sdk

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Env is what the host gives a connector. It is one value for the length of the
// process; its methods may be called from several goroutines. A value with none
// but the exported fields works too, in tests.
type Env struct {
	Log    *slog.Logger // ends up in the host's log under the source's name
	Dir    string       // the source's own folder, also the working directory
	Source string       // the source's name

	mu     sync.Mutex
	token  token
	limits map[string]*limited
	known  map[string]Limit // as declared; see Limited
	usual  *http.Transport
}

type token struct {
	value  Secret
	expiry time.Time
}

// limited is what all clients of one name share.
type limited struct {
	limiter limiter
	counts  counts
}

// Token returns the current access token of a source with AuthOAuth2, "" where
// there is none. The host replaces it before it expires, also during a Sync: ask
// for each request.
func (e *Env) Token() Secret {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.token.value
}

// TokenExpiry returns when the current token ends, zero if that is not known.
func (e *Env) TokenExpiry() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.token.expiry
}

func (e *Env) renew(t *wire.Token) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.token = token{value: Secret(t.GetAccessToken()), expiry: instant(t.GetExpiry())}
}

// HTTP returns a client that keeps the declared limit of that name (see Limited),
// waits as Retry-After says, tries idempotent requests again after 429, 500, 502,
// 503, 504 and network errors (at most three times, at most a minute each), and
// counts. Clients of one name share limit and counts. An answer that is still bad
// then is returned as it is: give it to StatusError.
//
// Env.Token goes along as a bearer to the named hosts ("api.example.com", or
// "127.0.0.1:8080" with a port that is not the scheme's own) and nowhere else,
// over HTTPS or to this machine. A 401 to a token that was renewed meanwhile is
// tried again with the new one.
//
// No time limit is set on a whole exchange: the context of the request is the
// limit. Which addresses may be reached is the connector's business; see
// Transport.
func (e *Env) HTTP(name string, tokenHosts ...string) *http.Client {
	return &http.Client{Transport: e.Transport(name, nil, tokenHosts...)}
}

// Transport is HTTP on top of a transport of the connector's own; nil means a
// usual one with time limits on connecting and on waiting for the answer to begin.
func (e *Env) Transport(name string, base http.RoundTripper, tokenHosts ...string) http.RoundTripper {
	if base == nil {
		base = e.usualTransport()
	}
	return &transport{env: e, shared: e.shared(name), base: base, hosts: tokenHosts}
}

// usualTransport is one for the whole process: each has its own connections.
func (e *Env) usualTransport() http.RoundTripper {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.usual == nil {
		e.usual = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: time.Minute,
			MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second,
		}
	}
	return e.usual
}

// Counts returns what went through the clients of a name so far.
func (e *Env) Counts(name string) HTTPCounts { return e.shared(name).counts.read() }

func (e *Env) shared(name string) *limited {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s, ok := e.limits[name]; ok {
		return s
	}
	limit, ok := e.known[name]
	if !ok && len(e.known) > 0 && e.Log != nil {
		e.Log.Warn("an HTTP client has a name that is not among the declared limits: nothing holds it back", "limit", name)
	}
	s := &limited{limiter: newLimiter(limit)}
	if e.limits == nil {
		e.limits = map[string]*limited{}
	}
	e.limits[name] = s
	return s
}

func (e *Env) declare(limits []Limit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = make(map[string]Limit, len(limits))
	for _, l := range limits {
		e.known[l.Name] = l
	}
}

// report logs the counts, for an author who wonders what took so long.
func (e *Env) report() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, s := range e.limits {
		if c := s.counts.read(); c.Requests > 0 && e.Log != nil {
			e.Log.Debug("HTTP so far", "limit", name, "requests", c.Requests, "retries", c.Retries, "failed", c.Failed, "waited", c.Waited.String())
		}
	}
}
