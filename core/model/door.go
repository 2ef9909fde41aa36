package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// door is the HTTP client that the wire library is given for one request. It
// puts address and key on as the profile wants them, times the silence and keeps
// what a refusal says. The chunks of a reply are read here and not by the library,
// which knows none of the freedoms that servers take.
type door struct {
	client  *Client
	path    string
	watch   *watch
	refused *result
	next    func() ([]byte, error) // the next chunk of the reply, good until the one after
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
	d.next = d.watch.events()
	return &http.Response{StatusCode: d.watch.status, Header: http.Header{}, Request: req, Body: d.watch}, nil
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
