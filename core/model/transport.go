package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"
)

var (
	errIdle     = errors.New("the model sent nothing for the idle timeout")
	errFirst    = errors.New("the model did not start to answer in time")
	errFlood    = errors.New("the reply is longer than the client accepts")
	errNotChat  = errors.New("the reply is a web page")
	errInStream = errors.New("the stream held an error")
)

// maxReplyBytes bounds one reply on the wire, so that a server that never stops
// does not fill the memory.
const maxReplyBytes = 32 << 20

// maxRefusalBytes bounds what is read of a refusal.
const maxRefusalBytes = 16 << 10

// newRequest makes a request to a path below the base URL. Without a body it is
// a GET.
func (c *Client) newRequest(ctx context.Context, path string, body any) (*http.Request, error) {
	return c.requestTo(ctx, c.address(c.base.Path+path), body)
}

// address is the URL of a path on the server, with the API version that the
// base URL may hold.
func (c *Client) address(path string) string {
	u := *c.base
	u.Path, u.RawPath = path, ""
	return u.String()
}

func (c *Client) requestTo(ctx context.Context, address string, body any) (*http.Request, error) {
	if body == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err == nil {
			c.authorize(req)
		}
		return req, err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	c.authorize(req)
	return req, nil
}

func (c *Client) authorize(req *http.Request) {
	if c.cfg.APIKey != "" {
		req.Header.Set(c.profile.key(c.cfg.APIKey))
	}
}

// post sends a request and returns its running reply, or how it failed. The
// caller closes the watch.
func (c *Client) post(ctx context.Context, cancel context.CancelCauseFunc, path string, body any) (*watch, io.Reader, *result) {
	req, err := c.newRequest(ctx, path, body)
	if err != nil {
		return nil, nil, &result{err: err, message: err.Error(), malformed: true}
	}
	if c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.Debug("model request", "model", c.cfg.Name, "path", path, "bytes", req.ContentLength)
	}
	w := &watch{client: c.http, cancel: cancel, first: c.cfg.FirstTimeout, idle: c.cfg.IdleTimeout}
	resp, err := w.Do(req)
	if err != nil {
		r := result{err: cause(ctx, err), message: err.Error(), malformed: errors.Is(err, errNotChat)}
		return nil, nil, &r
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return w, resp.Body, nil
	}
	defer w.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusalBytes))
	r := result{status: resp.StatusCode, retryAfter: w.retryAfter, message: strings.ToValidUTF8(string(raw), "\uFFFD")}
	r.err = fmt.Errorf("status %d", resp.StatusCode)
	if err != nil {
		r.err = cause(ctx, err)
	}
	c.log.Debug("model refused", "model", c.cfg.Name, "status", r.status, "cause", c.scrub(r))
	return nil, nil, &r
}

// watch is the HTTP side of one attempt: it notes the head, times the silence
// between reads and sees whether the stream was closed properly.
type watch struct {
	client      *http.Client
	cancel      context.CancelCauseFunc
	first, idle time.Duration

	status     int
	retryAfter time.Duration
	body       io.ReadCloser
	total      int
	tail       []byte
	wasJSON    bool
}

// Do sends the request and waits for the head of the reply.
func (w *watch) Do(req *http.Request) (*http.Response, error) {
	timer := time.AfterFunc(w.first, func() { w.cancel(errFirst) })
	defer timer.Stop()
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	w.status = resp.StatusCode
	w.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
	w.body = resp.Body
	resp.Body = w
	if w.status < 300 && isKind(resp.Header, "text/html") {
		return nil, errors.Join(errNotChat, w.Close())
	}
	if w.status < 300 && isKind(resp.Header, "application/json") {
		w.wasJSON = true
		return w.asStream(resp)
	}
	return resp, nil
}

func isKind(h http.Header, want string) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == want
}

// asStream turns the reply of a server that ignores "stream" into a stream of
// one chunk.
func (w *watch) asStream(resp *http.Response) (*http.Response, error) {
	raw, err := io.ReadAll(w)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	var line bytes.Buffer
	line.WriteString("data: ")
	if err := json.Compact(&line, raw); err != nil {
		// Left as it is: the chunk decoder reports it as malformed.
		line.Write(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")))
	}
	line.WriteString("\n\ndata: [DONE]\n\n")
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&line, w}
	return resp, nil
}

// Read passes the body on. The clock runs only while the server is waited for,
// so a slow reader is not taken for a silent server.
func (w *watch) Read(p []byte) (int, error) {
	limit, cause := w.idle, errIdle
	if w.total == 0 {
		limit, cause = w.first, errFirst
	}
	timer := time.AfterFunc(limit, func() { w.cancel(cause) })
	n, err := w.body.Read(p)
	timer.Stop()
	w.total += n
	w.tail = append(w.tail, p[:n]...)
	if extra := len(w.tail) - 64; extra > 0 {
		w.tail = append(w.tail[:0], w.tail[extra:]...)
	}
	if w.total > maxReplyBytes && err == nil {
		err = errFlood
	}
	return n, err
}

// Close closes the body, and with it the connection of an unfinished reply.
func (w *watch) Close() error { return w.body.Close() }

// finished tells whether the server said that the reply is complete.
func (w *watch) finished() bool {
	return w.wasJSON || bytes.Contains(w.tail, []byte("[DONE]"))
}
