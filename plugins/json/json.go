// Package jsonapi is the connector for anything with a JSON API over HTTP. What to
// ask for and what a document is made of stands in a recipe, a file of YAML with
// expressions of jq; no code is needed.
package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is one system, read by one recipe. Its exported fields are the
// configuration.
type Source struct {
	Recipe    string            `help:"name of a recipe that comes with Footnote: bookstack, discourse or zammad"`
	File      string            `help:"path of a recipe of your own, in place of a name"`
	Inline    string            `help:"a recipe itself, as YAML, in place of a name"`
	BaseURL   string            `help:"address of the system, such as https://wiki.example.com; needed unless the recipe has one"`
	Token     sdk.Secret        `help:"key, token or password, sent as the recipe says and to the system alone"`
	User      string            `help:"user name, where the recipe asks for one beside the token"`
	Vars      map[string]string `help:"values of the recipe's own settings"`
	Rate      float64           `help:"requests a second at most; what the recipe says unless set"`
	PlainHTTP bool              `help:"let the token go over http:// to another machine, where it can be read on its way"`

	recipe *recipe
	client *client
	log    *slog.Logger
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

const limitAPI = "api" // the name of the limit; see sdk.Limited

// usualRate is what hardly any system minds.
const usualRate = 5

// Limits tells how fast the system is asked. It is called with the configuration
// before Start, so that it reads the recipe by itself.
func (s *Source) Limits() []sdk.Limit {
	rate, burst := float64(usualRate), 10
	if r, err := s.load(); err == nil && r.Limit.PerSecond > 0 {
		rate, burst = r.Limit.PerSecond, max(1, r.Limit.Burst)
	}
	if s.Rate > 0 {
		rate = s.Rate
	}
	return []sdk.Limit{{Name: limitAPI, PerSecond: rate, Burst: burst}}
}

// AuthMethod says that a key of the configuration opens the system.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads any system that has a JSON API over HTTP, by a recipe in YAML: which lists to ask for, how they are paged, " +
		"and by expressions of jq what a document's title, text, address, time and readers are. Recipes for BookStack, " +
		"Discourse and Zammad come with it."
}

// Start reads the recipe and checks it whole: a mistake is found before anything is
// fetched.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	if env == nil {
		env = &sdk.Env{}
	}
	if s.log = env.Log; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.Rate < 0 {
		return sdk.Config("rate", errors.New("it has to be more than 0"))
	}
	var err error
	if s.recipe, err = s.load(); err != nil {
		return err
	}
	base, err := s.base()
	if err != nil {
		return sdk.Config("base_url", err)
	}
	vars, err := s.recipe.values(s.Vars)
	if err != nil {
		return sdk.Config("vars", err)
	}
	if err := s.credentials(base); err != nil {
		return err
	}
	s.client = newClient(env, s, base, vars)
	return nil
}

// load reads the one recipe that is named.
func (s *Source) load() (*recipe, error) {
	given := 0
	for _, text := range []string{s.Recipe, s.File, s.Inline} {
		if text != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, sdk.Config("recipe", errors.New("only one of recipe, file and inline can be given"))
	case s.File != "":
		r, err := readFile(s.File)
		return r, inField("file", err)
	case s.Inline != "":
		r, err := parse("inline", []byte(s.Inline))
		return r, inField("inline", err)
	case s.Recipe != "":
		r, err := bundledRecipe(s.Recipe)
		return r, inField("recipe", err)
	}
	return nil, sdk.Config("recipe", fmt.Errorf("there is none: name one of %s, or a file of your own with file", strings.Join(recipeNames(), ", ")))
}

func inField(field string, err error) error {
	if err == nil {
		return nil
	}
	return sdk.Config(field, err)
}

// base is the address that all requests stay under: scheme and host of it are the
// only ones that are ever asked.
func (s *Source) base() (*url.URL, error) {
	text := s.BaseURL
	if text == "" {
		text = s.recipe.BaseURL
	}
	if text == "" {
		return nil, errors.New("the recipe needs the address of the system, such as https://wiki.example.com")
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not an address such as https://wiki.example.com", text)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("it may hold nothing but the system's address; keys belong into token")
	}
	if s.Token != "" && u.Scheme == "http" && !loopback(u.Hostname()) && !s.PlainHTTP {
		return nil, errors.New("it has to begin with https://: the token would be readable on its way; plain_http allows that")
	}
	return u, nil
}

func (s *Source) credentials(*url.URL) error {
	a := s.recipe.Auth
	switch {
	case a.Kind == "" && s.Token != "":
		return sdk.Config("token", fmt.Errorf("%s has no auth, so that a token would go nowhere", s.recipe.label))
	case a.Required && s.Token == "":
		return sdk.Config("token", fmt.Errorf("%s needs one", s.recipe.label))
	case a.Kind == "basic" && s.Token != "" && s.User == "":
		return sdk.Config("user", fmt.Errorf("%s needs a user name beside the token", s.recipe.label))
	}
	return nil
}

// values are the recipe's settings, as given or as they are unless set.
func (r *recipe) values(given map[string]string) (map[string]any, error) {
	known := slices.Sorted(maps.Keys(r.Vars))
	for name := range given {
		if _, ok := r.Vars[name]; !ok {
			return nil, fmt.Errorf("%s has no setting %q; it has: %s", r.label, name, strings.Join(known, ", "))
		}
	}
	out := make(map[string]any, len(known))
	for _, name := range known {
		value, ok := given[name]
		if !ok {
			value = r.Vars[name].Default
		}
		if value == "" && r.Vars[name].Required {
			return nil, fmt.Errorf("%s needs %s: %s", r.label, name, r.Vars[name].Help)
		}
		out[name] = any(nil)
		if value != "" {
			out[name] = value
		}
	}
	return out, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
