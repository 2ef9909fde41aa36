package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/footnote-bot/footnote/core"
)

// Models lists the names that the endpoint serves. Not every endpoint tells.
// Errors are of kind unavailable, auth or cancelled.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	listed, err := c.listed(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(listed))
	for _, m := range listed {
		names = append(names, m.ID)
	}
	return names, nil
}

// listedModel is a model as /models tells of it. Servers name the window in ways
// of their own.
type listedModel struct {
	ID            string `json:"id"`
	MaxModelLen   int    `json:"max_model_len"`
	ContextLength int    `json:"context_length"`
	ContextWindow int    `json:"context_window"`
	MaxContext    int    `json:"max_context_length"`
	Loaded        int    `json:"loaded_context_length"`
	TopProvider   struct {
		ContextLength int `json:"context_length"`
	} `json:"top_provider"`
}

// window is the context that the model is served with, in tokens; 0 if untold.
func (m listedModel) window() int {
	return cmp.Or(m.Loaded, m.TopProvider.ContextLength, m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContext)
}

func (c *Client) listed(ctx context.Context) ([]listedModel, error) {
	var list struct {
		Data []listedModel `json:"data"`
	}
	err := c.getJSON(ctx, c.address(c.base.Path+"/models"), nil, &list)
	var status statusError
	switch {
	case err == nil:
		return list.Data, nil
	case errors.As(err, &status) && (status == http.StatusUnauthorized || status == http.StatusForbidden):
		return nil, c.explainStatus(ctx, result{status: int(status)}, nil)
	case errors.As(err, &status):
		return nil, core.Errorf(core.KindUnavailable, "%s does not list its models (%d).", c.where(), int(status))
	case errors.Is(err, errNotJSON):
		return nil, core.Wrap(core.KindUnavailable, err, c.where()+" does not list its models in a form that can be read.")
	}
	return nil, c.explain(ctx, result{err: err, message: err.Error()})
}

// statusError is an HTTP status that is no success.
type statusError int

// Error names the status.
func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

var errNotJSON = errors.New("the page is not the JSON that was expected")

// getJSON reads a page of at most 4 MiB; with a body the page is posted to.
func (c *Client) getJSON(ctx context.Context, address string, body, out any) error {
	req, err := c.requestTo(ctx, address, body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return cause(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return statusError(resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(out); err != nil {
		return errors.Join(errNotJSON, err)
	}
	return nil
}
