package model

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// served is what the server tells of its context window.
type served struct {
	window int    // tokens; 0 if it does not tell
	most   int    // what the model itself could take in; 0 if it does not tell
	from   string // the page that told
}

// servedWindow asks the pages on which servers tell their window: the one that
// the profile names first. A page that is not there tells nothing.
func (c *Client) servedWindow(ctx context.Context) served {
	asks := map[string]func(context.Context) served{
		"models": c.windowInList, "ollama": c.windowOfOllama, "llamacpp": c.windowOfLlamaCpp, "lmstudio": c.windowOfLMStudio,
	}
	order := []string{"models", "llamacpp", "ollama", "lmstudio"}
	if first := c.profile.Metadata; first != "" {
		order = append([]string{first}, order...)
	}
	most := 0
	for _, name := range order {
		s := asks[name](ctx)
		if s.window > 0 {
			return s
		}
		most = max(most, s.most)
	}
	return served{most: most}
}

func (c *Client) windowInList(ctx context.Context) served {
	listed, err := c.listed(ctx)
	if err != nil {
		return served{}
	}
	return c.find(listed, "/models")
}

func (c *Client) find(listed []listedModel, from string) served {
	for _, m := range listed {
		if m.ID == c.cfg.Name {
			return served{window: m.window(), from: from}
		}
	}
	return served{}
}

// windowOfLMStudio reads the list that knows which models are loaded.
func (c *Client) windowOfLMStudio(ctx context.Context) served {
	const page = "/api/v0/models"
	var list struct {
		Data []listedModel `json:"data"`
	}
	if c.getJSON(ctx, c.address(c.root()+page), nil, &list) != nil {
		return served{}
	}
	return c.find(list.Data, page)
}

// root is the base path without the version, where servers have the pages of
// their own.
func (c *Client) root() string { return strings.TrimSuffix(c.base.Path, "/v1") }

func (c *Client) windowOfLlamaCpp(ctx context.Context) served {
	var props struct {
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if c.getJSON(ctx, c.address(c.root()+"/props"), nil, &props) != nil {
		return served{}
	}
	return served{window: props.Settings.Window, from: "/props"}
}

var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+"?(\d+)`)

// windowOfOllama reads the window of the running model or, if it does not run,
// the one set for it. The model's own maximum is not what Ollama serves.
func (c *Client) windowOfOllama(ctx context.Context) served {
	var running struct {
		Models []struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	if c.getJSON(ctx, c.address(c.root()+"/api/ps"), nil, &running) == nil {
		for _, m := range running.Models {
			if m.Window > 0 && strings.TrimSuffix(m.Name, ":latest") == strings.TrimSuffix(c.cfg.Name, ":latest") {
				return served{window: m.Window, from: "/api/ps"}
			}
		}
	}
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	if c.getJSON(ctx, c.address(c.root()+"/api/show"), map[string]string{"model": c.cfg.Name}, &show) != nil {
		return served{}
	}
	out := served{from: "/api/show"}
	if m := numCtx.FindStringSubmatch(show.Parameters); m != nil {
		out.window, _ = strconv.Atoi(m[1])
	}
	for key, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			out.most = int(n)
		}
	}
	return out
}
