package github

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// wire is a transport with time limits on connecting and on waiting for an answer
// to begin.
func wire() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: time.Minute,
		MaxIdleConns: 20, MaxIdleConnsPerHost: 2 * atOnce, IdleConnTimeout: 90 * time.Second,
	}
}

// signed adds the credentials to what goes to the API and nowhere else: a
// redirect may lead to another host. It stands before the SDK's transport, which
// knows limits and retries.
type signed struct {
	next http.RoundTripper
	api  *url.URL
	auth authority
}

func (t *signed) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	// GraphQL queries are POST requests, and do no harm when they are repeated.
	if out.Method == http.MethodPost {
		out.Header.Set("Idempotency-Key", "read-only")
	}
	if t.auth == nil || req.URL.Scheme != t.api.Scheme || !strings.EqualFold(req.URL.Host, t.api.Host) {
		return t.next.RoundTrip(out)
	}
	for attempt := 0; ; attempt++ {
		token, err := t.auth.token(req.Context())
		if err != nil {
			return nil, err
		}
		out.Header.Set("Authorization", "Bearer "+token)
		resp, err := t.next.RoundTrip(out)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || attempt > 0 || !t.auth.refused(token) {
			return resp, err
		}
		again := out.Clone(req.Context())
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return resp, nil
			}
			if again.Body, err = req.GetBody(); err != nil {
				return resp, nil // the refusal is the answer then
			}
		}
		_ = resp.Body.Close()
		out = again
	}
}

// plain stands behind the SDK's transport and turns GitHub's own ways into what
// HTTP has words for: a refusal that is a call for a pause becomes a 429 with
// Retry-After, and an answer without a body is an error and no empty list.
type plain struct{ next http.RoundTripper }

func (t plain) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusForbidden, http.StatusTooManyRequests:
		return paused(resp)
	case http.StatusOK:
		resp.Body = &filled{ReadCloser: resp.Body}
	}
	return resp, nil
}

const (
	maxRefusal = 64 << 10 // bytes of a refusal that are read
	// unsaid is the pause where GitHub calls for one and does not say how long.
	unsaid = time.Minute
)

// paused looks for the three ways in which GitHub says "later".
func paused(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	spent := resp.Header.Get("X-Ratelimit-Remaining") == "0"
	secondary := bytes.Contains(body, []byte("secondary rate limit")) || bytes.Contains(body, []byte("abuse detection"))
	if resp.Header.Get("Retry-After") == "" {
		switch {
		case spent:
			resp.Header.Set("Retry-After", strconv.Itoa(untilReset(resp)))
		case secondary, resp.StatusCode == http.StatusTooManyRequests:
			resp.Header.Set("Retry-After", strconv.Itoa(int(unsaid.Seconds())))
		default:
			return resp, nil
		}
	}
	resp.StatusCode, resp.Status = http.StatusTooManyRequests, "429 Too Many Requests"
	return resp, nil
}

// untilReset reads the time of the next allowance by the server's clock, for ours
// may be wrong. It is at least one second.
func untilReset(resp *http.Response) int {
	reset, err := strconv.ParseInt(resp.Header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return int(unsaid.Seconds())
	}
	return int(max(1, time.Unix(reset, 0).Sub(serverTime(resp)).Round(time.Second).Seconds()))
}

// serverTime is the moment of an answer by the server's clock.
func serverTime(resp *http.Response) time.Time {
	if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		return t
	}
	return time.Now()
}

// filled fails where a body ends before it began.
type filled struct {
	io.ReadCloser
	any bool
}

func (f *filled) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.any = f.any || n > 0
	if err == io.EOF && !f.any {
		return n, errors.New("the server answered 200 without a body")
	}
	return n, err
}
