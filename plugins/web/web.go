// Package web is the connector for websites: it crawls the pages of a site, keeps to
// robots.txt, and sends their content for the host to read.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is one site. Its exported fields are the configuration.
type Source struct {
	Site     string   `required:"true" help:"address where reading begins, such as https://docs.example.com/guide/; what lies below it is read"`
	Also     []string `help:"further addresses where reading begins, also on other hosts"`
	Sitemaps []string `help:"addresses of sitemaps; without them those that robots.txt names are read, and none where this is the one word none"`
	Include  []string `help:"globs of paths, such as /docs/**: read only pages that match one"`
	Exclude  []string `help:"globs of paths of pages that are left alone"`
	Depth    int      `default:"10" help:"how many links a page may be away from where reading begins; 0 reads no more than what site, also and the sitemaps name"`
	MaxPages int      `default:"10000" help:"how many addresses are known at most; the first that are found count"`
	MaxMB    int      `default:"20" help:"leave out files of more megabytes, and record them as failed"`
	Rate     float64  `default:"2" help:"requests a second to one host at most; robots.txt may ask for fewer"`

	GoneAfter int `default:"2" help:"in how many complete crawls in a row a page has to be missing until it counts as deleted"`

	Authorization sdk.Secret `help:"value of a header that goes along with requests to the host of site and to no other, such as Bearer TOKEN"`
	Header        string     `default:"Authorization" help:"name of that header"`

	Server       string   `help:"address of the server that answers for the host of site in place of the one that DNS names, such as https://10.1.2.3:8443; for a site that is reached in another way from here"`
	AllowPrivate []string `help:"hosts, addresses or networks such as 10.1.0.0/16 that may be read although they are not public"`

	Access map[string][]string `help:"who may read what: globs of paths, each with a list of public, workspace, nobody, user:EMAIL, group:SOURCE/NAME; the most specific glob wins; pages that none matches follow the source's own access"`

	scope  *scope
	access []accessRule
	log    *slog.Logger
	dir    string
	web    *client

	mu     sync.Mutex
	latest *latest // the crawl that ended last, for the List that follows

	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

// The most that can be configured. A known address takes some 400 bytes of memory.
const (
	mostPages = 200_000
	mostMB    = 200
	mostDepth = 100
)

// AuthMethod says that a key of the configuration may open the site.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads the pages of a website, from an address and from sitemaps, and PDF and Office files that they link to. " +
		"It keeps to robots.txt and reads what the server sends: scripts are not run, so a site that is written by JavaScript in the browser has nothing to read."
}

// Start checks the configuration as far as that needs no network.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	s.log, s.dir = slog.New(slog.DiscardHandler), "."
	if env != nil {
		if env.Log != nil {
			s.log = env.Log
		}
		if env.Dir != "" {
			s.dir = env.Dir
		}
	}
	if s.now == nil {
		s.now, s.sleep = time.Now, pause
	}
	for _, check := range []func() error{s.parseScope, s.checkLimits, s.parseReaders} {
		if err := check(); err != nil {
			return err
		}
	}
	guard, err := newGuard(s.AllowPrivate)
	if err != nil {
		return sdk.Config("allow_private", err)
	}
	if err := s.parseServer(guard); err != nil {
		return sdk.Config("server", err)
	}
	s.web = s.newClient(guard)
	return nil
}

func (s *Source) parseScope() error {
	s.scope = &scope{include: rooted(s.Include), exclude: rooted(s.Exclude), named: map[string]bool{}}
	if err := s.scope.begin(s.Site); err != nil {
		return sdk.Config("site", err)
	}
	for _, address := range s.Also {
		if err := s.scope.begin(address); err != nil {
			return sdk.Config("also", err)
		}
	}
	if !s.noSitemaps() {
		for _, address := range s.Sitemaps {
			if _, err := parseAddress(address); err != nil {
				return sdk.Config("sitemaps", err)
			}
		}
	}
	for _, list := range []struct {
		field string
		globs []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		for _, glob := range list.globs {
			if glob == "" || !doublestar.ValidatePattern(glob) {
				return sdk.Config(list.field, fmt.Errorf("%q is not a valid glob", glob))
			}
		}
	}
	return nil
}

// parseServer tells the guard who answers for the site.
func (s *Source) parseServer(g *guard) error {
	if s.Server == "" {
		return nil
	}
	u, err := parseAddress(s.Server)
	start := s.scope.starts[0]
	switch {
	case err != nil:
		return err
	case u.Scheme != start.Scheme:
		return fmt.Errorf("it begins with %s:// and site with %s://: both have to be the same", u.Scheme, start.Scheme)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "":
		return errors.New("it may hold nothing but the server's address")
	}
	g.instead = map[string]string{dialled(start): dialled(u)}
	return nil
}

func (s *Source) noSitemaps() bool { return len(s.Sitemaps) == 1 && s.Sitemaps[0] == "none" }

func (s *Source) checkLimits() error {
	for _, limit := range []struct {
		field           string
		value, low, top int
	}{
		{"depth", s.Depth, 0, mostDepth}, {"max_pages", s.MaxPages, 1, mostPages},
		{"max_mb", s.MaxMB, 1, mostMB}, {"gone_after", s.GoneAfter, 1, 100},
	} {
		if limit.value < limit.low || limit.value > limit.top {
			return sdk.Config(limit.field, fmt.Errorf("it has to be between %d and %d", limit.low, limit.top))
		}
	}
	switch {
	case s.Rate <= 0:
		return sdk.Config("rate", errors.New("it has to be more than 0"))
	case s.Authorization != "" && s.scope.starts[0].Scheme == "http" && !loopback(s.scope.starts[0].Hostname()):
		return sdk.Config("site", errors.New("it has to begin with https://: the authorization would be readable on its way"))
	case s.Authorization != "" && !validHeader(s.Header, string(s.Authorization)):
		return sdk.Config("authorization", errors.New("it cannot stand in a header: it has to be one line"))
	}
	return nil
}

func (s *Source) parseReaders() error {
	rules, err := parseAccess(s.Access)
	if err != nil {
		return sdk.Config("access", err)
	}
	s.access = rules
	return nil
}

// maxBytes is the largest file that is read.
func (s *Source) maxBytes() int64 { return int64(s.MaxMB) << 20 }

// pause waits, or until the context is done.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Guards against a method that is misspelt.
var (
	_ sdk.Starter    = (*Source)(nil)
	_ sdk.Checker    = (*Source)(nil)
	_ sdk.Lister     = (*Source)(nil)
	_ sdk.Fetcher    = (*Source)(nil)
	_ sdk.Authorizer = (*Source)(nil)
	_ sdk.Helper     = (*Source)(nil)
)
