// Package slack is the connector for what was said in the channels of a Slack
// workspace, with who may read it.
package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// Source is a set of channels of one workspace. Its exported fields are the
// configuration.
type Source struct {
	Token       sdk.Secret `required:"true" help:"bot token, xoxb-…"`
	Channels    []string   `default:"*" help:"public channels to read, each a name, an id, or a name with * for any text"`
	Exclude     []string   `help:"channels to leave out, written as in channels, or /expression/ for a regular one"`
	Private     []string   `help:"private channels that may be read, written as in channels; the bot has to be in them"`
	Join        bool       `help:"join public channels that the bot is not in; it is seen there"`
	Public      string     `enum:"workspace,members" default:"workspace" help:"who may read a public channel: every full member, or only who is in it"`
	Since       time.Time  `help:"leave out what is older, such as 2024-01-01T00:00:00Z"`
	Days        int        `default:"14" help:"for how many days messages are looked at again for edits, deletions and replies"`
	PerMinute   float64    `default:"50" help:"requests a minute for each kind of reading; Slack allows 1 to apps that are given to others outside its Marketplace"`
	SearchToken sdk.Secret `help:"user token, xoxp-…, with search:read: questions are searched in Slack itself, too"`
	ApiURL      string     `help:"address of another server with Slack's API; https://slack.com unless set"`

	named  history.Filter // public channels
	left   history.Filter
	closed history.Filter // private channels that may be read
	base   *url.URL
	env    *sdk.Env
	log    *slog.Logger
	api    *slack.Client
	search *slack.Client // nil without a token
	folks  *directory

	now       func() time.Time
	lookEvery time.Duration
	bare      http.RoundTripper // set by tests: neither limits nor second attempts
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

// The names of the limits; see sdk.Limited. Slack counts each method apart.
const (
	limitHistory = "history"
	limitReplies = "replies"
	limitOther   = "other"
	limitSearch  = "search"
)

const usualPerMinute = 50

// Limits tells how fast Slack is asked.
func (s *Source) Limits() []sdk.Limit {
	rate := s.PerMinute
	if rate <= 0 {
		rate = usualPerMinute
	}
	other := max(rate, usualPerMinute)
	return []sdk.Limit{
		{Name: limitHistory, PerSecond: rate / 60, Burst: max(1, int(rate/10))}, {Name: limitReplies, PerSecond: rate / 60, Burst: max(1, int(rate/10))},
		{Name: limitOther, PerSecond: other / 60, Burst: 20}, {Name: limitSearch, PerSecond: max(20, rate) / 60, Burst: 5},
	}
}

// AuthMethod says that a key of the configuration opens Slack.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads what people wrote in a Slack workspace: threads, and the other messages of a channel in groups that belong together. " +
		"Public channels are for every full member, private ones, where they are allowed, for those who are in them. " +
		"It sees the channels that its bot is in, and joins others only when told to."
}

// Start checks the configuration as far as that needs no network.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	if s.env = env; env == nil {
		s.env = &sdk.Env{}
	}
	if s.log = s.env.Log; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.lookEvery == 0 {
		s.lookEvery = lookEvery
	}
	if len(s.Channels) == 0 {
		s.Channels = []string{"*"}
	}
	if s.Days == 0 {
		s.Days = 14
	}
	for _, f := range []struct {
		name string
		list []string
		into *history.Filter
	}{{"channels", s.Channels, &s.named}, {"exclude", s.Exclude, &s.left}, {"private", s.Private, &s.closed}} {
		var err error
		if *f.into, err = history.ParseFilter(f.list); err != nil {
			return sdk.Config(f.name, err)
		}
	}
	switch {
	case s.Token == "":
		return sdk.Config("token", errors.New("it is missing"))
	case s.Days < 1 || s.Days > 365:
		return sdk.Config("days", fmt.Errorf("%d is not possible: choose 1 to 365", s.Days))
	case s.PerMinute < 0:
		return sdk.Config("per_minute", errors.New("it has to be more than 0"))
	}
	var err error
	if s.base, err = history.ParseServer(s.ApiURL, "https://slack.com"); err != nil {
		return sdk.Config("api_url", err)
	}
	s.connect()
	return nil
}
