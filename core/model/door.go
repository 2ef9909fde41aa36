package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// door is the HTTP client that the wire library is given for one request. It
// puts address and key on as the profile wants them, times the silence, keeps
// what a refusal says, and hands the library event lines without the freedoms
// that servers take.
type door struct {
	client  *Client
	path    string
	watch   *watch
	refused *result
}

// errRefused is what the library is told of a refusal; the door has the rest.
var errRefused = errors.New("the server refused the request")

func (c *Client) door(cancel context.CancelCauseFunc, path string) *door {
	return &door{client: c, path: path, watch: &watch{
		client: c.http, cancel: cancel, first: c.cfg.FirstTimeout, idle: c.cfg.IdleTimeout,
	}}
}

// library is the wire library behind the door.
func (c *Client) library(d *door) *openai.Client {
	cfg := openai.DefaultConfig("")
	cfg.BaseURL = c.cfg.BaseURL
	cfg.HTTPClient = d
	return openai.NewClientWithConfig(cfg)
}

// Do sends the library's request.
func (d *door) Do(req *http.Request) (*http.Response, error) {
	c := d.client
	address, err := req.URL.Parse(c.address(c.base.Path + d.path))
	if err != nil {
		return nil, err
	}
	req.URL, req.Host = address, address.Host
	c.authorize(req)
	if err := d.send(req); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: d.watch.status, Header: http.Header{}, Request: req,
		Body: &eventLines{next: d.watch.events(), watch: d.watch},
	}, nil
}

// send sends a request and takes in what a refusal says.
func (d *door) send(req *http.Request) error {
	w := d.watch
	d.client.log.Debug("model request", "model", d.client.cfg.Name, "path", d.path, "bytes", req.ContentLength)
	if err := w.send(req); err != nil {
		return err
	}
	if w.status >= 200 && w.status < 300 {
		return nil
	}
	defer w.Close()
	raw, err := io.ReadAll(io.LimitReader(w, maxRefusalBytes))
	r := result{
		status: w.status, retryAfter: w.retryAfter, location: w.location,
		message: strings.ToValidUTF8(string(raw), "\uFFFD"), err: fmt.Errorf("status %d", w.status),
	}
	if err != nil {
		r.err = cause(req.Context(), err)
	}
	d.refused = &r
	return errRefused
}

// post sends a request without the library's reader and returns the reply.
func (d *door) post(ctx context.Context, body any) ([]byte, error) {
	req, err := d.client.newRequest(ctx, d.path, body)
	if err != nil {
		return nil, err
	}
	if err := d.send(req); err != nil {
		return nil, err
	}
	defer d.watch.Close()
	return io.ReadAll(d.watch)
}

// failure describes an attempt that brought no reply. What the library itself
// refuses, such as tools for a model that takes them elsewhere only, counts as
// the server's refusal: it knows the server.
func (d *door) failure(ctx context.Context, err error) result {
	switch {
	case d.refused != nil:
		return *d.refused
	case d.watch.status >= 200 && d.watch.status < 300 && !errors.Is(err, errNotChat):
		return result{err: cause(ctx, err), cut: true}
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return result{err: err, message: "tools are not supported: " + err.Error(), status: http.StatusBadRequest}
	}
	return result{err: cause(ctx, err), message: err.Error(), malformed: errors.Is(err, errNotChat)}
}

// eventLines is a reply as the library reads it: one data line for each chunk.
type eventLines struct {
	next  func() ([]byte, error)
	watch *watch
	line  []byte // the memory of rest
	rest  []byte
}

// Read gives one line at a time, so that no chunk waits for the next one.
func (e *eventLines) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		data, err := e.next()
		if err != nil {
			return 0, err
		}
		e.line = appendDataLine(e.line[:0], data)
		e.rest = e.line
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// appendDataLine writes a chunk on one line. A blank before the first key keeps the
// library from taking an error object away: our own decoder reads it.
func appendDataLine(line, data []byte) []byte {
	line = append(line, "data: "...)
	if bytes.HasPrefix(data, []byte("{")) {
		line, data = append(line, "{ "...), data[1:]
	}
	start := len(line)
	line = append(line, data...)
	if bytes.ContainsAny(data, "\r\n") { // only in replies that were not streamed
		for i, b := range line[start:] {
			if b == '\n' || b == '\r' {
				line[start+i] = ' '
			}
		}
	}
	return append(line, '\n')
}

// Close closes the connection.
func (e *eventLines) Close() error { return e.watch.Close() }
