package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// newClient speaks to one host and no other, and only to public addresses unless
// that is allowed. No proxy is used: it would be asked in place of the address that
// has to be looked at.
func newClient(env *sdk.Env, base *url.URL, headers http.Header, private bool) *http.Client {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		return checkAddress(address, private)
	}}
	wire := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 15 * time.Second, MaxIdleConns: 10, IdleConnTimeout: 90 * time.Second,
	}
	return &http.Client{
		Transport: &signer{next: env.Transport(limitServer, wire), base: base, headers: headers},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if !sameOrigin(base, next.URL) {
				return fmt.Errorf("it leads to another host, %s, which is not asked", next.URL.Host)
			}
			if len(via) > 5 {
				return errors.New("it leads from one address to the next without an end")
			}
			return nil
		},
	}
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

var (
	shared = netip.MustParsePrefix("100.64.0.0/10") // of carriers
	mapped = netip.MustParsePrefix("64:ff9b::/96")  // IPv4 behind NAT64
)

// checkAddress looks at what is dialled, after names were resolved.
func checkAddress(address string, private bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %s cannot be read", address)
	}
	ip := at.Addr().WithZone("").Unmap()
	switch {
	case ip.IsLinkLocalUnicast(), ip.IsMulticast(), ip.IsUnspecified(), mapped.Contains(ip):
		return sdk.Config("url", fmt.Errorf("it leads to %s, which is no server's address", ip))
	case !private && (ip.IsLoopback() || ip.IsPrivate() || shared.Contains(ip)):
		return sdk.Config("allow_private", fmt.Errorf("the address leads to %s, which is not public; allow_private lets it through", ip))
	}
	return nil
}

// signer adds the headers to what goes to the server, and keeps why it was refused:
// the protocol's library has no words for that.
type signer struct {
	next    http.RoundTripper
	base    *url.URL
	headers http.Header
}

func (t *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	if sameOrigin(t.base, req.URL) {
		for name, values := range t.headers {
			out.Header[name] = values
		}
	}
	resp, err := t.next.RoundTrip(out)
	refused, _ := req.Context().Value(refusalKey{}).(*refusal)
	if err != nil {
		if refused != nil && sdk.KindOf(err) != "" {
			refused.err.Store(&err)
		}
		return nil, err
	}
	if bad := sdk.StatusError(resp); refused != nil && bad != nil && req.Method == http.MethodPost {
		refused.err.Store(&bad)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &limited{ReadCloser: resp.Body, left: maxMessage}
	}
	return resp, nil
}

type refusalKey struct{}

// refusal is why a call's last request was refused.
type refusal struct{ err atomic.Pointer[error] }

func withRefusal(ctx context.Context) (context.Context, *refusal) {
	r := &refusal{}
	return context.WithValue(ctx, refusalKey{}, r), r
}

// limited fails where a body is larger than a message may be.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n, fmt.Errorf("the answer is larger than %d MiB", maxMessage>>20)
	}
	return n, err
}
