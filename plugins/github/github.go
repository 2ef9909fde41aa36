// Package github is the connector for repositories on GitHub and GitHub
// Enterprise: issues, pull requests, discussions, releases and text files, with
// who may read them.
package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is a set of repositories. Its exported fields are the configuration.
type Source struct {
	Repositories   []string          `required:"true" help:"repositories to read, each OWNER/NAME; a * in NAME stands for any text, so that OWNER/* is all that the token sees"`
	Read           []string          `default:"issues,pulls,discussions,releases,files" help:"what to read: issues, pulls, discussions, releases, files"`
	Files          []string          `default:"**/*.md" help:"globs of paths of the files to read, on the default branch"`
	Token          sdk.Secret        `help:"personal access token; without one only what is public can be read, slowly"`
	AppID          int64             `help:"id of a GitHub App to read as, in place of a token"`
	PrivateKey     sdk.Secret        `help:"the App's private key, in PEM form"`
	InstallationID int64             `help:"id of the App's installation; without it that of the first repository's owner"`
	People         map[string]string `help:"from GitHub login to e-mail address, for people whose address GitHub does not tell"`
	Public         string            `enum:"public,workspace,collaborators" help:"who may read a public repository: anybody (public, the rule on github.com), every full member (workspace, the rule on another server) or its collaborators alone"`
	BaseURL        string            `help:"address of a GitHub Enterprise server, such as https://github.example.com; without it github.com"`
	Rate           float64           `help:"requests a second at most; 10 unless set"`

	entries []entry
	places  places
	kinds   map[string]bool
	env     *sdk.Env
	log     *slog.Logger
	api     *api

	memory    *memory
	lookEvery time.Duration     // see pass.look
	bare      http.RoundTripper // set by tests: neither limits nor second attempts
}

// memory is what one process learned.
type memory struct {
	mu        sync.Mutex
	members   map[int64]map[string]bool // who reads a repository that is not public, by the last Grants
	discussed map[int64]bool            // repositories whose discussions could be read; see once.go
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

// What can be read.
const (
	issues      = "issues"
	pulls       = "pulls"
	discussions = "discussions"
	releases    = "releases"
	files       = "files"
)

var allKinds = []string{issues, pulls, discussions, releases, files}

// The names of the limits; see sdk.Limited.
const (
	limitAPI    = "api"
	limitSearch = "search"
)

// usualRate keeps well under the 15 requests a second beyond which GitHub calls
// for a pause.
const usualRate = 10

// Limits tells how fast GitHub is asked. It takes 30 searches a minute; a server
// that takes more requests takes more searches.
func (s *Source) Limits() []sdk.Limit {
	rate := s.Rate
	if rate <= 0 {
		rate = usualRate
	}
	return []sdk.Limit{{Name: limitAPI, PerSecond: rate, Burst: 20}, {Name: limitSearch, PerSecond: max(0.5, rate/20), Burst: 20}}
}

// AuthMethod says that a key of the configuration opens GitHub.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads repositories on GitHub: issues and pull requests with their comments and reviews, discussions, releases, " +
		"and Markdown and other text files of the default branch. Private repositories are for those who may read them there: " +
		"GitHub accounts are matched with people by e-mail address. Wikis are not read: the files connector reads their repository."
}

// Start checks the configuration as far as that needs no network.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	if s.env = env; env == nil {
		s.env = &sdk.Env{}
	}
	if s.log = s.env.Log; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.lookEvery = lookEvery
	s.memory = &memory{members: map[int64]map[string]bool{}, discussed: map[int64]bool{}}
	for _, parse := range []func() error{s.parseRepositories, s.parseRead, s.parseServer, s.parsePeople} {
		if err := parse(); err != nil {
			return err
		}
	}
	var err error
	s.api, err = s.newAPI()
	return err
}

func (s *Source) parseRepositories() error {
	s.entries = nil
	for _, written := range s.Repositories {
		e, err := parseEntry(written)
		if err != nil {
			return sdk.Config("repositories", err)
		}
		s.entries = append(s.entries, e)
	}
	if len(s.entries) == 0 {
		return sdk.Config("repositories", errors.New("there is none: write OWNER/NAME"))
	}
	return nil
}

func (s *Source) parseRead() error {
	s.kinds = map[string]bool{}
	read := s.Read
	if len(read) == 0 {
		read = allKinds
	}
	for _, kind := range read {
		if !slices.Contains(allKinds, kind) {
			return sdk.Config("read", fmt.Errorf("%q is not possible: choose of %s", kind, strings.Join(allKinds, ", ")))
		}
		s.kinds[kind] = true
	}
	if len(s.Files) == 0 {
		s.Files = []string{"**/*.md"}
	}
	for _, glob := range s.Files {
		if !doublestar.ValidatePattern(glob) {
			return sdk.Config("files", fmt.Errorf("%q is not a valid glob", glob))
		}
	}
	return nil
}

func (s *Source) parseServer() error {
	var err error
	if s.places, err = placesOf(s.BaseURL); err != nil {
		return sdk.Config("base_url", err)
	}
	switch {
	case s.AppID == 0 && (s.PrivateKey != "" || s.InstallationID != 0):
		return sdk.Config("app_id", errors.New("there is a private_key or an installation_id without the id of the App"))
	case s.AppID != 0 && s.PrivateKey == "":
		return sdk.Config("private_key", errors.New("an App needs its private key"))
	case s.AppID != 0 && s.Token != "":
		return sdk.Config("token", errors.New("there are both a token and an App: a source reads as one of them"))
	case s.Rate < 0:
		return sdk.Config("rate", errors.New("it has to be more than 0"))
	}
	return nil
}

// public is how a public repository counts: what is public on a company's own
// server need not be for everybody.
func (s *Source) public() string {
	switch {
	case s.Public != "":
		return s.Public
	case s.places.own:
		return "workspace"
	}
	return "public"
}

// places are the addresses of one server.
type places struct {
	api   *url.URL // with a slash at the end
	graph *url.URL
	own   bool // not github.com
}

// placesOf derives the addresses from the one that a person knows.
func placesOf(base string) (places, error) {
	if base == "" {
		base = "https://github.com"
	}
	u, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return places{}, fmt.Errorf("%q is not an address such as https://github.example.com", base)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return places{}, errors.New("it may hold nothing but the server's address")
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return places{}, errors.New("it has to begin with https://: the token would be readable on its way")
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case host == "github.com" || host == "api.github.com":
		u = &url.URL{Scheme: "https", Host: "api.github.com"}
		return places{api: u.JoinPath("/"), graph: u.JoinPath("graphql")}, nil
	case strings.HasSuffix(host, ".ghe.com"): // data residency: one subdomain for a company
		u = &url.URL{Scheme: u.Scheme, Host: "api." + strings.TrimPrefix(host, "api.")}
		return places{api: u.JoinPath("/"), graph: u.JoinPath("graphql"), own: true}, nil
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/v3")
	return places{api: u.JoinPath("api", "v3", "/"), graph: u.JoinPath("api", "graphql"), own: true}, nil
}
