// Package discord is the connector for what was said in the channels and threads
// of Discord servers, with who may read it.
package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/mail"
	"net/url"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// Source is a set of channels of the servers that a bot is in. Discord calls a
// server a guild. Its exported fields are the configuration.
type Source struct {
	Token          sdk.Secret        `required:"true" help:"the bot's token"`
	Guilds         []string          `help:"ids of the servers to read; all that the bot is in unless set"`
	Channels       []string          `default:"*" help:"channels to read, each a name, an id, or a name with * for any text"`
	Exclude        []string          `help:"channels to leave out, written as in channels, or /expression/ for a regular one"`
	PrivateThreads bool              `help:"read private threads that the bot is in, too; each is for those in it"`
	AgeRestricted  bool              `help:"read channels that are marked as age-restricted, too"`
	Public         string            `enum:"members,workspace,public" default:"members" help:"who may read a channel that everybody in the server sees: those who can see it there, every full member of the team too, or anybody"`
	People         map[string]string `help:"from Discord user id to e-mail address, for Discord tells none"`
	Since          time.Time         `help:"leave out what is older, such as 2024-01-01T00:00:00Z"`
	Days           int               `default:"14" help:"for how many days messages are looked at again for edits and deletions"`
	Rate           float64           `default:"4" help:"requests a second at most"`
	ApiURL         string            `help:"address of another server with Discord's API; https://discord.com unless set"`

	named history.Filter
	left  history.Filter
	base  *url.URL
	env   *sdk.Env
	log   *slog.Logger
	wire  http.RoundTripper

	now func() time.Time

	bare http.RoundTripper // set by tests: neither limits nor second attempts
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

const (
	limitAPI  = "api"
	usualRate = 4
)

// Limits tells how fast Discord is asked: far below its 50 requests a second, for
// the bot that answers has the same allowance. One channel gives about one page a
// second.
func (s *Source) Limits() []sdk.Limit {
	rate := s.Rate
	if rate <= 0 {
		rate = usualRate
	}
	return []sdk.Limit{{Name: limitAPI, PerSecond: rate, Burst: 4}}
}

// AuthMethod says that a key of the configuration opens Discord.
func (s *Source) AuthMethod() sdk.AuthMethod { return sdk.AuthMethod{Kind: sdk.AuthKey} }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads what people wrote in the channels, threads and forums of Discord servers that its bot may read. " +
		"A channel is for those who can see it; beyond questions asked there, people are recognised by a table of user ids and e-mail addresses, " +
		"because Discord tells no addresses."
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
	if len(s.Channels) == 0 {
		s.Channels = []string{"*"}
	}
	if s.Days == 0 {
		s.Days = 14
	}
	var err error
	if s.named, err = history.ParseFilter(s.Channels); err != nil {
		return sdk.Config("channels", err)
	}
	if s.left, err = history.ParseFilter(s.Exclude); err != nil {
		return sdk.Config("exclude", err)
	}
	for _, id := range s.Guilds {
		if _, ok := snowflakeOf(id); !ok {
			return sdk.Config("guilds", fmt.Errorf("%q is not the id of a server", id))
		}
	}
	for id, email := range s.People {
		a, err := mail.ParseAddress(email)
		if _, ok := snowflakeOf(id); !ok || err != nil || a.Address != email {
			return sdk.Config("people", fmt.Errorf("%q: %q is not a Discord user id with an e-mail address", id, email))
		}
	}
	switch {
	case s.Token == "":
		return sdk.Config("token", errors.New("it is missing"))
	case s.Days < 1 || s.Days > 365:
		return sdk.Config("days", fmt.Errorf("%d is not possible: choose 1 to 365", s.Days))
	case s.Rate < 0:
		return sdk.Config("rate", errors.New("it has to be more than 0"))
	}
	if s.base, err = history.ParseServer(s.ApiURL, "https://discord.com"); err == nil && s.base.Path != "" {
		err = errors.New("it may hold nothing but the server's address")
	}
	if err != nil {
		return sdk.Config("api_url", err)
	}
	s.connect()
	return nil
}
