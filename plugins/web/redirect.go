package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// discard lets the connection be used again if little is left on it.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 16<<10) // what cannot be read costs the connection, no more
	_ = resp.Body.Close()
}

// bare is a network error without the address, which the message around it names,
// and without a deadline, which is not the caller's.
func bare(err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New(err.Error())
	}
	return err
}

// show is an address for an error text: queries carry keys.
func show(u *url.URL) string {
	text := u.Scheme + "://" + u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		text += "?…"
	}
	return strings.ToValidUTF8(text, "")
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// target is where a redirect leads, nil if nowhere.
func (a *answer) target() *url.URL {
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.Header.Get("Location") == "" {
		return nil
	}
	if to = a.url.ResolveReference(to); to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	return to
}

// follow is get for what is no page, such as robots.txt: it goes along with
// redirects, none of which the header follows to another host.
func (c *client) follow(ctx context.Context, u *url.URL, limit time.Duration) (*answer, error) {
	for range mostHops + 1 {
		a, err := c.get(ctx, u, nil, limit)
		if err != nil || !redirects(a.StatusCode) {
			return a, err
		}
		to := a.target()
		discard(a.Response)
		if to == nil {
			return nil, fmt.Errorf("%s leads nowhere", show(u))
		}
		to.Host = hostOf(to)
		u = to
	}
	return nil, fmt.Errorf("%s: more than %d redirects", show(u), mostHops)
}
