package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
)

const (
	pushTries    = 5
	pushPatience = 10 * time.Minute // for one request and its answer
	maxPushReply = 16 << 20         // bytes
	longestPause = time.Minute      // between two tries
)

// pushTo pushes to a server. What did not arrive is sent again, which changes
// nothing where it did.
func (inv *invocation) pushTo(ctx context.Context, source string, names []string, f pushFlags) error {
	address, err := serverAddress(f.server, source)
	if err != nil {
		return err
	}
	secret, err := os.ReadFile(inv.path(f.tokenFile))
	if err != nil {
		return core.Errorf(core.KindConfig, "--token-file: %w", err)
	}
	bundles, err := inv.pushBundles(names, f, requestBundle)
	if err != nil {
		return err
	}
	// A redirect would carry the token to where nobody meant it to go.
	client := &http.Client{Timeout: pushPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	bad := 0
	for _, b := range bundles {
		a, err := pushOver(ctx, client, address, strings.TrimSpace(string(secret)), b)
		if err != nil {
			return err
		}
		n, err := inv.showPushed(a, f.asJSON)
		if err != nil {
			return err
		}
		bad += n
	}
	return pushedBadly(bad)
}

// serverAddress checks where the token is about to go.
func serverAddress(server, source string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.User != nil {
		return "", core.Errorf(core.KindUsage, "--server: %q is not an address such as https://footnote.example.com", server)
	}
	ip := net.ParseIP(u.Hostname())
	if here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); u.Scheme == "http" && !here {
		return "", core.Errorf(core.KindUsage, "--server: over http anybody on the way can read the token; use https, or http on this machine only")
	}
	return u.JoinPath("documents").String() + "?source=" + url.QueryEscape(source), nil
}

// pushOver sends one request, again where the server was busy or did not answer.
func pushOver(ctx context.Context, client *http.Client, address, secret string, b bundle) (a httpapi.PushAnswer, err error) {
	for try := range pushTries {
		var wait time.Duration
		if a, wait, err = pushOnce(ctx, client, address, secret, b); err == nil || wait == 0 || try == pushTries-1 {
			break
		}
		if err := pause(ctx, min(wait, longestPause)); err != nil {
			return a, err
		}
	}
	return a, err
}

// pushOnce returns how long to wait before the next try, 0 where that is no use.
func pushOnce(ctx context.Context, client *http.Client, address, secret string, b bundle) (a httpapi.PushAnswer, wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(b.body))
	if err != nil {
		return a, 0, err
	}
	r.Header.Set("Content-Type", b.mediaType)
	r.Header.Set("Authorization", "Bearer "+secret)
	resp, err := client.Do(r)
	if ctx.Err() != nil {
		return a, 0, ctx.Err()
	}
	if err != nil {
		return a, time.Second, core.Wrap(core.KindUnavailable, err, "the server did not answer; what was sent can be sent again")
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxPushReply))
	if err != nil {
		return a, time.Second, core.Wrap(core.KindUnavailable, err, "the server's answer broke off; what was sent can be sent again")
	}
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(raw, &a); err != nil {
			return a, 0, core.Errorf(core.KindInvalid, "the server's answer is not one of Footnote: %w", err)
		}
		return a, 0, nil
	}
	var said struct {
		Error struct {
			Kind    core.Kind
			Message string
		}
	}
	if json.Unmarshal(raw, &said) != nil || said.Error.Message == "" {
		said.Error.Kind, said.Error.Message = core.KindInvalid, "the server answered "+resp.Status+" and is perhaps no Footnote"
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		wait = time.Second
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
			wait = time.Duration(n) * time.Second
		}
	}
	return a, wait, core.Wrap(said.Error.Kind, nil, said.Error.Message)
}
