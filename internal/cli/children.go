package cli

import (
	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/discord"
	"github.com/footnote-bot/footnote/plugins/files"
	"github.com/footnote-bot/footnote/plugins/github"
	jsonapi "github.com/footnote-bot/footnote/plugins/json"
	"github.com/footnote-bot/footnote/plugins/mcp"
	"github.com/footnote-bot/footnote/plugins/slack"
	"github.com/footnote-bot/footnote/plugins/web"
)

// bundled is a connector that comes inside the program.
type bundled struct {
	serve func(version string)
	// access is what documents get where neither connector nor owner says more.
	access core.Access
	// paths are configuration fields that hold a path on this machine.
	paths []string
	// either are settings of which one is needed, where its schema cannot say so.
	// A value of source add fills the first.
	either []string
}

func bundledConnectors() map[string]bundled {
	return map[string]bundled{
		"files": {
			serve:  func(version string) { sdk.Serve("files", version, files.New) },
			access: core.NewAccess(core.Workspace),
			paths:  []string{"dir"},
			either: []string{"dir", "git"},
		},
		"discord": {serve: func(version string) { sdk.Serve("discord", version, discord.New) }},
		"github":  {serve: func(version string) { sdk.Serve("github", version, github.New) }},
		"json": {
			serve:  func(version string) { sdk.Serve("json", version, jsonapi.New) },
			paths:  []string{"file"},
			either: []string{"recipe", "file", "inline"},
		},
		"mcp": {
			serve:  func(version string) { sdk.Serve("mcp", version, mcp.New) },
			either: []string{"command", "url"},
		},
		"slack": {serve: func(version string) { sdk.Serve("slack", version, slack.New) }},
		"web": {
			serve:  func(version string) { sdk.Serve("web", version, web.New) },
			access: core.NewAccess(core.Workspace),
		},
	}
}

// servePluginCommand is what a connector's child process runs.
func (inv *invocation) servePluginCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "serve-plugin NAME",
		Hidden: true,
		Args:   exactly(1, "the name of a bundled connector"),
		RunE: func(_ *cobra.Command, args []string) error {
			b, ok := bundledConnectors()[args[0]]
			if !ok {
				return core.Errorf(core.KindNotFound, "there is no bundled connector %q", args[0])
			}
			b.serve(thisBuild().Version)
			return nil
		},
	}
}

// extractCommand is what the child process that reads PDF and Office files runs.
func (inv *invocation) extractCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "extract",
		Hidden: true,
		Args:   atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return extract.RunChild(c.Context(), inv.streams.In, inv.streams.Out)
		},
	}
}
