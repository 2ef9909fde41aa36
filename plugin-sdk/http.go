package sdk

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRetries is how often one request is sent again.
const maxRetries = 3

// transport is what Env.HTTP sends requests through.
type transport struct {
	env    *Env
	shared *limited
	base   http.RoundTripper
	hosts  []string // that get the token
}

// RoundTrip sends the request, again where that makes sense.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	renewed := false
	for attempt := 0; ; attempt++ {
		resp, used, err := t.once(req, attempt)
		if t.tokenChanged(resp, used) && !renewed && repeatable(req) {
			renewed = true
			discard(resp)
			continue
		}
		pause, again := t.next(req, resp, err, attempt)
		if !again {
			return resp, err
		}
		discard(resp)
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
		t.shared.counts.waited.Add(int64(pause))
	}
}

// once sends the request a single time and tells which token it carried.
func (t *transport) once(req *http.Request, attempt int) (*http.Response, Secret, error) {
	waited, err := t.shared.limiter.wait(req.Context())
	t.shared.counts.waited.Add(int64(waited))
	if err != nil {
		if req.Body != nil && attempt == 0 {
			_ = req.Body.Close() // as a transport has to, whatever happens
		}
		return nil, "", err
	}
	out := req.Clone(req.Context())
	if attempt > 0 && req.GetBody != nil {
		if out.Body, err = req.GetBody(); err != nil {
			return nil, "", err
		}
	}
	var used Secret
	if out.Header.Get("Authorization") == "" && t.trusted(out) {
		if used = t.env.Token(); used != "" {
			out.Header.Set("Authorization", "Bearer "+string(used))
		}
	}
	resp, err := t.base.RoundTrip(out)
	t.count(attempt, resp, err)
	return resp, used, err
}

func (t *transport) count(attempt int, resp *http.Response, err error) {
	c := &t.shared.counts
	c.requests.Add(1)
	if attempt > 0 {
		c.retries.Add(1)
	}
	if err != nil || resp.StatusCode >= 400 {
		c.failed.Add(1)
	}
}

// trusted tells whether the token may go to where the request goes.
func (t *transport) trusted(req *http.Request) bool {
	u := req.URL
	if !slices.ContainsFunc(t.hosts, func(h string) bool {
		return strings.EqualFold(h, u.Host) || strings.EqualFold(h, u.Hostname()) && standardPort(u.Scheme, u.Port())
	}) {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func standardPort(scheme, port string) bool {
	return port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80"
}

func (t *transport) tokenChanged(resp *http.Response, used Secret) bool {
	return resp != nil && resp.StatusCode == http.StatusUnauthorized && used != "" && t.env.Token() != used
}

// next decides whether to send again, and after which pause.
func (t *transport) next(req *http.Request, resp *http.Response, err error, attempt int) (time.Duration, bool) {
	status, after := 0, time.Duration(0)
	if resp != nil {
		status, after = resp.StatusCode, RetryAfter(resp)
	}
	if after > 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		t.shared.limiter.pause(time.Now().Add(after)) // for the other goroutines too
	}
	if attempt >= maxRetries || req.Context().Err() != nil || !repeatable(req) || !passing(status, err) {
		return 0, false
	}
	pause := backoff(attempt, after, rand.Float64())
	deadline, has := req.Context().Deadline()
	if pause > longestPause || has && time.Until(deadline) < pause {
		return 0, false
	}
	return pause, true
}

// repeatable tells whether sending the request twice does no more than once.
func repeatable(req *http.Request) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return req.Header.Get("Idempotency-Key") != "" || req.Header.Get("X-Idempotency-Key") != ""
}

// passing tells whether what went wrong may be gone in a moment.
func passing(status int, err error) bool {
	if err != nil {
		var own *Error
		var cert *tls.CertificateVerificationError
		return !errors.As(err, &own) && !errors.As(err, &cert)
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// backoff is the pause before the next attempt: half a second, one, two, each by
// half more or less, so that clients that failed together do not come back
// together; and not before the system said.
func backoff(attempt int, after time.Duration, jitter float64) time.Duration {
	step := 500 * time.Millisecond << attempt
	pause := time.Duration(float64(step) * (0.5 + jitter))
	if after > 0 {
		return after + pause/4
	}
	return pause
}

// discard lets the connection be used again.
func discard(resp *http.Response) {
	if resp == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // what cannot be read costs the connection, no more
	_ = resp.Body.Close()
}

// RetryAfter reads the header of that name, as seconds or as a date; 0 if it is
// missing, in the past or nonsense.
func RetryAfter(resp *http.Response) time.Duration {
	text := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// StatusError is nil for an answer with a status below 400, and otherwise an
// error of the kind in FromStatus's table. It does not read or close the body.
func StatusError(resp *http.Response) error {
	if resp.StatusCode < 400 {
		return nil
	}
	where := ""
	if resp.Request != nil && resp.Request.URL != nil {
		u := *resp.Request.URL
		u.RawQuery, u.Fragment, u.User = "", "", nil // queries carry keys
		where = resp.Request.Method + " " + u.String() + ": "
	}
	err := fmt.Errorf("%sstatus %d %s", where, resp.StatusCode, http.StatusText(resp.StatusCode))
	return FromStatus(resp.StatusCode, RetryAfter(resp), err)
}
