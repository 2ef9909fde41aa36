package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/footnote-bot/footnote/core"
)

// Models lists the names that the endpoint serves. Not every endpoint tells.
// Errors are of kind unavailable, auth or cancelled.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	req, err := c.newRequest(ctx, "/models", nil)
	if err != nil {
		return nil, c.explain(ctx, result{err: err})
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.explain(ctx, result{err: cause(ctx, err), message: err.Error()})
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, c.explainStatus(ctx, result{status: resp.StatusCode}, nil)
	case resp.StatusCode != http.StatusOK:
		return nil, core.Errorf(core.KindUnavailable, "%s does not list its models (%d).", c.where(), resp.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(&list); err != nil {
		return nil, core.Wrap(core.KindUnavailable, err, c.where()+" does not list its models in a form that can be read.")
	}
	names := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}
