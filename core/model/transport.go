package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	errInStream = errors.New("the stream held an error")
)

// maxReplyBytes bounds one reply on the wire, so that a server that never stops
// does not fill the memory.
const maxReplyBytes = 32 << 20

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

// Do sends the request. It implements the doer that the wire library asks for.
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
