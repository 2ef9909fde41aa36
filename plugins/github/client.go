package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v80/github"

	"github.com/footnote-bot/footnote/plugins/internal/hush"
)

// api is the server with its two ways in.
type api struct {
	calls
	search searchCalls // with the limit of searches
	graph  string
	auth   authority // nil where there are no credentials
}

func (s *Source) newAPI() (*api, error) {
	real := s.bare
	if real == nil {
		real = wire()
	}
	quiet := plain{hush.Transport{Next: real, Secrets: []string{string(s.Token)}}}
	limited := func(name string) http.RoundTripper {
		if s.bare != nil {
			return quiet
		}
		return s.env.Transport(name, quiet)
	}
	bare := limited(limitAPI)
	auth, err := s.authority(bare)
	if err != nil {
		return nil, err
	}
	searching := limited(limitSearch)
	return &api{
		calls:  callsOf(clientOf(&signed{next: bare, api: s.places.api, auth: auth}, s.places.api)),
		search: searchCalls{clientOf(&signed{next: searching, api: s.places.api, auth: auth}, s.places.api).Search.Issues},
		graph:  s.places.graph.String(), auth: auth,
	}, nil
}

func clientOf(rt http.RoundTripper, base *url.URL) *github.Client {
	c := github.NewClient(&http.Client{Transport: rt})
	c.BaseURL = base
	c.UserAgent = "footnote"
	c.DisableRateLimitCheck = true // it reckons by our clock; the transports do by the server's
	return c
}

// graphError is what GraphQL says in an answer with status 200.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Path    []any  `json:"path"`
}

type graphErrors []graphError

func (e graphErrors) Error() string {
	return fmt.Sprintf("GraphQL: %s %s", hush.Message(e[0].Type, 100), hush.Message(e[0].Message, 300))
}

// only tells that all errors are of this type.
func (e graphErrors) only(kind string) bool {
	for _, one := range e {
		if one.Type != kind {
			return false
		}
	}
	return true
}

// errNoToken says that GraphQL answers nobody whom it does not know.
var errNoToken = errors.New("GraphQL needs a token")

// query asks GraphQL. What could be found is in into also where the error is of
// type graphErrors.
func (a *api) query(ctx context.Context, text string, variables map[string]any, into any) error {
	if a.auth == nil {
		return errNoToken
	}
	req, err := a.NewRequest(http.MethodPost, a.graph, map[string]any{"query": text, "variables": variables})
	if err != nil {
		return err
	}
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Errors  graphErrors     `json:"errors"`
		Message string          `json:"message"`
	}
	if _, err := a.Do(ctx, req, &answer); err != nil {
		return err
	}
	if some := len(answer.Data) > 0 && string(answer.Data) != "null"; some {
		if err := json.Unmarshal(answer.Data, into); err != nil {
			return fmt.Errorf("GraphQL answered something else: %w", err)
		}
	} else if len(answer.Errors) == 0 {
		return fmt.Errorf("GraphQL answered without data: %s", hush.Message(answer.Message, 300))
	}
	if len(answer.Errors) > 0 {
		return answer.Errors
	}
	return nil
}

// clip keeps a foreign text short and on one line.
func clip(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
