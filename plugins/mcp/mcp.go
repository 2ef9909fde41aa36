// Package mcp is the connector for servers of the Model Context Protocol: their
// tools are offered to the model, and their resources become documents.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is one server. Its exported fields are the configuration.
type Source struct {
	Command      string            `help:"program that is the server, with its path or as found in PATH; it is started here and spoken to over its standard input"`
	Args         []string          `help:"arguments of the program"`
	Env          map[string]string `help:"environment of the program; it gets nothing else, not even PATH"`
	URL          string            `help:"address of a server that is spoken to over HTTP, in place of a program"`
	Headers      map[string]string `help:"HTTP headers of every request"`
	Token        sdk.Secret        `help:"secret of the server, sent as a bearer token or as token_name says"`
	TokenName    string            `help:"HTTP header, or variable of the program's environment, that takes the token"`
	Offer        []string          `default:"tools,resources" help:"what is used of the server: tools, resources"`
	OnlyTools    []string          `help:"names of the tools that are offered, as the server calls them; all unless set"`
	AllowPrivate bool              `help:"let the address be one of this machine or of a private network, also over http://"`
	Timeout      time.Duration     `default:"30s" help:"how long starting the server, or one answer of it, may take"`

	link *link
	log  *slog.Logger
	most int // bytes of one message of a program; maxMessage unless set
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

const limitServer = "server" // the name of the limit; see sdk.Limited

// Limits tells how fast a server is asked over HTTP.
func (s *Source) Limits() []sdk.Limit {
	return []sdk.Limit{{Name: limitServer, PerSecond: 20, Burst: 20}}
}

// AuthMethod says that a secret of the configuration opens the server, if it needs
// one.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Uses a server of the Model Context Protocol, a program or an address: its tools are offered to the model, its " +
		"resources are read as documents. The protocol says nothing of who may read what: the source's access holds for " +
		"all of it, and the tools act with the rights of the one secret."
}

// Start checks the configuration as far as that needs no server.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	if env == nil {
		env = &sdk.Env{}
	}
	if s.log = env.Log; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.Timeout <= 0 {
		s.Timeout = 30 * time.Second
	}
	if len(s.Offer) == 0 {
		s.Offer = []string{"tools", "resources"}
	}
	for _, kind := range s.Offer {
		if kind != "tools" && kind != "resources" {
			return sdk.Config("offer", fmt.Errorf("%q is not possible: choose of tools, resources", kind))
		}
	}
	open, err := s.opener(env)
	if err != nil {
		return err
	}
	s.link = &link{open: open, timeout: s.Timeout, log: s.log}
	return nil
}

func (s *Source) offers(kind string) bool { return slices.Contains(s.Offer, kind) }

// opener makes what a session goes over.
func (s *Source) opener(env *sdk.Env) (opener, error) {
	switch {
	case s.Command == "" && s.URL == "":
		return nil, sdk.Config("command", errors.New("there is neither a command nor a url"))
	case s.Command != "" && s.URL != "":
		return nil, sdk.Config("url", errors.New("there are both a command and a url: a source is one server"))
	case s.URL != "":
		return s.overHTTP(env)
	case len(s.Headers) > 0:
		return nil, sdk.Config("headers", errors.New("a program takes none; give it what it needs in env or args"))
	case s.Token != "" && s.TokenName == "":
		return nil, sdk.Config("token_name", errors.New("name the variable of the program's environment that takes the token"))
	}
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return nil, sdk.Config("command", fmt.Errorf("the program %q is not there or cannot be run: %w", s.Command, err))
	}
	return func() (mcp.Transport, closer, error) {
		p, err := startProgram(path, s.Args, s.environment(), env.Dir)
		if err != nil {
			return nil, nil, sdk.Config("command", err)
		}
		if s.most > 0 {
			p.most = s.most
		}
		return p.transport(), p, nil
	}, nil
}

// environment is never nil: nil would be all of this process's.
func (s *Source) environment() []string {
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		out = append(out, name+"="+s.Env[name])
	}
	if s.Token != "" {
		out = append(out, s.TokenName+"="+string(s.Token))
	}
	return out
}

func (s *Source) overHTTP(env *sdk.Env) (opener, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, sdk.Config("url", fmt.Errorf("%q is not an address such as https://mcp.example.com/mcp", s.URL))
	}
	if u.User != nil || u.Fragment != "" {
		return nil, sdk.Config("url", errors.New("it may hold no user, password or fragment; secrets belong into token"))
	}
	if u.Scheme == "http" && !s.AllowPrivate {
		return nil, sdk.Config("url", errors.New("it has to begin with https://; allow_private lets http:// through in a private network"))
	}
	if len(s.Args) > 0 || len(s.Env) > 0 {
		return nil, sdk.Config("args", errors.New("args and env are for a command; a server at an address takes headers"))
	}
	headers := http.Header{}
	for name, value := range s.Headers {
		headers.Set(name, value)
	}
	if s.Token != "" {
		if s.TokenName == "" || strings.EqualFold(s.TokenName, "Authorization") {
			headers.Set("Authorization", "Bearer "+string(s.Token))
		} else {
			headers.Set(s.TokenName, string(s.Token))
		}
	}
	client := newClient(env, u, headers, s.AllowPrivate)
	return func() (mcp.Transport, closer, error) {
		return &mcp.StreamableClientTransport{Endpoint: u.String(), HTTPClient: client, MaxRetries: -1, MaxEventSize: maxMessage}, nil, nil
	}, nil
}

// Guards against a method that is misspelt.
var (
	_ sdk.Starter    = (*Source)(nil)
	_ sdk.Checker    = (*Source)(nil)
	_ sdk.Lister     = (*Source)(nil)
	_ sdk.Fetcher    = (*Source)(nil)
	_ sdk.Toolbox    = (*Source)(nil)
	_ sdk.Limited    = (*Source)(nil)
	_ sdk.Authorizer = (*Source)(nil)
	_ sdk.Helper     = (*Source)(nil)
)
