package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

var (
	errIdle     = errors.New("the model sent nothing for the idle timeout")
	errFirst    = errors.New("the model did not start to answer in time")
	errFlood    = errors.New("the reply is longer than the client accepts")
	errNotChat  = errors.New("the reply is a web page")
	errEmpty    = errors.New("the stream held nothing")
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

// watch is the HTTP side of one attempt: it notes the head, times the silence
// between reads and sees whether the stream was closed properly.
type watch struct {
	client      *http.Client
	cancel      context.CancelCauseFunc
	first, idle time.Duration

	status     int
	location   string // of a redirect
	retryAfter time.Duration
	body       io.ReadCloser
	total      int
	tail       []byte
	wasJSON    bool
	silence    *time.Timer // between two reads
}

// send sends the request and waits for the head of the reply.
func (w *watch) send(req *http.Request) error {
	timer := time.AfterFunc(w.first, func() { w.cancel(errFirst) })
	defer timer.Stop()
	resp, err := w.client.Do(req)
	if err != nil {
		return err
	}
	w.status = resp.StatusCode
	w.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
	w.location = resp.Header.Get("Location")
	w.body = resp.Body
	if w.status < 300 && isKind(resp.Header, "text/html") {
		return errors.Join(errNotChat, w.Close())
	}
	w.wasJSON = w.status < 300 && isKind(resp.Header, "application/json")
	return nil
}

func isKind(h http.Header, want string) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == want
}

// events returns what reads the chunks of the reply. The reply of a server that
// ignores "stream" is one chunk; one that names a stream JSON is seen by its
// first byte.
func (w *watch) events() func() ([]byte, error) {
	body := bufio.NewReader(w)
	if first, err := body.Peek(1); !w.wasJSON || err == nil && first[0] != '{' && first[0] != '[' {
		w.wasJSON = false
		return newEventReader(body).next
	}
	done := false
	return func() ([]byte, error) {
		if done {
			return nil, io.EOF
		}
		done = true
		return io.ReadAll(body)
	}
}

// Read passes the body on. The clock runs only while the server is waited for,
// so a slow reader is not taken for a silent server.
func (w *watch) Read(p []byte) (int, error) {
	timer := w.clock()
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

// clock starts the time that a read may take.
func (w *watch) clock() *time.Timer {
	switch {
	case w.total == 0:
		return time.AfterFunc(w.first, func() { w.cancel(errFirst) })
	case w.silence == nil:
		w.silence = time.AfterFunc(w.idle, func() { w.cancel(errIdle) })
	default:
		w.silence.Reset(w.idle)
	}
	return w.silence
}

// Close closes the body, and with it the connection of an unfinished reply.
func (w *watch) Close() error { return w.body.Close() }

// finished tells whether the server said that the reply is complete.
func (w *watch) finished() bool {
	return w.wasJSON || bytes.Contains(w.tail, []byte("[DONE]"))
}
