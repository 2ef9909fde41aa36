package config

import (
	"fmt"
	"net"
	"net/url"

	"github.com/footnote-bot/footnote/core"
)

// Discord is one Discord application with its bot.
type Discord struct {
	Name       string   `yaml:"name" help:"unique name"`
	Token      string   `yaml:"token" secret:"true" help:"the bot's token"`
	APIURL     string   `yaml:"api_url" help:"another address of Discord's API, for tests"`
	GatewayURL string   `yaml:"gateway_url" help:"another address of the gateway, for tests"`
	Home       bool     `yaml:"home" help:"linked members of its servers are full members of the install"`
	Guilds     []string `yaml:"guilds" help:"ids of servers that it serves, beside those that are bound by a code"`
	DevGuild   string   `yaml:"dev_guild" help:"id of the only server in which commands are registered, while developing"`
	Sources    []string `yaml:"sources" help:"sources that hold its servers' own channels"`
	AllowBots  []string `yaml:"allow_bots" help:"ids of bots and webhooks that may ask"`
	Admins     []string `yaml:"admins" help:"ids of users and roles that may change settings, beside Manage Server"`
	Content    bool     `yaml:"message_content" help:"the message content intent is on: follow-ups and answers without a mention"`
	Members    bool     `yaml:"server_members" help:"the server members intent is on: intersections of readers, roles of helpers"`
	Threads    bool     `yaml:"threads" help:"an answer in a channel starts a thread"`
}

func (c *Config) validateDiscord() error {
	seen := map[string]bool{}
	for i, d := range c.Discord {
		where := fmt.Sprintf("%s: discord[%d]", c.File, i)
		if err := checkName(d.Name, "an application"); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		if seen[d.Name] {
			return core.Errorf(core.KindConfig, "%s: the name %q is used before", where, d.Name)
		}
		seen[d.Name] = true
		if err := d.validate(); err != nil {
			return core.Errorf(core.KindConfig, "%s (%s): %w", where, d.Name, err)
		}
	}
	return nil
}

func (d Discord) validate() error {
	if d.Token == "" {
		return core.Errorf(core.KindConfig, "token is missing; footnote init discord sets it up")
	}
	if err := checkAPI(d.APIURL); err != nil {
		return err
	}
	if d.GatewayURL == "" {
		return nil
	}
	u, err := url.Parse(d.GatewayURL)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return core.Errorf(core.KindConfig, "gateway_url: %q is not an address such as wss://gateway.discord.gg", d.GatewayURL)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "ws" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return core.Errorf(core.KindConfig, "gateway_url: %s would send the token in clear text; use wss (ws is for this machine only)", u.Host)
	}
	return nil
}
