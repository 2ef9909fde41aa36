package config

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Slack is one Slack app in one workspace.
type Slack struct {
	Name          string   `yaml:"name" help:"unique name"`
	BotToken      string   `yaml:"bot_token" secret:"true" help:"the bot's token, xoxb-…"`
	AppToken      string   `yaml:"app_token" secret:"true" help:"the app-level token for Socket Mode, xapp-…"`
	SigningSecret string   `yaml:"signing_secret" secret:"true" help:"for events over HTTP instead of Socket Mode"`
	APIURL        string   `yaml:"api_url" help:"another address of Slack's Web API, for tests"`
	Home          bool     `yaml:"home" help:"its members are full members of the install"`
	Sources       []string `yaml:"sources" help:"sources that hold this workspace's own channels"`
	AllowBots     []string `yaml:"allow_bots" help:"ids of bots that may ask"`
	MentionOnly   bool     `yaml:"mention_only" help:"the app reads no messages without a mention"`
}

func (c *Config) validateSlack() error {
	seen := map[string]bool{}
	for i, s := range c.Slack {
		where := fmt.Sprintf("%s: slack[%d]", c.File, i)
		if err := checkName(s.Name, "a workspace"); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		if seen[s.Name] {
			return core.Errorf(core.KindConfig, "%s: the name %q is used before", where, s.Name)
		}
		seen[s.Name] = true
		if err := s.validate(); err != nil {
			return core.Errorf(core.KindConfig, "%s (%s): %w", where, s.Name, err)
		}
	}
	return nil
}

func (s Slack) validate() error {
	switch {
	case s.BotToken == "":
		return core.Errorf(core.KindConfig, "bot_token is missing; footnote init slack sets it up")
	case !strings.HasPrefix(s.BotToken, "xoxb-"):
		return core.Errorf(core.KindConfig, "bot_token: a bot's token starts with xoxb-; tokens that expire (xoxe.…) cannot be used: make a new app from the manifest, without token rotation, which cannot be switched off again")
	case s.AppToken == "" && s.SigningSecret == "":
		return core.Errorf(core.KindConfig, "needs app_token (Socket Mode) or signing_secret (events over HTTP)")
	case s.AppToken != "" && !strings.HasPrefix(s.AppToken, "xapp-"):
		return core.Errorf(core.KindConfig, "app_token: an app-level token starts with xapp-")
	}
	return checkAPI(s.APIURL)
}

// checkAPI lets plain http out to this machine only.
func checkAPI(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return core.Errorf(core.KindConfig, "api_url: %q is not an address such as https://slack.com/api/", address)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return core.Errorf(core.KindConfig, "api_url: %s would send tokens in clear text; use https (http is for this machine only)", u.Host)
	}
	return nil
}
