package cli

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// discordSetup is what footnote init discord is given or asks for.
type discordSetup struct {
	name, token, api, gateway string
	home, print               bool
}

func (inv *invocation) initDiscordCommand() *cobra.Command {
	var s discordSetup
	c := &cobra.Command{
		Use:   "discord",
		Short: "Set up the Discord application and write it into footnote.yaml",
		Long: `Set up the Discord application: take the bot's token, try it out, print the link
that adds the bot to a server, and write the token into footnote.yaml. A token
that is not given by flag or environment (FOOTNOTE_DISCORD_TOKEN) is asked for.

No privileged intent is needed for commands, mentions, replies and direct
messages.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return inv.initDiscord(c.Context(), s) },
	}
	f := c.Flags()
	f.StringVar(&s.name, "name", "guild", "what to call the application in footnote.yaml")
	f.StringVar(&s.token, "token", "", "the bot's token")
	f.StringVar(&s.api, "api-url", "", "another address of Discord's API, for tests")
	f.StringVar(&s.gateway, "gateway-url", "", "another address of the gateway, for tests")
	f.BoolVar(&s.home, "home", false, "linked members of its servers are full members of this install")
	f.BoolVar(&s.print, "print", false, "print the lines for footnote.yaml instead of writing them")
	return c
}

func (inv *invocation) initDiscord(ctx context.Context, s discordSetup) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	if err := config.CheckSourceName(s.name); err != nil {
		return core.Errorf(core.KindUsage, "--name: %w", err)
	}
	for _, known := range cfg.Discord {
		if known.Name == s.name {
			return core.Errorf(core.KindConflict, "footnote.yaml has a Discord application %q already; choose another --name, or change it there", s.name)
		}
	}
	if s.token == "" {
		fmt.Fprint(inv.streams.Err, `1. Make an application at https://discord.com/developers/applications
2. Under Bot, press Reset Token and copy the token

`)
	}
	if s.token, err = inv.token(bufio.NewReader(inv.streams.In), s.token, "DISCORD_TOKEN", "Bot token"); err != nil {
		return err
	}
	id, err := discord.CheckToken(ctx, discord.App{Name: s.name, Token: s.token, APIURL: s.api, GatewayURL: s.gateway}, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(inv.streams.Err, `The token works: the bot is %s.
Add it to a server with this link:
   %s
Then type /footnote setup in the server and confirm the code with
   footnote discord bind CODE
Commands, mentions, replies and direct messages work as it is. For follow-ups
without a mention switch on the message content intent under Bot, and set
message_content: true; for intersections of readers the server members intent
and server_members: true.
`, id.UserName, id.Install)
	return inv.writeEntry(cfg, "discord", len(cfg.Discord) > 0 || s.print, s.name, []discordEntry{{s.name, s.token, s.home, s.api, s.gateway}})
}

// discordEntry is the entry in footnote.yaml.
type discordEntry struct {
	Name       string `yaml:"name"`
	Token      string `yaml:"token"`
	Home       bool   `yaml:"home"`
	APIURL     string `yaml:"api_url,omitempty"`
	GatewayURL string `yaml:"gateway_url,omitempty"`
}
